"""Counting what an older build did not count, and what verify says of counters."""

import asyncio
from functools import partial

import msgspec
import pytest

from hashrange.model.canonical import encoded_item
from hashrange.model.table import Index, Vector
from hashrange.model.wording import Wording
from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import Image, image_from
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_spaces import Kind, kind_of
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.indexes import count_collections
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.write_plans import ItemReplacement
from hashrange.tables.writing.writer import write_items
from tests.unit.tables.definitions import PK, SK, definition
from tests.unit.tables.items.test_item_collections import LOCAL, item_of, put, store_of

EVERYTHING = (b"\x00", b"\xff" * 8)


@pytest.fixture
def engine():
    engine = SqliteEngine.open(None)
    yield engine
    engine.close()


def filled(engine, *, counted, pages=9):
    """A table whose items lie in three collections."""
    catalog = Catalog(engine)
    kinds = (PK, SK, *LOCAL.sort)
    table = definition(sort=SK, attributes=kinds, indexes=(LOCAL,), next_index=2)
    made = asyncio.run(
        catalog.create(
            lambda number: msgspec.structs.replace(
                table, number=number, counts_collections=counted
            ),
            table.name,
        )
    )
    opened = asyncio.run(catalog.open(made.name))
    items = [item_of(n, pk=str(n % 3), body=10 * n, at=n if n % 2 else None) for n in range(pages)]
    asyncio.run(write_items(store_of(engine), [put(opened, item) for item in items]))
    return opened


def rows(engine):
    """All rows; of an item its image, for two items have their versions at different times."""
    found = asyncio.run(engine.scan(*EVERYTHING, limit=1000, bytes_max=10**9))
    return {key: image_from(row) if kind_of(key) is Kind.IMAGE else row for key, row in found}


def set_row(engine, key, value):
    puts = {} if value is None else {key: value}
    deletes = [key] if value is None else []
    changes = Changes(answer=None, puts=puts, deletes=deletes)
    asyncio.run(engine.write([key], lambda _: changes))


class CrashError(Exception):
    """The process ends."""


class CrashingEngine:
    """An engine whose process ends after some writes."""

    def __init__(self, engine, writes):
        self.read, self.scan, self._write, self._left = (
            engine.read,
            engine.scan,
            engine.write,
            writes,
        )

    async def write(self, keys, decide):
        if not self._left:
            raise CrashError
        self._left -= 1
        return await self._write(keys, decide)


# The oracle is the writer: a table that was counted from its first item on.
def test_an_older_table_is_counted_as_if_it_had_been_from_the_start(engine):
    filled(engine, counted=False)
    assert asyncio.run(findings(engine)) == []
    asyncio.run(count_collections(engine))
    other = SqliteEngine.open(None)
    filled(other, counted=True)
    assert rows(engine) == rows(other)
    other.close()
    assert asyncio.run(findings(engine)) == []


@pytest.mark.parametrize("writes", range(6))
def test_counting_goes_on_where_a_crash_left_it(engine, writes):
    filled(engine, counted=False)
    wanted = SqliteEngine.open(None)
    filled(wanted, counted=True)
    crashing = CrashingEngine(engine, writes)
    with pytest.raises(CrashError):
        asyncio.run(count_collections(crashing, page_rows=2))
    assert asyncio.run(findings(engine)) == []
    asyncio.run(count_collections(engine, page_rows=2))
    assert rows(engine) == rows(wanted)
    wanted.close()


def test_what_is_counted_is_not_counted_again(engine):
    filled(engine, counted=True)
    before = rows(engine)
    asyncio.run(count_collections(engine))
    assert rows(engine) == before


@pytest.mark.parametrize("said", [0, 1, 10**6, None], ids=str)
def test_verify_tells_of_a_wrong_counter(engine, said):
    table = filled(engine, counted=True)
    key = keyspace.collection_key(key_of_item(table, item_of(0, pk="1")))
    set_row(engine, key, None if said is None else said.to_bytes(8, "big"))
    (finding,) = asyncio.run(findings(engine))
    assert f"the item collection at {key.hex()} has" in finding
    assert finding.endswith(f"its counter says {said or 0}")


@pytest.mark.parametrize("partition", ["a", "b", "c", "d"])
def test_verify_tells_of_a_counter_without_items(engine, partition):
    table = filled(engine, counted=True)
    key = keyspace.collection_key(key_of_item(table, item_of(0, pk=partition)))
    set_row(engine, key, (5).to_bytes(8, "big"))
    (finding,) = asyncio.run(findings(engine))
    assert finding.endswith("has 0 bytes, but its counter says 5")
    set_row(engine, key, bytes(8))
    assert asyncio.run(findings(engine)) == []


# A damaged item must not end the search.
def test_verify_goes_on_after_an_item_that_cannot_be_read(engine):
    table = filled(engine, counted=True)
    set_row(engine, key_of_item(table, item_of(0, pk="0")), b"\x07nonsense")
    assert any("the item collection at" in finding for finding in asyncio.run(findings(engine)))


# A list has 3 bytes, 3 for an element 0.000001 and 2 for 0, a vector of an index 4 for each; the
# last item is in no index.
@pytest.mark.parametrize("counter", [None, (7).to_bytes(8)])
def test_verify_compares_what_the_vectors_of_an_index_save(engine, counter):
    vector = Vector(attribute="v", dimensions=2, distance="COSINE")
    index = Index(name="vix", number=1, partition=(), projection="ALL", vector=vector)
    catalog = Catalog(engine)

    async def story():
        drafted = partial(definition, vectors=(index,), next_index=2)
        await catalog.create(lambda number: drafted(number=number), "a-table")
        opened = await catalog.open("a-table")
        for key, numbers in (("a", ["0.000001", "0"]), ("b", ["0", "0"]), ("c", ["0"])):
            item = {"pk": {"S": key}, "v": {"L": [{"N": each} for each in numbers]}}
            encoded = encoded_item(item, Wording.CURRENT)
            after = Image(encoded.size, encoded.json)
            plan = ItemReplacement(opened, key_of_item(opened, item), after)
            await write_items(store_of(engine), [plan])
        assert await findings(engine) == []
        wrong = keyspace.saved_bytes_key(opened.number, index.number)
        puts, deletes = ({}, [wrong]) if counter is None else ({wrong: counter}, [])
        changes = Changes(answer=None, puts=puts, deletes=deletes)
        await engine.write([wrong], lambda _: changes)
        return await findings(engine)

    said = 0 if counter is None else 7
    text = f"a-table, index vix: its vectors save -1 bytes, but its counter says {said}"
    assert asyncio.run(story()) == [text]
