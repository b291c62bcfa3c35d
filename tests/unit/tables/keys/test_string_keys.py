"""Keys of items whose partition key is a string, compared with those of all items."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.table import KeyAttribute
from hashrange.tables.keys.keyspace import item_key, items_range
from hashrange.tables.keys.string_keys import string_key
from tests.unit.tables.key_values import binary_values, key_values, number_values, string_values

PARTITION = KeyAttribute("pk", "S")
LONGEST = {"S": "é" * (PARTITION_KEY_BYTES_MAX // 2)}
LONGEST_SORT = {"S": "é" * (SORT_KEY_BYTES_MAX // 2)}
TOO_LONG = [{"S": LONGEST["S"] + "a"}, {"S": LONGEST_SORT["S"] + "a"}]


def is_filled(value):
    return value != {"S": ""}


def key_function(*sort_types, partition_type="S", is_alone=False):
    """The function of a table; one without keys if there is none."""
    partition = PARTITION if partition_type == "S" else KeyAttribute("pk", partition_type)
    sort = [KeyAttribute("sk", kind) for kind in sort_types]
    found = string_key(items_range(3)[0], [partition], sort, is_alone=is_alone)
    return (lambda _: None) if found is None else found


@given(string_values.filter(is_filled))
@example(LONGEST)
def test_a_string(partition):
    key = key_function()
    assert key({"pk": partition, "a": {"S": "x"}}) == item_key(3, partition, None)


@given(string_values.filter(is_filled), st.one_of(string_values.filter(is_filled), number_values))
@example(LONGEST, LONGEST_SORT)
def test_a_string_and_a_sort_key(partition, sort):
    ((kind, _),) = sort.items()
    key = key_function(kind)
    assert key({"sk": sort, "pk": partition}) == item_key(3, partition, sort)


@given(string_values.filter(is_filled), st.one_of(string_values.filter(is_filled), number_values))
def test_a_key_alone_has_no_further_attributes(partition, sort):
    ((kind, _),) = sort.items()
    key = key_function(kind, is_alone=True)
    item = {"sk": sort, "pk": partition}
    assert key(item) == item_key(3, partition, sort)
    assert key({**item, "a": sort}) is None
    assert key_function(is_alone=True)(item) is None


# Of other types, and of wrong types.
@given(key_values, key_values, st.sampled_from("SNB"), st.sampled_from("SNB"))
def test_no_other_key_is_computed(partition, sort, partition_type, sort_type):
    key = key_function(sort_type, partition_type=partition_type)
    found = key({"pk": partition, "sk": sort})
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
    assert key_function("S")(item) is None


@given(string_values, binary_values)
def test_tables_with_a_binary_sort_key(partition, sort):
    item = {"pk": partition, "sk": sort}
    assert key_function("B")(item) is None


def test_there_are_no_keys_of_several_attributes():
    several = [PARTITION, KeyAttribute("sk", "S")]
    assert string_key(b"start", several, []) is None
    assert string_key(b"start", [PARTITION], several) is None
    assert string_key(b"start", [], several) is None
