"""Texts about expressions of all kinds, and about the parameters that preceded them.

Numbers are those of docs/internals/messages.md; *verified* texts were measured against the service
by users or stand in its documentation. `label` is the parameter that holds the expression, for
example `FilterExpression`; `styles_mixed` refuses an older parameter beside an expression.
"""

from hashrange.messages.items.values import INVALID
from hashrange.messages.text import Text

# The prefix of every text about one expression. Source: the catalogue, verified.
invalid_expression = Text("Invalid {label}: {reason}")


# Parameters that go together

# A legacy parameter beside an expression. Verified.
styles_mixed = Text("Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {{{legacy}}} Expression parameters: {{{expressions}}}", 70)
# Verified.
names_without_expression = Text("ExpressionAttributeNames can only be specified when using expressions", 71)
# Older wordings append the missing expressions. Verified.
values_without_expression = Text("ExpressionAttributeValues can only be specified when using expressions", 72)
# Verified.
names_empty = Text("ExpressionAttributeNames must not be empty", 73)
# Verified.
values_empty = Text("ExpressionAttributeValues must not be empty", 74)
# A key that is not # and word characters. Verified.
name_key_invalid = Text('ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"', 75)
# More than 255 bytes. Source: measured against the service by users.
name_key_too_long = Text("ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; size of key: {size}")
# More than 255 bytes, without the size. Source: measured against the service by users.
value_key_too_long = Text("ExpressionAttributeValues contains invalid key: The expression attribute map contains a key that is too long;")
# A key that is not : and word characters. Verified.
value_key_invalid = Text('ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"', 76)
# A placeholder for an empty name. From emulators.
name_value_empty = Text("ExpressionAttributeNames contains invalid value: Empty attribute name for key {key}", 77)
# A placeholder for a name of more than 65,535 bytes. By analogy.
name_value_too_large = Text("ExpressionAttributeNames contains invalid value: Attribute name is too large, must be less than 65536 bytes for key {key}", 47)
# The older wording around a text about a value. Verified.
value_invalid_older = Text("ExpressionAttributeValues contains invalid value: {reason} for key {key}", 78)
# Names and values of more than 2 MB. Source: users of the downloadable version.
placeholders_too_large = Text("ExpressionAttributeValues exceeds max size")
# Verified.
names_unused = Text("Value provided in ExpressionAttributeNames unused in expressions: keys: {{{keys}}}", 79)
# Verified.
values_unused = Text("Value provided in ExpressionAttributeValues unused in expressions: keys: {{{keys}}}", 80)


# Syntax and limits

# Verified.
expression_empty = Text("The expression can not be empty;", 81)
# `near` is the source from the previous to the next token. Verified.
syntax_error = Text('Syntax error; token: "{token}", near: "{near}"', 82)
# Verified.
redundant_parentheses = Text("The expression has redundant parentheses;", 86)
# The service stops counting at 301. Verified.
too_many_operators = Text("The expression contains too many operators; operator count: {count}", 97)
# `size` in bytes. Verified.
expression_too_large = Text("Expression size has exceeded the maximum allowed size; expression size: {size}", 98)


# Paths and placeholders

# `word` as written. Verified.
reserved_keyword = Text("Attribute name is a reserved keyword; reserved keyword: {word}", 83)
# Verified.
name_undefined = Text("An expression attribute name used in the document path is not defined; attribute name: {placeholder}", 84)
# Verified.
value_undefined = Text("An expression attribute value used in expression is not defined; attribute value: {placeholder}", 85)
# A document path of more than 32 elements. Verified.
path_too_deep = Text("The document path has too many nesting levels; nesting levels: {levels}", 102)
# An index above 4,294,967,294. Source: measured by users, September 2026.
list_index_too_large = Text("List index is not within the allowable range; index: [{index}]")
# One path leads through the other. Verified.
paths_overlap = Text("Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {one}, path two: {two}", 99)
# Paths that need a map and a list in one place. Verified.
paths_conflict = Text("Two document paths conflict with each other; must remove or rewrite one of these paths; path one: {one}, path two: {two}", 100)


# Functions and operators

# Names of functions are case-sensitive. Verified.
function_unknown = Text("Invalid function name; function: {name}", 87)
# If_not_exists or list_append in a condition. Source: measured by users.
function_not_for_conditions = Text("The function is not allowed in a condition expression; function: {name}")
# A condition where an operand is expected, or the reverse. Verified.
function_misplaced = Text("The function is not allowed to be used this way in an expression; function: {name}", 93)
# Verified.
operand_count = Text("Incorrect number of operands for operator or function; operator or function: {operator}, number of operands: {count}", 88)
# More than 100 operands of IN. The downloadable version.
too_many_members = Text("The IN operator is provided with too many operands; number of operands: {count}", 88)
# `kind` is a type's code, or a list of them in braces. Verified.
operand_type = Text("Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}", 89)
# Verified.
operand_not_path = Text("Operator or function requires a document path; operator or function: {operator}", 91)
# The same path as both operands. Verified.
operands_not_distinct = Text("The first operand must be distinct from the remaining operands for this operator or function; operator: {operator}, first operand: {path}", 92)
# Bounds as `{N:1}`. Verified.
bounds_of_types = Text("The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}", 94)
# Bounds as `{N:1}`. Verified.
bounds_reversed = Text("The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}", 95)
# The second operand of attribute_type. Verified.
type_name_unknown = Text("Invalid attribute type name found; type: {name}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}", 96)
# In PartiQL. The order: measured by users, September 2026.
type_name_unknown_in_statement = Text("Invalid attribute type name found; type: {name}, valid types: {{N,BS,L,B,NULL,M,S,SS,NS,BOOL}}", 96)


