"""Texts of statements as they are read: syntax, and what in it is not supported."""

from hashrange.messages.items.values import INVALID
from hashrange.messages.text import Text

_NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "

# A statement that cannot be read

# Before every fault of syntax; nothing follows unreadable text. Verified.
not_well_formed = Text(_NOT_WELL_FORMED, 239)
# Something follows a complete statement. Verified.
unexpected_token = Text(_NOT_WELL_FORMED + "Unexpected token after expression", 230)
# No value, path or function where one must begin. Verified.
unexpected_term = Text(_NOT_WELL_FORMED + "Unexpected term", 231)
# A statement that ends after an operator. Verified.
missing_right_side = Text(_NOT_WELL_FORMED + "Missing right-hand side expression of infix operator", 232)
# A keyword where a term must begin. Verified.
unexpected_keyword = Text(_NOT_WELL_FORMED + "Unexpected keyword", 233)
# An operator where a term must begin. Verified.
unexpected_operator = Text(_NOT_WELL_FORMED + "Unexpected operator", 234)
# IS without the name of a type. Verified.
expected_type_name = Text(_NOT_WELL_FORMED + "Expected type name", 235)
# No table or target of an assignment. Verified of DELETE FROM.
expected_simple_path = Text(_NOT_WELL_FORMED + "Expected identifier for simple path", 236)
# A keyword after a dot. Verified.
invalid_dot_component = Text(_NOT_WELL_FORMED + "Invalid path dot component", 237)
# FROM without what to do. Verified.
expected_manipulation = Text(_NOT_WELL_FORMED + "Expected data manipulation", 238)


# The service's texts above are those of the reference implementation of PartiQL, and so are these.

# A bracket that is not closed, a member without its colon. One of them as users met it.
expected_token = Text(_NOT_WELL_FORMED + "Expected {name}")
# BETWEEN without AND. Source: the reference implementation of PartiQL.
expected_keyword = Text(_NOT_WELL_FORMED + "Expected {word} keyword")
# BETWEEN that ends after AND. Source: the reference implementation of PartiQL.
expected_upper_bound = Text(_NOT_WELL_FORMED + "Expected expression after AND")
# SELECT without FROM. Source: the reference implementation of PartiQL.
expected_from_of_select = Text(_NOT_WELL_FORMED + "Expected FROM after SELECT list")
# DELETE without FROM. Source: the reference implementation of PartiQL.
expected_from_of_delete = Text(_NOT_WELL_FORMED + "Expected FROM after DELETE")
# A target of SET without its value. Source: the reference implementation of PartiQL.
expected_assignment = Text(_NOT_WELL_FORMED + "Expected '='")
# RETURNING of something else. Source: the reference implementation of PartiQL.
expected_returning = Text(_NOT_WELL_FORMED + "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.")
# AS, AT or BY without a name. Source: the reference implementation of PartiQL.
expected_alias = Text(_NOT_WELL_FORMED + "Expected identifier for {word}-alias")


def expected_row() -> str:
    """VALUES without parentheses. Source: the reference implementation of PartiQL."""
    return expected_token("LEFT_PAREN for row value constructor")


# A second statement. Source: the reference implementation of PartiQL.
token_after_semicolon = Text(_NOT_WELL_FORMED + "Unexpected token after semicolon. (Only one query is allowed.)")
# `*` and columns. Source: the reference implementation of PartiQL.
columns_beside_star = Text(_NOT_WELL_FORMED + "Other expressions may not be present in the select list when '*' is used without dot notation.")
# `a.*` as a target or a table. Source: the reference implementation of PartiQL.
unpivot_of_target = Text(_NOT_WELL_FORMED + "Invalid path dot component for simple path")
# `*` as the argument of a function. Source: the reference implementation of PartiQL.
star_argument = Text(_NOT_WELL_FORMED + "{function}(*) is not allowed")
# SUM of two arguments, COUNT of none. Source: the reference implementation of PartiQL.
aggregate_not_unary = Text(_NOT_WELL_FORMED + "Aggregate functions are always unary")


# What can be read, and is not supported

# Another name for a table or a column. Verified.
aliasing = Text("Aliasing is not supported", 240)
# A bare expression, by the name of its node. Verified of IsType.
unsupported_operation = Text("Unsupported operation: {name}", 241)
# A function that there is not, or not there. Verified.
unrecognized_function = Text("Unrecognized function: {name} at {place}", 242)
# A column that is no path. Verified.
unexpected_path_component = Text("Unexpected path component at {place}", 243)
# Something in a literal that is no literal. Verified.
unsupported_data_type = Text("Unsupported data type: {name} under key {key} at {place}", 244)
# A set without members. Verified.
empty_bag = Text("Empty bags are not supported", 245)
# A set of something else, or of both. Source: the downloadable version.
bag_members = Text("Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags")
# Equal numbers in a set literal, as written. Source: measured by users, September 2026.
number_bag_repeats = Text(INVALID + "Input collection [{members}] contains duplicates! under root")
# A set function on another path than the one assigned to. Verified.
first_argument_not_target = Text("The first argument to {function} must equal the assignment value at {place}", 246)
# The place is that of the first argument. Verified.
second_argument_no_set = Text("The second argument to {function} must be a value with type SET at {place}", 247)
# A set function with one argument, or three. Verified.
argument_count = Text("{function} must have exactly two arguments at {place}", 248)
# GROUP BY, LIMIT and others. Not verified.
unsupported_clause = Text("Unsupported clause: {name}", 275)
# What is no condition. Not verified.
unsupported_token = Text("Unsupported token in expression: {name}", 275)
# IN with a list that is empty. Source: captures of the service, September 2026.
no_members = Text("IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member")
# An operator that no condition has. Source: the downloadable version.
unsupported_condition_operator = Text("Unsupported operator in Condition Expression. Operator: {operator}")
# An operator that no assignment has. Source: the downloadable version.
unsupported_update_operator = Text("Unsupported operator in Update Expression. Operator: {operator}")
# A join. Source: the downloadable version.
several_sources = Text("Only select from a single table or index is supported.")
# FROM something that is no name. Source: the downloadable version.
unexpected_source = Text("Unexpected from source")
# Two columns of one name. Source: the downloadable version.
column_repeated = Text("Duplicate identifiers in select clause: {name}")
# Two members of one name in a document. Source: the downloadable version.
key_repeated = Text("Duplicate keys in tuple. Key: {name} under {key}")
# A member whose name is no string. Source: the downloadable version.
key_not_text = Text("Tuple keys must be of type String. Actual type: {kind} under {key}")
# A negative index, or one of more than 31 bits. Source: measured by users, September 2026.
list_index = Text("List index is not within the allowable range; index: [{index}] at {place}")


def nesting_too_deep(path: str = "") -> str:
    """More than 32 levels; in a literal with their path. Source: measured by users, 2026."""
    text = "Nesting Levels have exceeded supported limits"
    return f"{text} under {path}" if path else text


# A number literal that is no number of DynamoDB's, and where. Verified.
number_in = Text("{text} under {path}", 40, 41, 42)
# More or fewer parameters than question marks. From emulators.
parameter_count = Text("Number of parameters in request and statement don't match.", 273)
