"""Texts of the constraints that the API's model puts on members of requests.

Source of all: the layers of validation as captured from the service. Numbers:
docs/internals/messages.md.
"""

from collections.abc import Sequence

from hashrange.messages.text import Text


def envelope(violations: Sequence[str]) -> str:
    """Several violations as one text, with their count."""
    noun = "validation error" if len(violations) == 1 else "validation errors"
    return f"{len(violations)} {noun} detected: {'; '.join(violations)}"


def enveloped(text: str) -> str:
    """A text that is not a violation, in the envelope that some operations put around it.

    Source: the table of layers, verified.
    """
    return envelope([text])


# A member is absent. Verified.
value_null = Text("Value null at '{path}' failed to satisfy constraint: {constraint}", 1, 8)
# A value, as Java prints it, breaks a constraint. Verified.
value_echoed = Text("Value '{value}' at '{path}' failed to satisfy constraint: {constraint}", 3, 4, 7, 9, 11, 12, 16, 18, 20, 21, 140)
# A member's value breaks a constraint, current layer. Verified.
value_unechoed = Text("Value at '{path}' failed to satisfy constraint: {constraint}", 2, 10, 14, 19, 20, 21)
# A value is not in its enum, current layer. Verified.
failed = Text("Failed to satisfy constraint: {constraint}", 23, 25)
# The member is required. Verified.
not_null = Text("Member must not be null", 1)
# Characters of a text, elements of a list, entries of a map. Verified.
length_at_least = Text("Member must have length greater than or equal to {least}", 2, 7, 9, 14, 19)
# Characters of a text, elements of a list, entries of a map. Verified.
length_at_most = Text("Member must have length less than or equal to {most}", 3, 14, 20, 21, 140)
# A number is too small. Verified.
value_at_least = Text("Member must have value greater than or equal to {least}", 10, 11)
# A number is too large. Verified.
value_at_most = Text("Member must have value less than or equal to {most}", 12)
# The values of an enum. Verified.
enum_value_set = Text("Member must satisfy enum value set: [{values}]", 23, 25)
# Text does not match. Verified.
pattern = Text("Member must satisfy regular expression pattern: {expression}", 4)
# A key of a map breaks one of the constraints. Verified.
map_keys = Text("Map keys must satisfy constraint: [{constraints}]", 18)
# A value of a map breaks one of the constraints. Verified.
map_value = Text("Map value must satisfy constraint: [{constraints}]", 16)
# An element of a list breaks one of the constraints. Source: the model, not verified.
list_member = Text("Member must satisfy constraint: [{constraints}]")
