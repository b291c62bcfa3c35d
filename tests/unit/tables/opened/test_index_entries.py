"""Entries of indexes, and which tables write them: a contributor is there only if it has work."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.log import Actor
from hashrange.model.replication import Replica, Replication
from hashrange.model.sizes import item_bytes
from hashrange.model.table import Index, KeyAttribute
from hashrange.tables.items.images import ItemChanges, check, image_of, item_of, stored
from hashrange.tables.items.item_changes import ItemChange, WriteTerms
from hashrange.tables.keys import keyspace
from hashrange.tables.log.shards import with_stream
from hashrange.tables.opened.index_entries import IndexEntries
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.tables.definitions import NOON_MS, definition
from tests.unit.tables.key_values import key_values

KEY = {"S": "key"}
INDEX = Index(name="index", number=1, partition=(KeyAttribute("a", "S"),), projection="KEYS_ONLY")
EXPIRY = Index(name="", number=2, partition=(), sort=(KeyAttribute("t", "N"),), projection="ALL")
OTHER = Replica(region="eu-west-1", state="ACTIVE")
GROUP = Replication(regions=("us-east-1", "eu-west-1"), replicas=(OTHER,))
DELETING = msgspec.structs.replace(INDEX, state="DELETING")


def index_by(partition_type, sort_type):
    return msgspec.structs.replace(
        INDEX, partition=(KeyAttribute("a", partition_type),), sort=(KeyAttribute("b", sort_type),)
    )


@given(key_values, key_values, st.sampled_from("SNB"), st.sampled_from("SNB"))
def test_an_item_with_valid_keys_has_an_entry(partition, sort, partition_type, sort_type):
    entries = IndexEntries(definition(), index_by(partition_type, sort_type))
    key = entries.key({"pk": KEY, "a": partition, "b": sort})
    is_filled = {"S": ""} not in (partition, sort) and {"B": ""} not in (partition, sort)
    if partition_type in partition and sort_type in sort and is_filled:
        prefix = keyspace.index_partition_prefix(1, 1, (partition,), (sort,))
        assert key == keyspace.index_entry_key(prefix, (KEY,))
    else:
        assert key is None


@pytest.mark.parametrize("kind", "SB")
def test_longer_keys_have_no_entry(kind):
    def of(size_bytes):
        return {kind: "x" * size_bytes if kind == "S" else base64_of(size_bytes)}

    entries = IndexEntries(definition(), index_by(kind, kind))
    most, sort_most = PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
    assert entries.prefix({"a": of(most), "b": of(sort_most)}) is not None
    assert entries.prefix({"a": of(most + 1), "b": of(sort_most)}) is None
    assert entries.prefix({"a": of(most), "b": of(sort_most + 1)}) is None


def base64_of(size_bytes):
    whole, left = divmod(size_bytes, 3)
    return "AAAA" * whole + {0: "", 1: "AA==", 2: "AAA="}[left]


@pytest.mark.parametrize(
    ("table", "count"),
    [
        (definition(), 0),
        (definition(indexes=(DELETING,)), 0),
        (definition(indexes=(INDEX,)), 1),
        (definition(expiry=EXPIRY), 1),
        (with_stream(definition(), "KEYS_ONLY", 1, NOON_MS), 1),
        (definition(replication=GROUP), 1),
        (definition(counts_collections=True, indexes=(INDEX,)), 2),
        (with_stream(definition(indexes=(INDEX,), replication=GROUP), "KEYS_ONLY", 1, NOON_MS), 3),
    ],
)
def test_a_table_has_the_contributors_that_it_needs(table, count):
    opened = OpenTable(table, {})
    assert len(opened.contributors) == count
    assert opened.is_plain is (count == 0)


def contributed(index, before, after, *, absent=frozenset()):
    """The changes of the entries of an index by a change of an item."""
    table = definition(indexes=(index,))
    images = [
        None if item is None else image_of(item, item_bytes(item)) for item in (before, after)
    ]
    terms = WriteTerms(absent=absent)
    change = ItemChange(b"k", *images, 1, 0, Actor.CALLER, ItemChanges(), terms)
    if images[1] is not None:
        change.changes.puts[b"k"] = stored(images[1], b"k", 1)
    for contribute in OpenTable(table, {}).contributors:
        contribute(change)
    entries = change.changes.puts.keys() - {b"k"}
    return change, {key: item_of(change.changes.puts[key]) for key in entries}


ITEM = {"pk": KEY, "a": {"S": "x"}, "n": {"N": "1"}}
CHANGED = ITEM | {"n": {"N": "2"}}
INCLUDING = msgspec.structs.replace(INDEX, projection="INCLUDE", non_key=("n",))
ALL = msgspec.structs.replace(INDEX, projection="ALL")


# `hashrange verify` compares entries with items byte by byte, so the order of attributes counts.
@pytest.mark.parametrize(
    ("index", "after", "entry"),
    [
        (INDEX, CHANGED, None),
        (INDEX, {"a": {"S": "x"}, "pk": KEY}, ["a", "pk"]),
        (INDEX, ITEM | {"a": {"S": "y"}}, ["pk", "a"]),
        (INCLUDING, ITEM | {"m": {"N": "1"}}, None),
        (INCLUDING, CHANGED, ["pk", "a", "n"]),
        (ALL, CHANGED, ["pk", "a", "n"]),
        (ALL, {"pk": KEY}, None),
    ],
)
def test_an_entry_is_written_if_it_changes(index, after, entry):
    change, entries = contributed(index, ITEM, after)
    assert [list(each) for each in entries.values()] == ([] if entry is None else [entry])
    assert len(change.changes.deletes) == (after.get("a") != ITEM["a"])
    for key in entries:  # its checksum is right
        check(key, change.changes.puts[key])


@pytest.mark.parametrize("index", [INDEX, INCLUDING, ALL])
def test_an_entry_that_is_not_built_yet_is_written_by_any_change(index):
    key = IndexEntries(definition(indexes=(index,)), index).key(ITEM)
    change, entries = contributed(index, ITEM, CHANGED, absent=frozenset([key]))
    assert list(entries) == [key]
    assert change.changes.adds[keyspace.item_count_key(definition().number, 1)] == 1


# A put is charged for an entry only if the item differs; the order of attributes is no difference.
def test_the_order_of_attributes_costs_no_units():
    change, entries = contributed(ALL, ITEM, dict(reversed(ITEM.items())))
    assert (len(entries), change.units, change.is_change()) == (1, {}, False)
    change, entries = contributed(ALL, ITEM, CHANGED)
    assert (len(entries), change.units, change.is_change()) == (1, {"index": 1.0}, True)
