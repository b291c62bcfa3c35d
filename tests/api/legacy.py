"""Parameters from before expressions in short, and texts that several of their tests meet."""

from typing import Any

from tests.api.items import INVALID

NO_CONDITIONS = "ConditionalOperator cannot be used without Filter or Expected"
ONE_CONDITION = (
    "ConditionalOperator can only be used when Filter or Expected has two or more elements"
)
OPERATORS_CURRENT = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
OPERATORS_OLDER = (
    "Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: "
    "Member must satisfy enum value set: [OR, AND]"
)
COMPARISONS = (
    "satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, "
    "BEGINS_WITH, GE, CONTAINS]"
)
MIXED = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {{{}}} Expression parameters: {{{}}}"
)
COUNT = f"{INVALID}Invalid number of argument(s) for the {{}} ComparisonOperator"
TYPES_DIFFER = f"{INVALID}AttributeValues inside AttributeValueList must be of same type"
TYPE = f"{INVALID}ComparisonOperator {{}} is not valid for {{}} AttributeValue type"
REVERSED = (
    "The BETWEEN condition was provided a range where the lower bound is greater than the upper "
    "bound"
)
ENVELOPE = "1 validation error detected: "


def compared(operator: str, *arguments: dict[str, Any]) -> dict[str, Any]:
    """An entry of Expected, KeyConditions, QueryFilter or ScanFilter."""
    return {"ComparisonOperator": operator, "AttributeValueList": list(arguments)}


def equal(**attributes: dict[str, Any]) -> dict[str, Any]:
    """Entries that ask attributes for values."""
    return {name: compared("EQ", value) for name, value in attributes.items()}
