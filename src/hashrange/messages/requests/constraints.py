"""Texts of the constraints that the API's model puts on members of requests.

Source of all: the layers of validation as captured from the service. Numbers: docs/messages.md.
"""

from collections.abc import Sequence


def envelope(violations: Sequence[str]) -> str:
    """Several violations as one text, with their count."""
    noun = "validation error" if len(violations) == 1 else "validation errors"
    return f"{len(violations)} {noun} detected: {'; '.join(violations)}"


def enveloped(text: str) -> str:
    """A text that is not a violation, in the envelope that some operations put around it.

    Source: the table of layers, verified.
    """
    return envelope([text])


def value_null(path: str, constraint: str) -> str:
    """A member is absent. Source: catalogue 1 and 8, verified."""
    return f"Value null at '{path}' failed to satisfy constraint: {constraint}"


def value_echoed(value: str, path: str, constraint: str) -> str:
    """A value, as Java prints it, breaks a constraint.

    Source: catalogue 3, 4, 7, 9, 11, 12, 16, 18, 20, 21 and 140, verified.
    """
    return f"Value '{value}' at '{path}' failed to satisfy constraint: {constraint}"


def value_unechoed(path: str, constraint: str) -> str:
    """A member's value breaks a constraint, current layer.

    Source: catalogue 2, 10, 14, 19, 20 and 21, verified.
    """
    return f"Value at '{path}' failed to satisfy constraint: {constraint}"


def failed(constraint: str) -> str:
    """A value is not in its enum, current layer. Source: catalogue 23 and 25, verified."""
    return f"Failed to satisfy constraint: {constraint}"


def not_null() -> str:
    """The member is required. Source: catalogue 1, verified."""
    return "Member must not be null"


def length_at_least(least: int) -> str:
    """Characters of a text, elements of a list, entries of a map.

    Source: catalogue 2, 7, 9, 14 and 19, verified.
    """
    return f"Member must have length greater than or equal to {least}"


def length_at_most(most: int) -> str:
    """Characters of a text, elements of a list, entries of a map.

    Source: catalogue 3, 14, 20, 21 and 140, verified.
    """
    return f"Member must have length less than or equal to {most}"


def value_at_least(least: int) -> str:
    """A number is too small. Source: catalogue 10 and 11, verified."""
    return f"Member must have value greater than or equal to {least}"


def value_at_most(most: int) -> str:
    """A number is too large. Source: catalogue 12, verified."""
    return f"Member must have value less than or equal to {most}"


def enum_value_set(values: Sequence[str]) -> str:
    """The values of an enum. Source: catalogue 23 and 25, verified."""
    return f"Member must satisfy enum value set: [{', '.join(values)}]"


def pattern(expression: str) -> str:
    """Text does not match. Source: catalogue 4, verified."""
    return f"Member must satisfy regular expression pattern: {expression}"


def map_keys(constraints: Sequence[str]) -> str:
    """A key of a map breaks one of the constraints. Source: catalogue 18, verified."""
    return f"Map keys must satisfy constraint: [{', '.join(constraints)}]"


def map_value(constraints: Sequence[str]) -> str:
    """A value of a map breaks one of the constraints. Source: catalogue 16, verified."""
    return f"Map value must satisfy constraint: [{', '.join(constraints)}]"


def list_member(constraints: Sequence[str]) -> str:
    """An element of a list breaks one of the constraints. Source: the model, not verified."""
    return f"Member must satisfy constraint: [{', '.join(constraints)}]"
