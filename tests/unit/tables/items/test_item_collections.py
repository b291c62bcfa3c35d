"""Item collections: what a write adds to them, and what it may not."""

import asyncio

import pytest

from hashrange.clock import SystemClock
from hashrange.errors import DynamoError, Fault
from hashrange.model.sizes import item_bytes
from hashrange.model.table import Index, KeyAttribute
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.items.images import image_of
from hashrange.tables.keys import keyspace
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.unit.tables.definitions import PK, SK, definition, write_item

LOCAL = Index(
    name="local",
    number=1,
    is_local=True,
    partition=(PK,),
    sort=(KeyAttribute("at", "N"),),
    projection="KEYS_ONLY",
)
TABLE = OpenTable(
    definition(sort=SK, attributes=(PK, SK), indexes=(LOCAL,), counts_collections=True), {}
)


@pytest.fixture
def engine():
    engine = SqliteEngine.open(None)
    yield engine
    engine.close()


def item_of(sort, *, pk="p", body=0, at=None):
    item = {"pk": {"S": pk}, "sk": {"N": str(sort)}, "body": {"S": "x" * body}}
    return item if at is None else {**item, "at": {"N": str(at)}}


def put(table, item):
    after = image_of(item, item_bytes(item))
    return ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))


def removed(table, item):
    return ItemWrite(table, key_of_item(table, item), lambda _: Decision(None, None))


def untouched(table, item):
    return ItemWrite(table, key_of_item(table, item), lambda before: Decision(before, None))


def store_of(engine, most=10**9):
    return Store(engine, SystemClock(), collection_bytes_max=most)


def counter(engine, item):
    key = keyspace.collection_key(key_of_item(TABLE, item))
    return int.from_bytes(asyncio.run(engine.read([key]))[0] or b"", "big", signed=True)


def sizes(*items):
    """Of the items, and of what the local index has of those that are in it."""
    keys = [{n: v for n, v in item.items() if n != "body"} for item in items if "at" in item]
    return sum(map(item_bytes, [*items, *keys]))


# A client asks for the size after a write that found nothing to change, too.
def test_the_size_is_known_where_nothing_changes(engine):
    store, item = store_of(engine), item_of(1, at=1)
    asyncio.run(write_item(store, put(TABLE, item)))
    done = asyncio.run(write_item(store, untouched(TABLE, item)))
    assert done.collection_bytes == sizes(item)


def test_a_collection_may_be_full_but_not_grow_beyond(engine):
    item = item_of(1, body=100, at=1)
    exact = store_of(engine, sizes(item))
    asyncio.run(write_item(exact, put(TABLE, item)))
    with pytest.raises(DynamoError) as refused:
        asyncio.run(write_item(exact, put(TABLE, item_of(1, body=101, at=1))))
    assert refused.value.fault is Fault.COLLECTION_TOO_LARGE
    assert refused.value.message == "Collection size exceeded."
    assert counter(engine, item) == sizes(item)
    asyncio.run(write_item(exact, put(TABLE, item_of(1, pk="q", body=100, at=1))))


# The entry of a local index counts, though the item has not grown by more than its attribute.
def test_an_entry_alone_can_be_too_much(engine):
    outside, inside = item_of(1, body=100), item_of(1, body=97, at=1)
    assert item_bytes(inside) <= item_bytes(outside) + 1
    store = store_of(engine, sizes(inside) - 1)
    asyncio.run(write_item(store, put(TABLE, outside)))
    with pytest.raises(DynamoError):
        asyncio.run(write_item(store, put(TABLE, inside)))


# Otherwise nobody could ever make room.
def test_a_collection_that_is_too_large_can_shrink(engine):
    items = [item_of(n, body=100) for n in range(3)]
    asyncio.run(write_items(store_of(engine), [put(TABLE, item) for item in items]))
    small = store_of(engine, 10)
    asyncio.run(write_item(small, put(TABLE, item_of(0, body=99))))
    asyncio.run(write_item(small, put(TABLE, item_of(0, body=99))))
    asyncio.run(write_item(small, removed(TABLE, items[1])))
    with pytest.raises(DynamoError):
        asyncio.run(write_item(small, put(TABLE, item_of(0, body=100))))


# Each of them would fit alone.
def test_the_writes_of_one_batch_are_counted_together(engine):
    items = [item_of(n, body=100) for n in range(2)]
    store = store_of(engine, sizes(*items) - 1)
    with pytest.raises(DynamoError):
        asyncio.run(write_items(store, [put(TABLE, item) for item in items]))
    assert counter(engine, items[0]) == 0
    swap = [removed(TABLE, items[0]), put(TABLE, items[1])]
    asyncio.run(write_item(store, put(TABLE, items[0])))
    done = asyncio.run(write_items(store, swap))
    assert [one.collection_bytes for one in done] == [0, sizes(items[1])]


# An engine may run a decision again, on what it has read anew.
def test_a_decision_that_runs_twice_counts_once(engine):
    class Twice:
        read = staticmethod(engine.read)

        @staticmethod
        async def write(keys, decide, *, fences):
            decide(await engine.read(keys))
            return await engine.write(keys, decide, fences=fences)

    item = item_of(1, body=100)
    store = store_of(Twice(), sizes(item))
    assert asyncio.run(write_item(store, put(TABLE, item))).collection_bytes == sizes(item)


def test_the_counter_of_a_collection_is_in_the_range_of_its_table():
    key = key_of_item(TABLE, item_of(1))
    counter = keyspace.collection_key(key)
    start, end = keyspace.collections_range(TABLE.number)
    assert start <= counter < end
