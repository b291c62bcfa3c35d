"""Parameters from before expressions, in short, and what their operators mean, plainly."""

import pytest

from hashrange.errors import DynamoError
from hashrange.expressions.attribute_updates import expected_condition
from hashrange.model.structures.dynamodb import Condition, ExpectedAttributeValue
from tests.unit.expressions.evaluator import native

INVALID = "One or more parameter values were invalid: "
REVERSED = (
    "The BETWEEN condition was provided a range where the lower bound is greater than the upper "
    "bound"
)
TYPES_DIFFER = INVALID + "AttributeValues inside AttributeValueList must be of same type"

# One value of each type.
VALUES = {
    "S": {"S": "a"},
    "N": {"N": "1"},
    "B": {"B": "YQ=="},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "SS": {"SS": ["a"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["YQ=="]},
    "L": {"L": [{"S": "a"}]},
    "M": {"M": {"a": {"S": "a"}}},
}
_ORDERED = frozenset({"S", "N", "B"})
_MEMBERS = _ORDERED | {"BOOL", "NULL"}
ARGUMENT_KINDS = {
    **dict.fromkeys(["EQ", "NE"], frozenset(VALUES)),
    **dict.fromkeys(["LE", "LT", "GE", "GT", "IN", "BETWEEN"], _ORDERED),
    **dict.fromkeys(["CONTAINS", "NOT_CONTAINS"], _MEMBERS),
    "BEGINS_WITH": frozenset({"S", "B"}),
}
WITHOUT_ARGUMENTS = ["NULL", "NOT_NULL"]
OPERATORS = [*ARGUMENT_KINDS, *WITHOUT_ARGUMENTS]


def entry(operator, *arguments):
    """An entry of KeyConditions, QueryFilter or ScanFilter."""
    return Condition(comparison_operator=operator, attribute_value_list=list(arguments))


def compared(operator, *arguments):
    """An entry of Expected with an operator."""
    return ExpectedAttributeValue(
        comparison_operator=operator, attribute_value_list=list(arguments)
    )


def expected(entries, operator=None):
    """The condition of Expected."""
    return expected_condition(entries, operator)


def refused(call, *arguments):
    """The text of the fault that a call raises."""
    with pytest.raises(DynamoError) as caught:
        call(*arguments)
    return caught.value.message


def met(operator, stored, arguments):
    """Whether a stored value, or None, meets an operator, as the service documents it."""
    if operator in WITHOUT_ARGUMENTS:
        return (stored is None) == (operator == "NULL")
    if stored is None:
        return operator == "NE"
    kind, content = native(stored)
    values = [native(argument) for argument in arguments]
    match operator:
        case "EQ" | "IN":
            return (kind, content) in values
        case "NE":
            return (kind, content) not in values
        case "CONTAINS" | "NOT_CONTAINS":
            return _contains(kind, content, values[0]) == (operator == "CONTAINS")
        case _:
            return kind == values[0][0] and _ordered(operator, _key(kind, content), values)


def _key(kind, content):
    return content.encode() if kind == "S" else content


def _ordered(operator, content, values):
    first, *others = [_key(*value) for value in values]
    match operator:
        case "LE":
            return content <= first
        case "LT":
            return content < first
        case "GE":
            return content >= first
        case "GT":
            return content > first
        case "BEGINS_WITH":
            return content.startswith(first)
        case "BETWEEN":
            return first <= content <= others[0]


def _contains(kind, content, value):
    match kind:
        case "S" | "B":
            return value[0] == kind and value[1] in content
        case "SS" | "NS" | "BS":
            return value[0] == kind[0] and value[1] in content
        case "L":
            return value in content
        case _:
            return False
