"""Starting keys: what is a key of the table, and where it may lie."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.items.key_ranges import key_range
from hashrange.api.dynamodb.items.starting_keys import canonical_starting_key, scan_starting_key
from hashrange.errors import DynamoError, Fault
from hashrange.expressions.program import KeyClause
from hashrange.model.table import KeyAttribute
from hashrange.model.wording import Wording
from hashrange.tables.keys.key_ranges import sort_range
from hashrange.tables.keys.keyspace import item_key, partition_prefix, partition_range
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import KeyRange
from tests.rows import rows
from tests.unit.tables.definitions import definition
from tests.unit.tables.key_values import (
    binary_values,
    comparable,
    number_values,
    string_values,
)

INVALID = "The provided starting key is invalid"
SCHEMA = "The provided key element does not match the schema"
OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"
OFF_RANGE = "The provided starting key does not match the range key predicate"
NO_SORT_KEY = (
    "The provided exclusive start key is invalid: ExclusiveStartKey: {pk=AttributeValue: {S:k}}"
)
ONE_ROW = "The query can return at most one row and cannot be restarted"
NO_TYPE = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
K, N = {"S": "k"}, {"N": "1"}


def access_path_of(partition="S", sort=None):
    keys = {"partition": KeyAttribute("pk", partition)}
    if sort:
        keys["sort"] = KeyAttribute("sk", sort)
    return AccessPath(OpenTable(definition(**keys), {}))


SIMPLE, COMPOSITE = access_path_of(), access_path_of(sort="S")


def refused(call, *arguments, **more):
    with pytest.raises(DynamoError) as error:
        call(*arguments, **more)
    assert error.value.fault is Fault.VALIDATION
    return error.value.message


def queried(access_path, start, *, partition=K, sort=None, reverse=False):
    """The range of a query for a partition that begins after a key."""
    clauses = [KeyClause("pk", "=", (partition,))] + ([sort] if sort else [])
    return key_range(access_path, clauses, start, reverse=reverse)


def test_no_key():
    assert canonical_starting_key(None, Wording.CURRENT) is None


# Equal numbers are equal keys, so 1.0 goes on where 1 does.
@pytest.mark.parametrize("wording", Wording)
def test_key_becomes_canonical(wording):
    key = {"pk": {"N": "01.50"}, "sk": {"S": "a"}}
    assert canonical_starting_key(key, wording) == {"pk": {"N": "1.5"}, "sk": {"S": "a"}}


# Whose value it is, the older layer says of all but numbers; the current one does not.
@pytest.mark.parametrize(
    ("value", "text", "prefix"),
    [
        ({}, NO_TYPE, f"{INVALID}: "),
        ({"N": "x"}, "The parameter cannot be converted to a numeric value: x", ""),
    ],
)
def test_bad_value_in_both_wordings(value, text, prefix):
    assert refused(canonical_starting_key, {"pk": value}, Wording.CURRENT) == text
    assert refused(canonical_starting_key, {"pk": value}, Wording.OLDER) == f"{prefix}{text}"


# What could not be decoded is no fault of the starting key.
@pytest.mark.parametrize("wording", Wording)
def test_bad_base64_is_told_as_it_is(wording):
    with pytest.raises(DynamoError) as error:
        canonical_starting_key({"pk": {"B": "abc"}}, wording)
    assert error.value.fault is Fault.SERIALIZATION
    assert INVALID not in error.value.message


def test_scan_begins_at_a_key():
    assert scan_starting_key(SIMPLE, {"pk": K}) == item_key(1, K, None)
    assert scan_starting_key(COMPOSITE, {"sk": K, "pk": K}) == item_key(1, K, K)


@pytest.mark.parametrize(
    ("access_path", "key"),
    [
        (SIMPLE, {}),
        (SIMPLE, {"pk": N}),
        (SIMPLE, {"a": K}),
        (SIMPLE, {"pk": K, "a": K}),
        (COMPOSITE, {"pk": K}),
        (COMPOSITE, {"pk": K, "sk": N}),
    ],
)
def test_scan_of_another_schema(access_path, key):
    assert refused(scan_starting_key, access_path, key) == f"{INVALID}: {SCHEMA}"


# Another number of attributes, or other ones; then another type.
@rows(
    ("access_path", "key", "text"),
    [
        (SIMPLE, {}, INVALID),
        (SIMPLE, {"a": K}, INVALID),
        (SIMPLE, {"pk": N, "a": K}, INVALID),
        (SIMPLE, {"pk": N}, INVALID),
        (COMPOSITE, {"pk": K}, INVALID),
        (COMPOSITE, {"sk": K, "a": K}, INVALID),
        (COMPOSITE, {"pk": N, "a": K}, INVALID),
        (COMPOSITE, {"pk": K, "a": K}, INVALID),
        (COMPOSITE, {"pk": K, "sk": N}, INVALID),
    ],
)
def test_query_of_another_schema(access_path, key, text):
    assert refused(queried, access_path, key) == text


# A table without sort key has one row in a partition: there is nothing to go on with.
@pytest.mark.parametrize(("key", "text"), [(K, NO_SORT_KEY), ({"S": "other"}, OUTSIDE)])
def test_single_row(key, text):
    assert refused(queried, SIMPLE, {"pk": key}) == text


OPERATORS = {
    "=": lambda key, low, high: key == low,
    "<": lambda key, low, high: key < low,
    "<=": lambda key, low, high: key <= low,
    ">": lambda key, low, high: key > low,
    ">=": lambda key, low, high: key >= low,
    "BETWEEN": lambda key, low, high: low <= key <= high,
    "begins_with": lambda key, low, high: key.startswith(low),
}
partitions = st.sampled_from([K, {"S": "kk"}, {"S": "\U0010ffff"}])


def not_empty(value):
    """No key is empty."""
    return comparable(value) not in {"", b""}


VALUES = {
    "S": string_values.filter(not_empty),
    "N": number_values,
    "B": binary_values.filter(not_empty),
}
conditions = st.tuples(st.sampled_from(sorted(OPERATORS)), st.sampled_from("SNB")).filter(
    lambda condition: condition != ("begins_with", "N")
)


# A key may go on if an item of it would be selected; otherwise the sort key decides what is told.
@given(partitions, conditions, st.booleans(), st.data())
def test_where_a_key_may_lie(partition, condition, reverse, data):
    operator, kind = condition
    sort = data.draw(VALUES[kind])
    bounds = st.lists(VALUES[kind] | st.just(sort), min_size=2, max_size=2)
    low, high = sorted(data.draw(bounds), key=comparable)
    operands = (low, high) if operator == "BETWEEN" else (low,)
    start, end = sort_range(partition_prefix(1, K), operator, operands)

    access_path, key = access_path_of(sort=kind), {"pk": partition, "sk": sort}
    query = {"sort": KeyClause("sk", operator, operands), "reverse": reverse}
    if not OPERATORS[operator](comparable(sort), comparable(low), comparable(high)):
        assert refused(queried, access_path, key, **query) == OFF_RANGE
    elif partition != K or operator == "=":
        assert refused(queried, access_path, key, **query) == ONE_ROW
    else:
        found = item_key(1, partition, sort)
        left = (start, found) if reverse else (found + b"\x00", end)
        assert queried(access_path, key, **query) == KeyRange(*left, reverse)


# Without a condition on the sort key, the partition alone decides.
@given(partitions, st.sampled_from("SNB"), st.booleans(), st.data())
def test_where_a_key_may_lie_in_a_partition(partition, kind, reverse, data):
    sort = data.draw(VALUES[kind])
    access_path, key = access_path_of(sort=kind), {"pk": partition, "sk": sort}
    if partition != K:
        assert refused(queried, access_path, key, reverse=reverse) == OUTSIDE
        return
    prefix, found = partition_prefix(1, K), item_key(1, K, sort)
    left = (prefix, found) if reverse else (found + b"\x00", partition_range(prefix)[1])
    assert queried(access_path, key, reverse=reverse) == KeyRange(*left, reverse)
