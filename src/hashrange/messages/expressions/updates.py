"""Texts about update expressions: their checks, and errors when they are applied to an item.

"Catalogue n" is the number in docs/messages.md; *verified* texts were measured against the service
by users or stand in its documentation.
"""

# Checks


def section_repeated(section: str) -> str:
    """SET, REMOVE, ADD or DELETE used twice. Source: catalogue 101, verified."""
    return f'The "{section}" section can only be used once in an update expression;'


def expression_too_large() -> str:
    """Without the size, unlike other expressions. Source: catalogue 98, verified."""
    return "Expression size has exceeded the maximum allowed size;"


def function_not_for_updates(name: str) -> str:
    """A condition's function in an update expression. Source: measured by users."""
    return f"The function is not allowed in an update expression; function: {name}"


def operand_type(section: str, kind: str) -> str:
    """ADD or DELETE with a value that it does not take; `kind` is a name as STRING.

    The type set is that of ADD for DELETE, too, and is told in transactions. Source: catalogue 90,
    measured by users, September 2026.
    """
    return (
        "Incorrect operand type for operator or function; "
        f"operator: {section}, operand type: {kind}, typeSet: ALLOWED_FOR_ADD_OPERAND"
    )


# Application


def path_invalid() -> str:
    """A parent that is missing or of another kind. Source: catalogue 105, verified."""
    return "The document path provided in the update expression is invalid for update"


def attribute_missing() -> str:
    """The expression reads an attribute that the item lacks. Source: catalogue 106, verified."""
    return "The provided expression refers to an attribute that does not exist in the item"


def operand_type_stored() -> str:
    """A stored value of a type that the operation cannot use. Source: catalogue 107, verified."""
    return "An operand in the update expression has an incorrect data type"


def type_mismatch() -> str:
    """A stored value of a wrong type for ADD or DELETE. Source: catalogue 108, verified."""
    return "Type mismatch for attribute to update"
