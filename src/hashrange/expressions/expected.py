"""Expected, which writes had before ConditionExpression, as a condition."""

from collections.abc import Mapping, Sequence
from typing import Final

from hashrange.errors import invalid
from hashrange.expressions.attribute_names import check_name
from hashrange.expressions.conditions import Condition
from hashrange.expressions.legacy_conditions import Conditions, canonical_arguments
from hashrange.messages import expressions as messages
from hashrange.model.structures.dynamodb import ExpectedAttributeValue
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording

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
