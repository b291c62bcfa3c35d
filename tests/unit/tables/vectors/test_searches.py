"""Searches see every write before them, whatever the log of the index still has."""

import asyncio
import struct
import threading

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.clock import SystemClock
from hashrange.model.canonical import encoded_item
from hashrange.model.table import Index, Vector
from hashrange.model.wording import Wording
from hashrange.storage.engine import Changes
from hashrange.tables.items.images import Image, image_of, stored
from hashrange.tables.keys.key_ranges import prefix_range
from hashrange.tables.keys.keyspace import hash16, index_partition_prefix, vector_log_key
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import as_binary
from hashrange.tables.vectors.scores import Search, query_of
from hashrange.tables.vectors.searches import VectorPlan, VectorSearches
from hashrange.tables.vectors.trimming import trim_page
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import ItemReplacement
from hashrange.tables.writing.writer import write_items
from tests.unit.tables.definitions import definition

VECTOR = Vector(attribute="v", dimensions=2, distance="EUCLIDEAN")
INDEX = Index(name="vix", number=1, partition=(), projection="KEYS_ONLY", vector=VECTOR)
TABLE = OpenTable(definition(vectors=(INDEX,)), {})
SEARCH = Search("EUCLIDEAN", query_of([0.0, 0.0]), {}, 100)
LOG = prefix_range(vector_log_key(TABLE.number, INDEX.number))


async def write(store, key, *numbers, table=TABLE):
    """Put an item with a vector, or delete it if there are no numbers."""
    item = {"pk": {"S": key}, "v": {"L": [{"N": str(number)} for number in numbers]}}
    encoded = encoded_item(item, Wording.CURRENT)
    after = Image(encoded.size, encoded.json) if numbers else None
    await write_items(store, [ItemReplacement(table, key_of_item(table, item), after)])


async def keys_of(engine, searches):
    found = await searches.search(engine, VectorPlan(TABLE, INDEX, None, SEARCH))
    return [each.entry["pk"]["S"] for each in found]


async def records(engine):
    return len(await engine.scan(*LOG, limit=10_000, bytes_max=2**30))


# `kept` records stay in the log; a search that is further behind reads all entries again.
@pytest.mark.parametrize("kept", [0, 1, 2, 100])
def test_a_search_sees_all_writes_before_it(kept):
    async def story():
        engine = DictEngine()
        store, early, late = Store(engine, SystemClock()), VectorSearches(), VectorSearches()
        assert await keys_of(engine, early) == []
        for number in range(1, 6):
            await write(store, f"k{number}", number, 0)
        assert await keys_of(engine, early) == ["k1", "k2", "k3", "k4", "k5"]
        await write(store, "k1", 9, 0)
        await write(store, "k2")
        while await trim_page(engine, TABLE, INDEX, kept):
            pass
        assert await records(engine) == min(max(kept, 1), 7)
        for searches in (early, late, VectorSearches(bytes_max=0)):
            for _ in range(2):
                assert await keys_of(engine, searches) == ["k3", "k4", "k5", "k1"]
        await write(store, "k3", 7, 0)
        assert await keys_of(engine, early) == ["k4", "k5", "k3", "k1"]

    asyncio.run(story())


def helpers():
    return {each for each in threading.enumerate() if each.name.startswith("vectors")}


# More than 4 million numbers: two threads have the scan, if the machine has as many cores.
def test_a_large_search_is_helped_on_two_cores():
    vector = Vector(attribute="v", dimensions=4096, distance="DOT_PRODUCT")
    index = Index(name="vix", number=1, partition=(), projection="KEYS_ONLY", vector=vector)
    table = OpenTable(definition(vectors=(index,)), {})
    plan = VectorPlan(table, index, None, Search("DOT_PRODUCT", query_of([1.0] * 4096), {}, 3))

    async def story():
        engine, found, rows = DictEngine(), [], {}
        for number in range(1000):
            data = struct.pack("<4096f", number, *[1] * 4095)
            entry = {"pk": {"S": f"k{number:03}"}, "v": as_binary(data)}
            key = index_partition_prefix(table.number, index.number, [], ()) + hash16([entry["pk"]])
            rows[key] = stored(image_of(entry, 100), key)
        await engine.write([], lambda _: Changes(answer=None, puts=rows), fences=table.fences)
        for cores in (1, 2):
            before = helpers()
            searches = VectorSearches(cores=cores)
            results = await searches.search(engine, plan)
            found.append([(each.entry["pk"]["S"], each.score) for each in results])
            assert len(helpers() - before) == cores - 1
        assert found[0] == found[1] == [(f"k{each}", each + 4095) for each in (999, 998, 997)]

    asyncio.run(story())


# Data that were put back to another state have another log under the same numbers.
def test_another_log_is_noticed():
    async def story():
        searches = VectorSearches()
        for keys in (["k1"], ["k2"]):
            engine = DictEngine()
            for key in keys:
                await write(Store(engine, SystemClock()), key, 1, 1)
            assert await keys_of(engine, searches) == keys

    asyncio.run(story())
