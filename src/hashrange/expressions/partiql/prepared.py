"""Prepares statements: parses them, makes all checks that need no table, and collects constants."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.operands import Constants as Values
from hashrange.expressions.operands import Facts, ValueCheck
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.conditions import Conditions
from hashrange.expressions.partiql.literals import is_literal, named, unsupported
from hashrange.expressions.partiql.operands import UNPREFIXED, Constants, Slot, path_of
from hashrange.expressions.partiql.statement_parser import parsed
from hashrange.expressions.partiql.updates import actions_of, check_actions
from hashrange.expressions.syntax import Action, Condition, Constant, Path
from hashrange.messages import partiql as messages
from hashrange.model.values import AttributeValue

Verb: TypeAlias = Literal["SELECT", "INSERT", "UPDATE", "DELETE", "EXISTS"]
_SOURCE_COMPONENTS_MAX = 2


class Column(msgspec.Struct, frozen=True):
    """A column of a SELECT: its name in the answer, and its path in an item."""

    name: str
    path: Path


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, for parameters of certain types.

    Attributes:
        verb: what it does; EXISTS is a check of a transaction.
        table: the name or ARN, as written.
        index: the name; None for the table itself.
        slots: where the constants come from.
        kinds: the types of the constants.
        is_plain: the constants are the parameters, in their order.
        literals: the positions of the constants that are strings or numbers in the text, by where
            these begin.
        value_checks: what is checked of the constants of each request.
        condition: WHERE.
        columns: of a SELECT; None for all.
        columns_fault: why what is selected cannot be; reported once the index is known, or missing.
        order: ORDER BY.
        item: of an INSERT, the attributes and the positions of their values; or the position of
            a document.
        actions: of an UPDATE.
        returning: what a write answers.
    """

    verb: Verb
    table: str
    index: str | None
    slots: tuple[Slot, ...]
    kinds: tuple[str, ...]
    is_plain: bool
    literals: Mapping[int, Sequence[int]]
    value_checks: tuple[ValueCheck, ...] = ()
    condition: Condition | None = None
    columns: tuple[Column, ...] | None = None
    columns_fault: str | None = None
    order: tuple[syntax.Order, ...] = ()
    item: tuple[tuple[str, int], ...] | int = ()
    actions: tuple[Action, ...] = ()
    returning: syntax.Returning | None = None

    @property
    def reads(self) -> bool:
        """Whether it is a SELECT outside EXISTS."""
        return self.verb == "SELECT"

    def constants(self, parameters: Values) -> Values:
        """The constants of a request, checked.

        Args:
            parameters: canonical, of the types that the statement was prepared for.

        Raises:
            DynamoError: ValidationException: bounds in the wrong order, no name of a type.
        """
        constants = parameters if self.is_plain else filled(self.slots, parameters)
        for check in self.value_checks:
            check(constants)
        return constants


def filled(slots: Sequence[Slot], parameters: Values) -> Values:
    """The constants in their order."""
    return tuple([parameters[slot] if isinstance(slot, int) else slot for slot in slots])


def prepared(text: str, parameters: Sequence[AttributeValue]) -> Prepared:
    """Parse a statement, and check it with the parameters of its first request.

    Args:
        text: the statement.
        parameters: canonical.

    Raises:
        DynamoError: ValidationException, the first fault.
    """
    read = parsed(text)
    if read.parameters != len(parameters):
        raise invalid(messages.parameter_count())
    constants = Constants(text, [next(iter(value)) for value in parameters])
    return _Preparation(constants, tuple(parameters)).prepared(read.statement)


