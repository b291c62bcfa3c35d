"""QueryFilter and ScanFilter, which pages had before FilterExpression, as a condition."""

from collections.abc import Mapping

from hashrange.errors import invalid
from hashrange.expressions.conditions import Condition
from hashrange.expressions.legacy_conditions import Conditions, canonical_arguments
from hashrange.expressions.reserved import check_name
from hashrange.limits.requests import FILTER_CONDITIONS_MAX, IN_OPERANDS_MAX
from hashrange.messages import expressions as messages
from hashrange.model.structures.dynamodb import Condition as Entry
from hashrange.model.wording import Wording


def filter_condition(
    entries: Mapping[str, Entry],
    conditional_operator: str | None,
    wording: Wording,
    *,
    arguments_max: int | None = None,
) -> Condition | None:
    """The condition that an item must fulfil to be returned.

    Args:
        entries: as sent; each with a known operator.
        conditional_operator: AND, OR, or None for AND.
        wording: the validation layer that speaks for the operation.
        arguments_max: the most arguments of all entries together, for operations that do not
            limit those of a single IN; None for operations that do.

    Returns:
        None if there are no entries.

    Raises:
        DynamoError: the first fault in the order as sent, else more than
            `FILTER_CONDITIONS_MAX` entries.
    """
    conditions = Conditions()
    in_operands_max = IN_OPERANDS_MAX if arguments_max is None else None
    count = 0
    for attribute, entry in entries.items():
        check_name(attribute)
        operator = entry.comparison_operator
        assert operator is not None, "the model requires it"
        values = entry.attribute_value_list or ()
        arguments = canonical_arguments(operator, values, wording, in_operands_max=in_operands_max)
        conditions.add(attribute, operator, arguments)
        count += len(arguments)
    if len(entries) > FILTER_CONDITIONS_MAX:
        raise invalid(messages.too_many_conditions(FILTER_CONDITIONS_MAX))
    if arguments_max is not None and count > arguments_max:
        raise invalid(messages.too_many_arguments(arguments_max))
    return conditions.joined(conditional_operator)
