"""AttributeUpdates and Expected, which came before expressions, as an update and a condition."""

from collections.abc import Mapping, Sequence
from typing import Final

from hashrange.bounded_cache import BoundedCache
from hashrange.errors import invalid
from hashrange.expressions.conditions import Condition
from hashrange.expressions.legacy_conditions import Conditions, canonical_arguments
from hashrange.expressions.reserved import check_name
from hashrange.expressions.syntax import Action, Add, Constant, Delete, Path, Remove, Set
from hashrange.expressions.updates import Update, UpdateShape, update_shape
from hashrange.limits.requests import (
    EXPRESSION_SHAPE_CHARS_MAX,
    EXPRESSION_SHAPES_CHARS_MAX,
    LEGACY_SHAPES_MAX,
)
from hashrange.messages import expressions as messages
from hashrange.model.canonical import canonical_value
from hashrange.model.data_types import SETS
from hashrange.model.structures.dynamodb import AttributeValueUpdate, ExpectedAttributeValue
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording

_ADD_KINDS: Final = SETS | {"N", "L"}

_shapes: Final = BoundedCache[tuple[Action, ...], UpdateShape](
    entries_max=LEGACY_SHAPES_MAX,
    chars_max=EXPRESSION_SHAPES_CHARS_MAX,
    entry_chars_max=EXPRESSION_SHAPE_CHARS_MAX,
)
"""Compiled updates by their actions, which hold no values, so requests can share them."""


def attribute_update(updates: Mapping[str, AttributeValueUpdate]) -> Update | None:
    """The update of an item's attributes.

    Args:
        updates: as sent; all actions are known ones.

    Returns:
        None if there are no updates.

    Raises:
        DynamoError: the first fault in the order as sent.
    """
    actions: list[Action] = []
    constants: list[AttributeValue] = []
    for name, update in updates.items():
        check_name(name)
        if update.value is None:
            if update.action != "DELETE":
                raise invalid(messages.action_without_value())
            actions.append(Remove(Path((name,))))
            continue
        value = canonical_value(update.value, Wording.CURRENT)
        actions.append(_action(name, update.action, value, len(constants)))
        constants.append(value)
    if not actions:
        return None
    key = tuple(actions)
    shape = _shapes.get(key)
    if shape is None:
        shape = update_shape(key)
        _shapes.keep(key, shape, sum(map(len, updates)))
    return Update(shape, tuple(constants))


def _action(name: str, action: str | None, value: AttributeValue, position: int) -> Action:
    """The action on an attribute whose value will be the constant at `position`."""
    kind = next(iter(value))
    target, operand = Path((name,)), Constant(position)
    match action:
        case None | "PUT":
            return Set(target, operand)
        case "DELETE":
            if kind not in SETS:
                raise invalid(messages.delete_type(kind))
            return Delete(target, operand, legacy=True)
        case _:
            assert action == "ADD", "the model knows three actions"
            if kind not in _ADD_KINDS:
                raise invalid(messages.add_type(kind))
            return Add(target, operand, legacy=True)


_WITHOUT_ARGUMENTS: Final = frozenset({"NULL", "NOT_NULL"})


def expected_condition(
    expected: Mapping[str, ExpectedAttributeValue], conditional_operator: str | None
) -> Condition | None:
    """The condition that a write has to meet.

    Args:
        expected: as sent; all operators are known ones.
        conditional_operator: AND, OR, or None for AND.

    Returns:
        None if nothing is expected.

    Raises:
        DynamoError: the first fault in the order as sent.
    """
    conditions = Conditions()
    for attribute, entry in expected.items():
        check_name(attribute)
        operator, values = _operation(attribute, entry)
        conditions.add(attribute, operator, canonical_arguments(operator, values, Wording.CURRENT))
    return conditions.joined(conditional_operator)


def _operation(
    attribute: str, entry: ExpectedAttributeValue
) -> tuple[str, Sequence[AttributeValue]]:
    """Operator and arguments of an entry in either form: with Value, or with an operator."""
    value, values = entry.value, entry.attribute_value_list
    if value is not None and values is not None:
        raise invalid(messages.value_and_list(attribute))
    operator = entry.comparison_operator
    if operator is None:
        if values is not None:
            raise invalid(messages.list_without_operator(attribute))
        return _existence(attribute, value, exists=entry.exists)
    if entry.exists is not None:
        raise invalid(messages.exists_and_operator(attribute))
    if values is None and value is None and operator not in _WITHOUT_ARGUMENTS:
        raise invalid(messages.operator_without_values(operator, attribute))
    return operator, (values or ()) if value is None else (value,)


def _existence(
    attribute: str, value: AttributeValue | None, *, exists: bool | None
) -> tuple[str, Sequence[AttributeValue]]:
    """An entry without operator: the attribute has this value, or does not exist."""
    if exists is False:
        if value is not None:
            raise invalid(messages.value_of_nothing(attribute))
        return "NULL", ()
    if value is None:
        text = messages.exists_without_value if exists else messages.nothing_expected
        raise invalid(text(attribute))
    return "EQ", (value,)
