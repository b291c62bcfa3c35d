"""KeyConditions, which Query had before KeyConditionExpression, as clauses on key attributes."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.key_conditions import KEY_OPERATORS, KeyClause
from hashrange.expressions.legacy_conditions import OPERATORS, canonical_arguments
from hashrange.expressions.reserved import check_name
from hashrange.messages import expressions as messages
from hashrange.model.structures.dynamodb import Condition
from hashrange.model.wording import Wording


class Unindexable(msgspec.Struct, frozen=True):
    """A condition whose operator cannot be a range of keys, such as NE.

    It is refused later, when keys are matched with the schema: DynamoDB looks up the table first.
    """

    attribute: str


KeyCondition: TypeAlias = KeyClause | Unindexable


def key_conditions(conditions: Mapping[str, Condition], most: int) -> tuple[KeyCondition, ...]:
    """The clauses of KeyConditions, in the order as sent.

    Args:
        conditions: as sent; each with a known operator.
        most: the largest number of conditions.

    Raises:
        DynamoError: the first fault of a name, an operator or its arguments; else no conditions,
            or more than `most`.
    """
    clauses = tuple([_clause(name, condition) for name, condition in conditions.items()])
    if not 1 <= len(clauses) <= most:
        raise invalid(messages.key_condition_count())
    return clauses


def _clause(attribute: str, condition: Condition) -> KeyCondition:
    check_name(attribute)
    name = condition.comparison_operator
    assert name is not None, "the model requires it"
    arguments = canonical_arguments(name, condition.attribute_value_list or (), Wording.CURRENT)
    operator = KEY_OPERATORS.get(OPERATORS[name].expression)
    if operator is None:
        return Unindexable(attribute)
    return KeyClause(attribute, operator, tuple(arguments))
