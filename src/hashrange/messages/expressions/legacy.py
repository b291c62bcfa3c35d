"""Texts about parameters that preceded expressions.

"Catalogue n" is the number in docs/messages.md; *verified* texts were measured against the service
by users or stand in its documentation. `syntax.styles_mixed` refuses such a parameter beside an
expression.
"""

from hashrange.messages.items.values import INVALID

# Expected


def value_and_list(attribute: str) -> str:
    """Source: catalogue 210, verified."""
    return INVALID + (
        f"Value and AttributeValueList cannot be used together for Attribute: {attribute}"
    )


def exists_and_operator(attribute: str) -> str:
    """Source: catalogue 211, verified."""
    return INVALID + (
        f"Exists and ComparisonOperator cannot be used together for Attribute: {attribute}"
    )


def operator_without_values(operator: str, attribute: str) -> str:
    """Neither Value nor AttributeValueList. Source: catalogue 212, verified."""
    return INVALID + (
        "Value or AttributeValueList must be used with ComparisonOperator: "
        f"{operator} for Attribute: {attribute}"
    )


def list_without_operator(attribute: str) -> str:
    """Source: catalogue 213, verified."""
    return INVALID + (
        f"AttributeValueList can only be used with a ComparisonOperator for Attribute: {attribute}"
    )


def exists_without_value(attribute: str) -> str:
    """Exists true, and no Value. Source: catalogue 214, verified."""
    return INVALID + f"Value must be provided when Exists is true for Attribute: {attribute}"


def nothing_expected(attribute: str) -> str:
    """An empty entry. Source: catalogue 214, verified."""
    return INVALID + f"Value must be provided when Exists is null for Attribute: {attribute}"


def value_of_nothing(attribute: str) -> str:
    """A Value for an attribute that must not exist. Source: catalogue 215, verified."""
    return INVALID + f"Value cannot be used when Exists is false for Attribute: {attribute}"


# Comparison operators and their arguments


def argument_count(operator: str) -> str:
    """Source: catalogue 216, verified."""
    return INVALID + f"Invalid number of argument(s) for the {operator} ComparisonOperator"


def argument_types_differ() -> str:
    """Source: catalogue 217, verified."""
    return INVALID + "AttributeValues inside AttributeValueList must be of same type"


def bounds_reversed() -> str:
    """Source: catalogue 218, verified."""
    return (
        "The BETWEEN condition was provided a range where the lower bound is greater than the "
        "upper bound"
    )


def argument_type(operator: str, kind: str) -> str:
    """`kind` is a type's code. Source: catalogue 219, verified."""
    return INVALID + f"ComparisonOperator {operator} is not valid for {kind} AttributeValue type"


# AttributeUpdates


def action_without_value() -> str:
    """Source: catalogue 220, verified."""
    return INVALID + "Only DELETE action is allowed when no attribute value is specified"


def delete_type(kind: str) -> str:
    """DELETE with a value is for sets only. Source: catalogue 221, verified."""
    return INVALID + f"DELETE action with value is not supported for the type {kind}"


def add_type(kind: str) -> str:
    """ADD is for numbers, sets and lists. Source: catalogue 222, verified."""
    return INVALID + f"ADD action is not supported for the type {kind}"


# KeyConditions


def key_condition_count() -> str:
    """Source: catalogue 223, verified."""
    return "Conditions can be of length 1 or 2 only"


def operator_not_indexable() -> str:
    """NE, IN, NULL and the like on a key attribute. Source: catalogue 224, verified."""
    return "Attempted conditional constraint is not an indexable operation"


# QueryFilter, AttributesToGet, ConditionalOperator


def filter_on_key(name: str) -> str:
    """A key attribute in a QueryFilter. Source: catalogue 121, verified."""
    return f"QueryFilter can only contain non-primary key attributes: Primary key attribute: {name}"


def attribute_named_twice(name: str) -> str:
    """Source: catalogue 225, verified."""
    return INVALID + f"Duplicate value in attribute name: {name}"


def operator_of_one_condition() -> str:
    """ConditionalOperator with one condition. Source: catalogue 226, verified."""
    return "ConditionalOperator can only be used when Filter or Expected has two or more elements"


def operator_of_no_condition() -> str:
    """ConditionalOperator without conditions.

    Source: catalogue 227, public tests that were run against the service.
    """
    return "ConditionalOperator cannot be used without Filter or Expected"


def too_many_conditions(most: int) -> str:
    """QueryFilter or ScanFilter: a limit of our own, as high as that of expressions."""
    return f"hashrange does not support filters of more than {most} conditions"


def too_many_arguments(most: int) -> str:
    """ScanFilter: a limit of our own on the arguments of all conditions."""
    return f"hashrange does not support filters with more than {most} arguments"
