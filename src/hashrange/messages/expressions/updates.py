"""Texts about update expressions: their checks, and errors when they are applied to an item.

Numbers are those of docs/internals/messages.md; *verified* texts were measured against the service
by users or stand in its documentation.
"""

from hashrange.messages.text import Text

# Checks

# SET, REMOVE, ADD or DELETE used twice. Verified.
section_repeated = Text('The "{section}" section can only be used once in an update expression;', 101)
# Without the size, unlike other expressions. Verified.
expression_too_large = Text("Expression size has exceeded the maximum allowed size;", 98)
# A condition's function in an update expression. Source: measured by users.
function_not_for_updates = Text("The function is not allowed in an update expression; function: {name}")
# ADD or DELETE with a value that it does not take; `kind` is a name as STRING. The type set is that
# of ADD for DELETE, too, and is reported in transactions. Measured by users, September 2026.
operand_type = Text("Incorrect operand type for operator or function; operator: {section}, operand type: {kind}, typeSet: ALLOWED_FOR_ADD_OPERAND", 90)


# Application

# A parent that is missing or of another kind. Verified.
path_invalid = Text("The document path provided in the update expression is invalid for update", 105)
# The expression reads an attribute that the item lacks. Verified.
attribute_missing = Text("The provided expression refers to an attribute that does not exist in the item", 106)
# A stored value of a type that the operation cannot use. Verified.
operand_type_stored = Text("An operand in the update expression has an incorrect data type", 107)
# A stored value of a wrong type for ADD or DELETE. Verified.
type_mismatch = Text("Type mismatch for attribute to update", 108)