class _Preparation:
    """Prepares one statement."""

    def __init__(self, constants: Constants, parameters: Values) -> None:
        self._constants = constants
        self._parameters = parameters
        self._value_checks: list[ValueCheck] = []

    def prepared(self, statement: syntax.Statement) -> Prepared:
        """Check and convert the statement; checks of its kind precede those of its table's name."""
        match statement:
            case syntax.Select():
                return self._select(statement)
            case syntax.Insert():
                return self._insert(statement)
            case syntax.Update(source, assignments, where, returning):
                actions = actions_of(assignments, self._constants)
                condition = self._condition(where)
                check_actions(actions, self._facts())
                made = self._made("UPDATE", source, returning=returning)
                return msgspec.structs.replace(made, condition=condition, actions=actions)
            case syntax.Delete(source, where, returning):
                if returning not in {None, "ALL OLD"}:
                    raise invalid(messages.returning_of_delete(str(returning)))
                condition = self._condition(where)
                made = self._made("DELETE", source, returning=returning)
                return msgspec.structs.replace(made, condition=condition)

    def _select(self, select: syntax.Select) -> Prepared:
        condition = self._condition(select.where)
        columns, fault = None, None
        if select.columns is not None:
            try:
                columns = tuple(self._column(column) for column in select.columns)
                _check_names(columns)
            except DynamoError as error:
                fault = str(error.message)
        made = self._made("EXISTS" if select.exists else "SELECT", select.source)
        return msgspec.structs.replace(
            made, condition=condition, columns=columns, columns_fault=fault, order=select.order
        )

    def _column(self, node: syntax.Expr) -> Column:
        if not isinstance(node, syntax.Id):
            raise invalid(messages.unexpected_path_component(self._constants.place(node)))
        elements = node.elements
        last = max(place for place, each in enumerate(elements) if isinstance(each, str))
        name = "".join([str(elements[last]), *(f"[{index}]" for index in elements[last + 1 :])])
        return Column(name, path_of(node))

    def _insert(self, insert: syntax.Insert) -> Prepared:
        constants, value = self._constants, insert.value
        item: tuple[tuple[str, int], ...] | int
        match value:
            case syntax.Struct():
                item = tuple(
                    (name, self._attribute(each).position)
                    for name, each in named(value, constants.text)
                )
            case syntax.Parameter() if next(iter(self._parameters[value.position])) == "M":
                item = constants.parameter(value).position
            case _:
                raise unsupported(value, constants.text, "root")
        return msgspec.structs.replace(self._made("INSERT", insert.source), item=item)

    def _attribute(self, node: syntax.Expr) -> Constant:
        if isinstance(node, syntax.Parameter):
            return self._constants.parameter(node)
        if not is_literal(node):
            raise unsupported(node, self._constants.text, "root")
        return self._constants.literal(node)

    def _condition(self, where: syntax.Expr | None) -> Condition | None:
        if where is None:
            return None
        conditions = Conditions(self._constants)
        condition = conditions.condition(where)
        conditions.check(self._facts())
        return condition

    def _facts(self) -> Facts:
        """The types and values of the constants found so far."""
        constants = self._constants
        values = filled(constants.slots, self._parameters)
        return Facts(UNPREFIXED, constants.kinds, values, self._value_checks)

    def _made(
        self, verb: Verb, source: syntax.Source, *, returning: syntax.Returning | None = None
    ) -> Prepared:
        table, index = _names(verb, source)
        slots = tuple(self._constants.slots)
        return Prepared(
            verb=verb,
            table=table,
            index=index,
            slots=slots,
            kinds=tuple(self._constants.kinds),
            is_plain=slots == tuple(range(len(self._parameters))),
            literals=self._constants.literals,
            value_checks=tuple(self._value_checks),
            returning=returning,
        )


def _check_names(columns: tuple[Column, ...]) -> None:
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            raise invalid(messages.column_repeated(column.name))
        seen.add(column.name)


def _names(verb: Verb, source: syntax.Source) -> tuple[str, str | None]:
    """Table and index. Raises ValidationException: invalid names, or a write to an index."""
    components = source.components
    if verb == "INSERT" and len(components) > 1:
        raise invalid(messages.insert_into_index())
    if "" in components:
        raise invalid(messages.path_component_empty())
    if len(components) > _SOURCE_COMPONENTS_MAX:
        raise invalid(messages.source_too_long())
    if verb in {"UPDATE", "DELETE"} and len(components) > 1:
        raise invalid(messages.not_on_index())
    return components[0], components[1] if len(components) > 1 else None
