"""Keys of items whose partition key is a string, compared with those of all items."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.table import KeyAttribute
from hashrange.tables.keys.keyspace import item_key
from hashrange.tables.keys.string_keys import string_key
from tests.unit.tables.key_values import binary_values, key_values, number_values, string_values

PARTITION = KeyAttribute("pk", "S")
LONGEST = {"S": "é" * (PARTITION_KEY_BYTES_MAX // 2)}
LONGEST_SORT = {"S": "é" * (SORT_KEY_BYTES_MAX // 2)}
TOO_LONG = [{"S": LONGEST["S"] + "a"}, {"S": LONGEST_SORT["S"] + "a"}]


def is_filled(value):
    return value != {"S": ""}


@given(string_values.filter(is_filled))
@example(LONGEST)
def test_a_string(partition):
    key = string_key(3, PARTITION, None)
    assert key({"pk": partition, "a": {"S": "x"}}) == item_key(3, partition, None)


@given(string_values.filter(is_filled), st.one_of(string_values.filter(is_filled), number_values))
@example(LONGEST, LONGEST_SORT)
def test_a_string_and_a_sort_key(partition, sort):
    ((kind, _),) = sort.items()
    key = string_key(3, PARTITION, KeyAttribute("sk", kind))
    assert key({"sk": sort, "pk": partition}) == item_key(3, partition, sort)


@given(string_values.filter(is_filled), st.one_of(string_values.filter(is_filled), number_values))
def test_a_key_alone_has_no_further_attributes(partition, sort):
    ((kind, _),) = sort.items()
    key = string_key(3, PARTITION, KeyAttribute("sk", kind), is_alone=True)
    item = {"sk": sort, "pk": partition}
    assert key(item) == item_key(3, partition, sort)
    assert key({**item, "a": sort}) is None
    assert string_key(3, PARTITION, None, is_alone=True)(item) is None


# Of other types, and of wrong types.
@given(key_values, key_values, st.sampled_from("SNB"), st.sampled_from("SNB"))
def test_no_other_key_is_computed(partition, sort, partition_type, sort_type):
    found = string_key(3, KeyAttribute("pk", partition_type), KeyAttribute("sk", sort_type))(
        {"pk": partition, "sk": sort}
    )
    fits = partition_type in partition and sort_type in sort
    assert found is None or (fits and found == item_key(3, partition, sort))


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"pk": {"S": "a"}},
        {"sk": {"S": "a"}},
        {"pk": {"S": ""}, "sk": {"S": "a"}},
        {"pk": {"S": "a"}, "sk": {"S": ""}},
        {"pk": TOO_LONG[0], "sk": {"S": "a"}},
        {"pk": {"S": "a"}, "sk": TOO_LONG[1]},
    ],
)
def test_missing_empty_and_too_long_values(item):
    assert string_key(3, PARTITION, KeyAttribute("sk", "S"))(item) is None


@given(string_values, binary_values)
def test_tables_with_a_binary_sort_key(partition, sort):
    item = {"pk": partition, "sk": sort}
    assert string_key(3, PARTITION, KeyAttribute("sk", "B"))(item) is None
