"""Fits a prepared statement to its table once, and makes its plans."""

from collections.abc import Callable
from typing import Final

from hashrange.api.dynamodb.items import delete_item, put_item, update_item
from hashrange.api.dynamodb.partiql.permissions import AnyItem, NewItem, PresentItem
from hashrange.api.dynamodb.partiql.reading import fitted_select
from hashrange.api.dynamodb.partiql.statements import Page, StatementPlan, StatementShape
from hashrange.api.dynamodb.partiql.writes import Write, options_of
from hashrange.errors import invalid
from hashrange.expressions.conditions import ConditionShape, condition_shape
from hashrange.expressions.partiql.key_conditions import KeyPart, conjuncts, equality, together
from hashrange.expressions.partiql.prepared import Prepared
from hashrange.expressions.program import Condition, Constants, Update
from hashrange.expressions.readers import Derivations
from hashrange.expressions.syntax import Condition as Tree
from hashrange.expressions.updates import update_shape
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.messages import partiql as messages
from hashrange.messages.items import operations as item_messages
from hashrange.model.canonical import encoded_item
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.open_table import OpenTable

Planner = Callable[[Constants, Page], StatementPlan]
"""Makes the plan of a request from its constants and its page."""

NEW_ITEM: Final = NewItem(None)
_WHOLE: Final = Page()


class WriteParts:
    """The key, condition and update of a write, fitted to its table.

    Attributes:
        keys: the attributes of the key, and the positions of their values.
        condition: everything else that WHERE says.
        extend: appends to the constants what the compiled parts want to know of them.
        update: of an UPDATE.
        conflict: an attribute of the key that is compared with several values.
    """

    def __init__(self, statement: Prepared, table: OpenTable, *, first_wins: bool = False) -> None:
        parts: dict[str, list[KeyPart]] = {name: [] for name in table.key_names}
        rest: list[Tree] = []
        for condition in conjuncts(statement.condition):
            part = equality(condition, table.key_names)
            if part is None or (first_wins and parts[part.attribute]):
                rest.append(condition)
            else:
                parts[part.attribute].append(part)
        self.parts = parts
        self.names_item = all(parts.values())
        self.keys = {name: found[0].positions[0] for name, found in parts.items() if found}
        derivations = Derivations(statement.kinds)
        tree = together(rest)
        self.condition = None if tree is None else condition_shape(tree, derivations)
        self.update = update_shape(statement.actions) if statement.actions else None
        self._extend = derivations.extend()
        self._repeated = any(len(found) > 1 for found in parts.values())

    def extended(self, constants: Constants) -> Constants:
        """The constants, and the values derived from them."""
        return constants if self._extend is None else self._extend(constants)

    def key(self, constants: Constants) -> Item:
        """The key in WHERE. Raises ValidationException: a key attribute has two values."""
        if self._repeated:
            for name, parts in self.parts.items():
                values = [constants[part.positions[0]] for part in parts]
                if any(value != values[0] for value in values):
                    raise invalid(messages.key_compared_twice(name))
        return {name: constants[position] for name, position in self.keys.items()}


def planner_of(shape: StatementShape, table: OpenTable) -> Planner:
    """The function that makes the plans of a statement on a table.

    Raises DynamoError: ValidationException, the statement does not suit the table.
    """
    match shape.prepared.verb:
        case "SELECT" | "EXISTS":
            return fitted_select(shape, table)
        case "INSERT":
            return _inserts(shape, table)
        case "UPDATE":
            return _updates(shape, table)
        case "DELETE":
            return _deletes(shape, table)


def plan_of(
    shape: StatementShape,
    constants: Constants,
    table: OpenTable,
    page: Page = _WHOLE,
) -> StatementPlan:
    """The plan of a statement. Raises DynamoError: the first fault."""
    fitted = shape.fitted
    if fitted is None or fitted[0] is not table:
        shape.fitted = fitted = (table, planner_of(shape, table))
    plan: StatementPlan = fitted[1](constants, page)
    return plan


def item_of(statement: Prepared, constants: Constants) -> Item:
    """The item of an INSERT."""
    if isinstance(statement.item, int):
        return dict(constants[statement.item]["M"])
    return {name: constants[position] for name, position in statement.item}


def _inserts(shape: StatementShape, table: OpenTable) -> Planner:
    statement = shape.prepared
    options = options_of(statement, shape.options)

    def plan(constants: Constants, _page: Page) -> StatementPlan:
        sized = encoded_item(item_of(statement, constants), Wording.OLDER)
        if sized.size > ITEM_BYTES_MAX:
            raise invalid(item_messages.item_too_large())
        checked = put_item.CheckedPutItem(shape.table_names, options, sized, NEW_ITEM)
        return Write(put_item.fit(checked, table))

    return plan


def _updates(shape: StatementShape, table: OpenTable) -> Planner:
    statement = shape.prepared
    options = options_of(statement, shape.options)
    parts = WriteParts(statement, table)
    if not parts.names_item:
        raise invalid(messages.key_equality_missing())
    change = parts.update
    assert change is not None, "an UPDATE has assignments"
    is_new = True

    def plan(constants: Constants, _page: Page) -> StatementPlan:
        nonlocal is_new
        item = parts.key(constants)
        key = key_of(table, item)
        values = parts.extended(constants)
        guard = PresentItem(_bound(parts.condition, values), shape.options.return_old)
        update = Update(change, values)
        if is_new:
            update_item.fit_expressions(update, guard, table)
            is_new = False
        return Write(update_item.UpdateItemPlan(table, key, options, item, guard, update))

    return plan


def _deletes(shape: StatementShape, table: OpenTable) -> Planner:
    statement = shape.prepared
    options = options_of(statement, shape.options)
    parts = WriteParts(statement, table)
    if not parts.names_item:
        raise invalid(messages.key_equality_missing())

    def plan(constants: Constants, _page: Page) -> StatementPlan:
        condition = _bound(parts.condition, parts.extended(constants))
        guard = AnyItem(condition, shape.options.return_old)
        checked = delete_item.CheckedDeleteItem(
            shape.table_names, options, parts.key(constants), guard
        )
        return Write(delete_item.fit(checked, table))

    return plan


def _bound(shape: ConditionShape | None, constants: Constants) -> Condition | None:
    return None if shape is None else shape.bound(constants)
