"""Texts of statements that can be read: tables, keys, order, pages, several statements."""


# Tables, indexes and keys


def path_component_empty() -> str:
    """An empty name of a table or index. Catalogue 251, verified."""
    return "Path component cannot be an empty string"


def source_too_long() -> str:
    """More than a table and an index. Catalogue 252, verified."""
    return "A path may contain at most 2 components in the FROM clause"


def insert_into_index() -> str:
    """Source: measured by users, August 2026."""
    return "FROM clause may only contain a single table name in data manipulation statements"


def not_on_index() -> str:
    """UPDATE or DELETE of an index. Source: public tests that pass on the service."""
    return "This operation is not supported on an index"


def no_such_index() -> str:
    """Without its name, unlike a Query. Catalogue 253, verified."""
    return "The table does not have the specified index"


def consistent_global_index() -> str:
    """Catalogue 254, verified."""
    return "Strongly consistent read is not supported on Global Secondary Indexes"


def several_key_attributes() -> str:
    """A global index with a key of several attributes. Catalogue 257, verified."""
    return (
        "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
        "multi-attribute RANGE keys."
    )


def key_equality_missing() -> str:
    """A write that names no item. Catalogue 249, verified."""
    return "Where clause does not contain a mandatory equality on all key attributes"


def key_compared_twice(name: str) -> str:
    """A write that names two values of a key. Source: measured by users, September 2026."""
    return (
        f"Multiple conditions on same key {name}. "
        "Only single item Update/Insert/Delete are supported"
    )


def key_kind(name: str) -> str:
    """A key compared with another type. Source: measured by users, September 2026."""
    return f"Key attribute's data type should match its data type in table's schema: Key {name}"


def key_not_scalar(name: str, kind: str) -> str:
    """A key compared with what is no scalar. Source: measured by users, September 2026."""
    return f"Key value must be of type S, N, or B. Key name: {name}, Key type: {kind}"


def overlapping_ranges() -> str:
    """Two alternatives that can hold for one item. Catalogue 250, verified."""
    return "Overlapping conditions with range keys are not supported in where clause"


def too_many_reads() -> str:
    """More than 50 alternatives. Source: measured by users, September 2026."""
    return "Too many decomposed read operations for a given query."


# ORDER BY


def order_without_where() -> str:
    """Catalogue 274, measured by users in September 2026."""
    return "Must have WHERE clause in the statement when using ORDER BY clause."


def order_not_by_key(name: str) -> str:
    """ORDER BY another attribute. Source: measured by users, September 2026."""
    return f"Attribute {name} in ORDER BY clause must be part of the primary key"


def order_without_partition() -> str:
    """ORDER BY in a scan. Source: measured by users, September 2026."""
    return (
        "Must have at least one non-optional hash key condition in WHERE clause when using "
        "ORDER BY clause."
    )


def order_of_partitions() -> str:
    """ORDER BY the sort key of several partitions. Source: measured by users, September 2026."""
    return (
        "Must have hash key in ORDER BY clause when more than one hash key condition specified "
        "in WHERE clause."
    )


# RETURNING, pages


def returning_of_delete(returning: str) -> str:
    """Catalogue 258, verified."""
    return (
        f"Invalid returning clause: RETURNING {returning} *. "
        "Only RETURNING ALL OLD * is allowed in DELETE statements."
    )


def returning_of_insert() -> str:
    """Source: the downloadable version."""
    return "RETURNING is not supported in INSERT"


def next_token_of_another() -> str:
    """Another statement, or other parameters. Catalogue 266, verified."""
    return "NextToken does not match request"


def next_token_invalid() -> str:
    """Catalogue 267, verified."""
    return "Invalid NextToken"


def next_token_expired() -> str:
    """A token that is older than an hour. Source: quoted by users, read in November 2026."""
    return "Given NextToken has already expired"


def next_token_of_write() -> str:
    """Catalogue 268, from emulators."""
    return "NextToken is only valid on a SELECT statement"


def item_exists() -> str:
    """DuplicateItemException. Catalogue 269 and 286, verified."""
    return "Duplicate primary key exists in table"


# Several statements


def in_transaction(position: int, reason: str) -> str:
    """Before what is wrong with one statement of a transaction. Catalogue 259 to 262, verified."""
    return f"Validation failed in TransactStatements[{position}]: {reason}"


def returning_in_transaction() -> str:
    """Catalogue 259, verified."""
    return "RETURNING clause is not supported in ExecuteTransaction."


def index_in_transaction() -> str:
    """Catalogue 260, verified."""
    return "Reads on indices are not supported within transactions."


def transaction_select_without_key() -> str:
    """Catalogue 261, verified."""
    return (
        "Select statements within ExecuteTransaction must specify the primary key in the where "
        "clause."
    )


def exists_without_condition() -> str:
    """Catalogue 262, verified."""
    return "EXISTS() must contain a single item read with additional condition"


def exists_alone() -> str:
    """EXISTS outside of a transaction, in a batch too. Source: measured by users, 2026."""
    return "EXISTS can only be used in ExecuteTransaction write requests."


def transaction_mixes() -> str:
    """Catalogue 263, verified."""
    return (
        "ExecuteTransaction API does not support both read and write operations in the same "
        "request."
    )


def batch_select_without_key() -> str:
    """Catalogue 264, verified."""
    return (
        "Select statements within BatchExecuteStatement must specify the primary key in the "
        "where clause."
    )


def batch_mixes() -> str:
    """Catalogue 265, verified."""
    return "Read and write requests together in the same batch is not supported."
