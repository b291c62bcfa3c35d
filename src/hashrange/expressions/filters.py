"""QueryFilter and ScanFilter, which pages had before FilterExpression, as a condition."""

from collections.abc import Mapping

from hashrange.errors import invalid
from hashrange.expressions.attribute_names import check_name
from hashrange.expressions.conditions import Condition
from hashrange.expressions.legacy_conditions import Conditions, canonical_arguments
from hashrange.limits import FILTER_CONDITIONS_MAX
from hashrange.messages import legacy as messages
from hashrange.model.legacy import Condition as Entry
from hashrange.model.wording import Wording


def filter_condition(
    entries: Mapping[str, Entry], conditional_operator: str | None, wording: Wording
) -> Condition | None:
    """The condition that items of a page have to meet.

    Args:
        entries: as sent; each with a known operator.
        conditional_operator: AND, OR, or None for AND.
        wording: the validation layer that speaks for the operation.

    Returns:
        None if there are no entries.

    Raises:
        DynamoError: the first fault in the order as sent; more conditions than we take.
    """
    conditions = Conditions()
    for attribute, entry in entries.items():
        check_name(attribute)
        operator = entry.comparison_operator
        assert operator is not None, "the model requires it"
        arguments = canonical_arguments(operator, entry.attribute_value_list or (), wording)
        conditions.add(attribute, operator, arguments)
    if len(entries) > FILTER_CONDITIONS_MAX:
        raise invalid(messages.too_many_conditions(FILTER_CONDITIONS_MAX))
    return conditions.joined(conditional_operator)
