"""Texts of statements that can be read: tables, keys, order, pages, several statements."""

from hashrange.messages.text import Text

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
