"""Texts of Query and Scan. Numbers: docs/internals/messages.md."""

from hashrange.messages.text import Text

# Query without a key condition. Verified.
no_key_condition = Text("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.", 110)
# No condition on the partition key, or on neither key. Verified.
key_element_missed = Text("Query condition missed key schema element: {name}", 111)
# Partition attributes of a global index without `=`. Source: public tests that pass on AWS. How the
# service lists several names is not known.
hash_keys_without_equality = Text("HASH key attributes {names} must have equality conditions specified in the query")
# An operator that the key does not allow. Verified.
key_condition_unsupported = Text("Query key condition not supported", 112)
# A value of another type than the key. Verified.
key_condition_type = Text("One or more parameter values were invalid: Condition parameter type does not match schema type", 113)
# More conditions than the key has attributes. Verified.
too_many_key_conditions = Text("The number of query conditions ({conditions}) exceeds the number of key attributes defined in the schema ({attributes})", 115)
# A query's filter on a key attribute. Verified.
filter_on_key = Text("Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}", 121)
# A document path below a key attribute. Verified.
nested_key = Text("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: {name}", 122)
# A document path below an attribute of an index's key. Verified.
nested_index_key = Text("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: {name}", 122)
# IndexName of an index that the table does not have. Verified.
no_such_index = Text("The table does not have the specified index: {name}", 123)
# SPECIFIC_ATTRIBUTES without a projection. Verified; Query envelopes it.
select_needs_projection = Text("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES", 125)


def select_excludes_projection(projection: str, select: str) -> str:
    """A projection, by either parameter, with another Select. Catalogue 126, verified.

    Query envelopes it.

    Source of the words for COUNT: public tests that were run against the service, 2026.
    """
    selected = "only the Count" if select == "COUNT" else select
    return f"Cannot specify the {projection} when choosing to get {selected}"


# ALL_PROJECTED_ATTRIBUTES of a table. Verified; Query envelopes it.
select_needs_index = Text("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName", 127)


def starting_key_invalid(detail: str | None = None) -> str:
    """An ExclusiveStartKey that is not a key. Catalogue 131, verified.

    Scan gives the detail, and of an index both operations, if it is the table's key that is wrong.
    """
    text = "The provided starting key is invalid"
    return text if detail is None else f"{text}: {detail}"


# An ExclusiveStartKey of another partition. Verified.
starting_key_outside = Text("The provided starting key is outside query boundaries based on provided conditions", 132)
# An ExclusiveStartKey that the sort key's condition excludes. Verified.
starting_key_off_range = Text("The provided starting key does not match the range key predicate", 132)
# An ExclusiveStartKey of a table without sort key; the value as `{S:a}`. .
start_key_of_single_row = Text("The provided exclusive start key is invalid: ExclusiveStartKey: {{{name}=AttributeValue: {value}}}", 132)
# An ExclusiveStartKey of a query that can match one item at most. Verified. Also for a key of
# another partition whose sort key meets the condition.
query_cannot_restart = Text("The query can return at most one row and cannot be restarted", 132)


def wrong_segment(total: int, segment: int) -> str:
    """An ExclusiveStartKey of another segment. Catalogue 132, verified."""
    return starting_key_invalid(f"Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: {total} Segment: {segment}")


# Segment without TotalSegments. Verified.
total_segments_missing = Text("The TotalSegments parameter is required but was not present in the request when Segment parameter is present", "132a")
# TotalSegments without Segment. Verified.
segment_missing = Text("The Segment parameter is required but was not present in the request when parameter TotalSegments is present", "132a")
# A segment that does not exist. Verified.
segment_beyond = Text("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {segment} is not less than TotalSegments: {total}", "132a")
# ConsistentRead of a global index. Verified.
consistent_global_index = Text("Consistent reads are not supported on global secondary indexes", 124)
# A global index that is being built. Source: users' reports of the service.
index_is_backfilling = Text("Cannot read from backfilling global secondary index: {name}")
# A condition on a sort attribute after one without equality. Verified.
key_condition_gap = Text("RANGE key attributes {name} must have equality conditions specified in the query because a condition is present on key attribute {later}", 120)
# ALL_ATTRIBUTES of an index that does not project all. Verified.
select_all_of_global_index = Text("One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index {name} because its projection type is not ALL", 128)
# A projection of attributes that an index lacks. Verified.
global_index_lacks = Text("One or more parameter values were invalid: Global secondary index {name} does not project [{attributes}]", 129)
# A filter of a Query on attributes that an index lacks. Verified.
index_lacks_filter = Text("One or more parameter values were invalid: Secondary index {name} does not project one or more filter attributes: [{attributes}]", 130)
