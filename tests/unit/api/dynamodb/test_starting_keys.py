"""Starting keys: what is a key of the table, and where it may lie."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.items.key_ranges import key_range
from hashrange.errors import DynamoError, Fault
from hashrange.expressions.program import KeyClause
from hashrange.model.table import KeyAttribute
from hashrange.tables.keys.key_ranges import sort_range
from hashrange.tables.keys.keyspace import item_key, partition_prefix, partition_range
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import KeyRange
from tests.unit.tables.definitions import definition
from tests.unit.tables.key_values import binary_values, comparable, number_values, string_values

OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"
OFF_RANGE = "The provided starting key does not match the range key predicate"
ONE_ROW = "The query can return at most one row and cannot be restarted"
K = {"S": "k"}


def access_path_of(partition="S", sort=None):
    keys = {"partition": KeyAttribute("pk", partition)}
    if sort:
        keys["sort"] = KeyAttribute("sk", sort)
    return AccessPath(OpenTable(definition(**keys), {}))


def refused(call, *arguments, **more):
    with pytest.raises(DynamoError) as error:
        call(*arguments, **more)
    assert error.value.fault is Fault.VALIDATION
    return error.value.message


def queried(access_path, start, *, partition=K, sort=None, reverse=False):
    """The range of a query for a partition that begins after a key."""
    clauses = [KeyClause("pk", "=", (partition,))] + ([sort] if sort else [])
    return key_range(access_path, clauses, start, reverse=reverse)


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