# Key conditions

# Verified.
key_conditioned_twice = Text("KeyConditionExpressions must only contain one condition per key", 114)
# OR, NOT, IN, <> or a function other than begins_with. Verified.
key_operator = Text("Invalid operator used in KeyConditionExpression: {operator}", 116)
# Size() as an operand. Verified.
key_condition_nested = Text("KeyConditionExpressions cannot contain nested operations", 117)
# Verified.
key_path_nested = Text("KeyConditionExpressions cannot have conditions on nested attributes", 118)
# BETWEEN or begins_with with a value as first operand. Verified.
key_operand_not_first = Text("Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute as its first operand", 119)
# A condition of values without a key. Verified.
key_attribute_missing = Text("Invalid condition in KeyConditionExpression: No key attribute specified", 119)
# Verified.
key_attributes_many = Text("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition", 119)


# Checks

# SET, REMOVE, ADD or DELETE used twice. Verified.
section_repeated = Text('The "{section}" section can only be used once in an update expression;', 101)
# Without the size, unlike other expressions. Verified.
update_too_large = Text("Expression size has exceeded the maximum allowed size;", 98)
# A condition's function in an update expression. Source: measured by users.
function_not_for_updates = Text("The function is not allowed in an update expression; function: {name}")
# ADD or DELETE with a value that it does not take; `kind` is a name as STRING. The type set is that
# of ADD for DELETE, too, and is reported in transactions. Measured by users, September 2026.
addend_type = Text("Incorrect operand type for operator or function; operator: {section}, operand type: {kind}, typeSet: ALLOWED_FOR_ADD_OPERAND", 90)


# Application

# A parent that is missing or of another kind. Verified.
path_invalid = Text("The document path provided in the update expression is invalid for update", 105)
# The expression reads an attribute that the item lacks. Verified.
attribute_missing = Text("The provided expression refers to an attribute that does not exist in the item", 106)
# A stored value of a type that the operation cannot use. Verified.
operand_type_stored = Text("An operand in the update expression has an incorrect data type", 107)
# A stored value of a wrong type for ADD or DELETE. Verified.
type_mismatch = Text("Type mismatch for attribute to update", 108)


# Expected

# Verified.
value_and_list = Text(INVALID + "Value and AttributeValueList cannot be used together for Attribute: {attribute}", 210)
# Verified.
exists_and_operator = Text(INVALID + "Exists and ComparisonOperator cannot be used together for Attribute: {attribute}", 211)
# Neither Value nor AttributeValueList. Verified.
operator_without_values = Text(INVALID + "Value or AttributeValueList must be used with ComparisonOperator: {operator} for Attribute: {attribute}", 212)
# Verified.
list_without_operator = Text(INVALID + "AttributeValueList can only be used with a ComparisonOperator for Attribute: {attribute}", 213)
# Exists true, and no Value. Verified.
exists_without_value = Text(INVALID + "Value must be provided when Exists is true for Attribute: {attribute}", 214)
# An empty entry. Verified.
nothing_expected = Text(INVALID + "Value must be provided when Exists is null for Attribute: {attribute}", 214)
# A Value for an attribute that must not exist. Verified.
value_of_nothing = Text(INVALID + "Value cannot be used when Exists is false for Attribute: {attribute}", 215)


# Comparison operators and their arguments

# Verified.
argument_count = Text(INVALID + "Invalid number of argument(s) for the {operator} ComparisonOperator", 216)
# Verified.
argument_types_differ = Text(INVALID + "AttributeValues inside AttributeValueList must be of same type", 217)
# Verified.
range_reversed = Text("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound", 218)
# `kind` is a type's code. Verified.
argument_type = Text(INVALID + "ComparisonOperator {operator} is not valid for {kind} AttributeValue type", 219)


# AttributeUpdates

# Verified.
action_without_value = Text(INVALID + "Only DELETE action is allowed when no attribute value is specified", 220)
# DELETE with a value is for sets only. Verified.
delete_type = Text(INVALID + "DELETE action with value is not supported for the type {kind}", 221)
# ADD is for numbers, sets and lists. Verified.
add_type = Text(INVALID + "ADD action is not supported for the type {kind}", 222)


# KeyConditions

# Verified.
key_condition_count = Text("Conditions can be of length 1 or 2 only", 223)
# NE, IN, NULL and the like on a key attribute. Verified.
operator_not_indexable = Text("Attempted conditional constraint is not an indexable operation", 224)


# QueryFilter, AttributesToGet, ConditionalOperator

# A key attribute in a QueryFilter. Verified.
filter_on_key = Text("QueryFilter can only contain non-primary key attributes: Primary key attribute: {name}", 121)
# Verified.
attribute_named_twice = Text(INVALID + "Duplicate value in attribute name: {name}", 225)
# ConditionalOperator with one condition. Verified.
operator_of_one_condition = Text("ConditionalOperator can only be used when Filter or Expected has two or more elements", 226)
# ConditionalOperator without conditions. Public tests that were run against the service.
operator_of_no_condition = Text("ConditionalOperator cannot be used without Filter or Expected", 227)
# QueryFilter or ScanFilter: a limit of our own, as high as that of expressions.
too_many_conditions = Text("hashrange does not support filters of more than {most} conditions")
# ScanFilter: a limit of our own on the arguments of all conditions.
too_many_arguments = Text("hashrange does not support filters with more than {most} arguments")
