"""Texts of Query and Scan. Numbers: docs/messages.md."""

from collections.abc import Sequence


def no_key_condition() -> str:
    """Query without a key condition. Catalogue 110, verified."""
    return (
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
        "request."
    )


def key_element_missed(name: str) -> str:
    """No condition on the partition key, or on neither key. Catalogue 111, verified."""
    return f"Query condition missed key schema element: {name}"


def hash_keys_without_equality(names: Sequence[str]) -> str:
    """Partition attributes of a global index without `=`. Source: public tests that pass on AWS.

    How the service lists several names is not known.
    """
    return (
        f"HASH key attributes {', '.join(names)} must have equality conditions specified in the "
        "query"
    )


def key_condition_unsupported() -> str:
    """An operator that the key does not allow. Catalogue 112, verified."""
    return "Query key condition not supported"


def key_condition_type() -> str:
    """A value of another type than the key. Catalogue 113, verified."""
    return (
        "One or more parameter values were invalid: "
        "Condition parameter type does not match schema type"
    )


def too_many_key_conditions(conditions: int, attributes: int) -> str:
    """More conditions than the key has attributes. Catalogue 115, verified."""
    return (
        f"The number of query conditions ({conditions}) exceeds the number of key attributes "
        f"defined in the schema ({attributes})"
    )


def filter_on_key(name: str) -> str:
    """A query's filter on a key attribute. Catalogue 121, verified."""
    return (
        "Filter Expression can only contain non-primary key attributes: "
        f"Primary key attribute: {name}"
    )


def nested_key(name: str) -> str:
    """A document path below a key attribute. Catalogue 122, verified."""
    return (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        f"allowed: Key: {name}"
    )


def nested_index_key(name: str) -> str:
    """A document path below an attribute of an index's key. Catalogue 122, verified."""
    return (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        f"allowed: IndexKey: {name}"
    )


def no_such_index(name: str) -> str:
    """IndexName of an index that the table does not have. Catalogue 123, verified."""
    return f"The table does not have the specified index: {name}"


def select_needs_projection() -> str:
    """SPECIFIC_ATTRIBUTES without a projection. Catalogue 125, verified; Query envelopes it."""
    return (
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
        "SPECIFIC_ATTRIBUTES"
    )


def select_excludes_projection(projection: str, select: str) -> str:
    """A projection, by either parameter, with another Select. Catalogue 126, verified.

    Query envelopes it.

    Source of the words for COUNT: public tests that were run against the service, 2026.
    """
    selected = "only the Count" if select == "COUNT" else select
    return f"Cannot specify the {projection} when choosing to get {selected}"


def select_needs_index() -> str:
    """ALL_PROJECTED_ATTRIBUTES of a table. Catalogue 127, verified; Query envelopes it."""
    return "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"


def starting_key_invalid(detail: str | None = None) -> str:
    """An ExclusiveStartKey that is not a key. Catalogue 131, verified.

    Scan gives the detail, and of an index both operations, if it is the table's key that is wrong.
    """
    text = "The provided starting key is invalid"
    return text if detail is None else f"{text}: {detail}"


def starting_key_outside() -> str:
    """An ExclusiveStartKey of another partition. Catalogue 132, verified."""
    return "The provided starting key is outside query boundaries based on provided conditions"


def starting_key_off_range() -> str:
    """An ExclusiveStartKey that the sort key's condition excludes. Catalogue 132, verified."""
    return "The provided starting key does not match the range key predicate"


def start_key_of_single_row(name: str, value: str) -> str:
    """An ExclusiveStartKey of a table without sort key; the value as `{S:a}`. Catalogue 132."""
    return (
        "The provided exclusive start key is invalid: "
        f"ExclusiveStartKey: {{{name}=AttributeValue: {value}}}"
    )


def query_cannot_restart() -> str:
    """An ExclusiveStartKey of a query that can match one item at most. Catalogue 132, verified.

    Also for a key of another partition whose sort key meets the condition.
    """
    return "The query can return at most one row and cannot be restarted"


def wrong_segment(total: int, segment: int) -> str:
    """An ExclusiveStartKey of another segment. Catalogue 132, verified."""
    return starting_key_invalid(
        "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
        f"TotalSegments: {total} Segment: {segment}"
    )


def total_segments_missing() -> str:
    """Segment without TotalSegments. Catalogue 132a, verified."""
    return (
        "The TotalSegments parameter is required but was not present in the request when Segment "
        "parameter is present"
    )


def segment_missing() -> str:
    """TotalSegments without Segment. Catalogue 132a, verified."""
    return (
        "The Segment parameter is required but was not present in the request when parameter "
        "TotalSegments is present"
    )


def segment_beyond(segment: int, total: int) -> str:
    """A segment that does not exist. Catalogue 132a, verified."""
    return (
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
        f"Segment: {segment} is not less than TotalSegments: {total}"
    )


def consistent_global_index() -> str:
    """ConsistentRead of a global index. Catalogue 124, verified."""
    return "Consistent reads are not supported on global secondary indexes"


def index_is_backfilling(name: str) -> str:
    """A global index that is being built. Source: users' reports of the service."""
    return f"Cannot read from backfilling global secondary index: {name}"


def key_condition_gap(name: str, later: str) -> str:
    """A condition on a sort attribute after one without equality. Catalogue 120, verified."""
    return (
        f"RANGE key attributes {name} must have equality conditions specified in the query "
        f"because a condition is present on key attribute {later}"
    )


def select_all_of_global_index(name: str) -> str:
    """ALL_ATTRIBUTES of an index that does not project all. Catalogue 128, verified."""
    return (
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "
        f"for global secondary index {name} because its projection type is not ALL"
    )


def global_index_lacks(name: str, attributes: Sequence[str]) -> str:
    """A projection of attributes that an index lacks. Catalogue 129, verified."""
    return (
        f"One or more parameter values were invalid: Global secondary index {name} does not "
        f"project [{', '.join(attributes)}]"
    )


def index_lacks_filter(name: str, attributes: Sequence[str]) -> str:
    """A filter of a Query on attributes that an index lacks. Catalogue 130, verified."""
    return (
        f"One or more parameter values were invalid: Secondary index {name} does not project one "
        f"or more filter attributes: [{', '.join(attributes)}]"
    )
