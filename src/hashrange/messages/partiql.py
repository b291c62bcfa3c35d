"""Texts of statements of PartiQL: syntax, what in it is not supported, and carrying them out.

"The downloadable version" is DynamoDB Local, whose texts are quoted by its users.
"""

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


# Tables, indexes and keys

# An empty name of a table or index. Verified.
path_component_empty = Text("Path component cannot be an empty string", 251)
# More than a table and an index. Verified.
source_too_long = Text("A path may contain at most 2 components in the FROM clause", 252)
# Source: measured by users, August 2026.
insert_into_index = Text("FROM clause may only contain a single table name in data manipulation statements")
# UPDATE or DELETE of an index. Source: public tests that pass on the service.
not_on_index = Text("This operation is not supported on an index")
# Without its name, unlike a Query. Verified.
no_such_index = Text("The table does not have the specified index", 253)
# Verified.
consistent_global_index = Text("Strongly consistent read is not supported on Global Secondary Indexes", 254)
# A global index with a key of several attributes. Verified.
several_key_attributes = Text("PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.", 257)
# A write that names no item. Verified.
key_equality_missing = Text("Where clause does not contain a mandatory equality on all key attributes", 249)
# A write that names two values of a key. Source: measured by users, September 2026.
key_compared_twice = Text("Multiple conditions on same key {name}. Only single item Update/Insert/Delete are supported")
# A key compared with another type. Source: measured by users, September 2026.
key_kind = Text("Key attribute's data type should match its data type in table's schema: Key {name}")
# A key compared with what is no scalar. Source: measured by users, September 2026.
key_not_scalar = Text("Key value must be of type S, N, or B. Key name: {name}, Key type: {kind}")
# Two alternatives that can hold for one item. Verified.
overlapping_ranges = Text("Overlapping conditions with range keys are not supported in where clause", 250)
# More than 50 alternatives. Source: measured by users, September 2026.
too_many_reads = Text("Too many decomposed read operations for a given query.")


# ORDER BY

# Measured by users in September 2026.
order_without_where = Text("Must have WHERE clause in the statement when using ORDER BY clause.", 274)
# ORDER BY another attribute. Source: measured by users, September 2026.
order_not_by_key = Text("Attribute {name} in ORDER BY clause must be part of the primary key")
# ORDER BY in a scan. Source: measured by users, September 2026.
order_without_partition = Text("Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.")
# ORDER BY the sort key of several partitions. Source: measured by users, September 2026.
order_of_partitions = Text("Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.")


# RETURNING, pages

# Verified.
returning_of_delete = Text("Invalid returning clause: RETURNING {returning} *. Only RETURNING ALL OLD * is allowed in DELETE statements.", 258)
# Source: the downloadable version.
returning_of_insert = Text("RETURNING is not supported in INSERT")
# Another statement, or other parameters. Verified.
next_token_of_another = Text("NextToken does not match request", 266)
# Verified.
next_token_invalid = Text("Invalid NextToken", 267)
# A token that is older than an hour. Source: quoted by users, read in November 2026.
next_token_expired = Text("Given NextToken has already expired")
# From emulators.
next_token_of_write = Text("NextToken is only valid on a SELECT statement", 268)
# DuplicateItemException. Verified.
item_exists = Text("Duplicate primary key exists in table", 269, 286)


# Several statements

# Before what is wrong with one statement of a transaction. Verified.
in_transaction = Text("Validation failed in TransactStatements[{position}]: {reason}", 259, 260, 261, 262)
# Verified.
returning_in_transaction = Text("RETURNING clause is not supported in ExecuteTransaction.", 259)
# Verified.
index_in_transaction = Text("Reads on indices are not supported within transactions.", 260)
# Verified.
transaction_select_without_key = Text("Select statements within ExecuteTransaction must specify the primary key in the where clause.", 261)
# Verified.
exists_without_condition = Text("EXISTS() must contain a single item read with additional condition", 262)
# EXISTS outside of a transaction, in a batch too. Source: measured by users, 2026.
exists_alone = Text("EXISTS can only be used in ExecuteTransaction write requests.")
# Verified.
transaction_mixes = Text("ExecuteTransaction API does not support both read and write operations in the same request.", 263)
# Verified.
batch_select_without_key = Text("Select statements within BatchExecuteStatement must specify the primary key in the where clause.", 264)
# Verified.
batch_mixes = Text("Read and write requests together in the same batch is not supported.", 265)
