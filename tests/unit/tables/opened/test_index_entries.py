"""Entries of indexes, and which tables write them: a contributor is there only if it has work."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.capacity.units import write_units
from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.log import Actor
from hashrange.model.replication import Replica, Replication
from hashrange.model.sizes import item_bytes
from hashrange.model.table import Index, KeyAttribute
from hashrange.tables.items.images import ItemChanges, check, image_of, item_of, stored
from hashrange.tables.items.item_changes import ItemChange, WriteTerms
from hashrange.tables.keys import keyspace
from hashrange.tables.log.shards import with_stream
from hashrange.tables.opened.index_entries import IndexEntries, index_contributor
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.model.strategies import items
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


LETTERS = st.sampled_from("xyz").map(lambda letter: {"S": letter})
OTHER_ITEMS = st.fixed_dictionaries(
    {}, optional={"a": LETTERS, "b": LETTERS, "m": st.sampled_from([{"N": "1"}, {"N": "22"}])}
)
INDEXES = st.builds(
    Index,
    name=st.just("index"),
    number=st.just(1),
    partition=st.sampled_from([(KeyAttribute("a", "S"),), (KeyAttribute("pk", "S"),)]),
    sort=st.sampled_from([(), (KeyAttribute("b", "S"),), (KeyAttribute("pk", "S"),)]),
    projection=st.sampled_from(["ALL", "KEYS_ONLY", "INCLUDE"]),
    non_key=st.just(("m",)),
    is_local=st.booleans(),
)


def item_with(other, order):
    item = {"pk": KEY, **other}
    return dict(reversed(item.items())) if order else item


# Whatever is left out because an entry stays where it is, the entry is that of the item in the end.
@given(
    INDEXES,
    st.none() | st.builds(item_with, OTHER_ITEMS, st.booleans()),
    st.none() | st.builds(item_with, OTHER_ITEMS, st.booleans()),
    st.sampled_from([frozenset(), frozenset([b"an entry of another index"])]),
)
def test_entries_counters_and_units_are_those_of_both_items(index, before, after, absent):
    change, _ = contributed(index, before, after, absent=absent)
    table = definition(indexes=(index,))
    old, new = (
        None
        if item is None
        else IndexEntries(table, index).entry(item, image_of(item, item_bytes(item)))
        for item in (before, after)
    )
    changes, moved = change.changes, old is not None and (new is None or old.key != new.key)
    was = {} if old is None else {old.key: stored(old.image, old.key)}
    now = was | {key: value for key, value in changes.puts.items() if key != b"k"}
    assert {key: now[key] for key in now if key not in changes.deletes} == (
        {} if new is None else {new.key: stored(new.image, new.key)}
    )
    grown = (new.image.size if new else 0) - (old.image.size if old else 0)
    assert changes.adds.get(keyspace.bytes_key(1, 1), 0) == grown
    assert changes.adds.get(keyspace.item_count_key(1, 1), 0) == bool(new) - bool(old)
    assert change.local_bytes == (grown if index.is_local else 0)
    units = {}
    if moved or (old is None and new):
        units = {"index": sum(write_units(each.image.size) for each in (old, new) if each)}
    elif old and new and old.image.item() != new.image.item():
        units = {"index": write_units(max(old.image.size, new.image.size))}
    assert change.units == units


# An engine refuses longer keys: building an index left the entry out, and so must its removal.
def test_an_entry_with_a_longer_key_than_the_engine_takes_was_not_there():
    entries = IndexEntries(definition(indexes=(ALL,)), ALL)
    images = [image_of(item, item_bytes(item)) for item in (ITEM, CHANGED)]
    change = ItemChange(b"k", *images, 1, 0, Actor.CALLER, ItemChanges(), WriteTerms())
    change.changes.puts[b"k"] = stored(images[1], b"k", 1)
    index_contributor([entries], ("pk",), len(entries.key(ITEM)) - 1)(change)
    assert change.changes.adds[entries.item_count_key] == 1


# The table's own key was checked before: what it allows is not looked at again.
@pytest.mark.parametrize(
    ("partition", "sort", "names"),
    [
        ("sk", "pk", ["pk"]),  # a partition key may be longer than a sort key of an index
        ("pk", "sk", []),
        ("sk", "a", ["a"]),
        ("a", "sk", ["a"]),
    ],
)
def test_the_keys_that_puts_check(partition, sort, names):
    index = msgspec.structs.replace(
        INDEX, partition=(KeyAttribute(partition, "S"),), sort=(KeyAttribute(sort, "S"),)
    )
    opened = OpenTable(definition(sort=KeyAttribute("sk", "S"), indexes=(index,)), {})
    assert [name for name, _ in opened.index_keys] == names


def change_of(before, after):
    images = [image_of(item, item_bytes(item)) for item in (before, after)]
    return ItemChange(b"k", *images, 1, 0, Actor.CALLER, ItemChanges(), WriteTerms())


@given(items, st.randoms(use_true_random=False))
def test_another_order_is_no_change(item, random):
    names = list(item)
    random.shuffle(names)
    assert not change_of(item, {name: item[name] for name in names}).is_change()


@pytest.mark.parametrize("number", ["13", "21", "129"])  # "21" has the bytes of "12"
def test_another_value_is_a_change(number):
    assert change_of(ITEM | {"n": {"N": "12"}}, ITEM | {"n": {"N": number}}).is_change()
