"""Files of groups save reading the rows, and never change what a search finds."""

import asyncio
import os

import msgspec
import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.clock import SystemClock
from hashrange.tables.keys.key_ranges import prefix_range
from hashrange.tables.keys.keyspace import index_range, items_range
from hashrange.tables.opened.building import build_page
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.vectors.group_files import GroupFiles
from hashrange.tables.vectors.searches import VectorSearches
from hashrange.tables.vectors.trimming import trim_page
from hashrange.tables.writing.store import Store
from tests.unit.tables.definitions import definition
from tests.unit.tables.vectors.test_searches import INDEX, TABLE, keys_of, write

ENTRIES = index_range(TABLE.number, INDEX.number)
KEYS = [f"k{number}" for number in range(1, 6)]


class CountingEngine(DictEngine):
    """Counts the scans of entries; stamps are the numbers of writes."""

    def __init__(self):
        self.writes = self.scans = 0
        super().__init__(now_ms=lambda: self.writes)

    async def scan(self, start, end, **terms):
        self.scans += ENTRIES[0] <= start < ENTRIES[1]
        return await super().scan(start, end, **terms)

    async def write(self, *arguments, **terms):
        self.writes += 1
        return await super().write(*arguments, **terms)


def starting(folder, *, file_bytes_min=0):
    """The searches of a process that has just started."""
    return VectorSearches(folder, file_bytes_min=file_bytes_min)


async def filled(folder):
    """An engine with items, searched once: there is a file."""
    engine = CountingEngine()
    store = Store(engine, SystemClock())
    for number, key in enumerate(KEYS, 1):
        await write(store, key, number, 0)
    assert await keys_of(engine, starting(folder)) == KEYS
    assert len([*folder.iterdir()]) == 1
    engine.scans = 0
    return engine, store


def test_a_start_reads_the_file_and_what_has_changed(tmp_path):
    async def story():
        engine, store = await filled(tmp_path)
        searches = starting(tmp_path)
        assert await keys_of(engine, searches) == KEYS
        await write(store, "k6", 0, 0)  # what was read has no place for another entry
        await write(store, "k2")
        await write(store, "k1", 9, 0)
        for each in (searches, starting(tmp_path)):
            assert await keys_of(engine, each) == ["k6", "k3", "k4", "k5", "k1"]
        assert engine.scans == 0

    asyncio.run(story())


# Pages of a mapped file would be missing now, which ends a process.
def test_a_file_that_was_loaded_is_not_needed_again(tmp_path):
    async def story():
        engine, store = await filled(tmp_path)
        searches = starting(tmp_path)
        assert await keys_of(engine, searches) == KEYS
        os.truncate(next(tmp_path.iterdir()), 0)
        await write(store, "k1")
        assert await keys_of(engine, searches) == KEYS[1:]
        assert engine.scans == 0

    asyncio.run(story())


# The log has no record of entries that were built, so it would not show whose file it is.
def test_an_index_that_was_built_has_a_file(tmp_path):
    async def story():
        engine = CountingEngine()
        store = Store(engine, SystemClock())
        await write(store, "k1", 1, 0, table=OpenTable(definition(), {}))
        building = msgspec.structs.replace(INDEX, state="BUILDING")
        table = OpenTable(definition(vectors=(building,)), {})
        while await build_page(engine, table, building, items_range(table.number)[1]):
            pass
        for scans in (2, 2):
            assert await keys_of(engine, starting(tmp_path)) == ["k1"]
            assert engine.scans == scans

    asyncio.run(story())


def test_a_file_behind_the_log_is_written_again(tmp_path):
    async def story():
        engine, store = await filled(tmp_path)
        await write(store, "k6", 6, 0)
        while await trim_page(engine, TABLE, INDEX, 1):
            pass
        for scans in (2, 2):
            assert await keys_of(engine, starting(tmp_path)) == [*KEYS, "k6"]
            assert engine.scans == scans

    asyncio.run(story())


def test_a_file_of_other_data_is_not_used(tmp_path):
    async def story():
        await filled(tmp_path)
        engine = CountingEngine()
        store = Store(engine, SystemClock())
        engine.writes = 100  # the same items, later
        for number, key in enumerate(KEYS, 1):
            await write(store, key, -number, 0)
        await write(store, "k1")
        assert await keys_of(engine, starting(tmp_path)) == KEYS[1:]
        assert engine.scans == 2

    asyncio.run(story())


def changed(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[:30],
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1],
        lambda content: changed(content, 5),
        lambda content: changed(content, 60),
        lambda content: changed(content, len(content) // 2),
        lambda content: changed(content, len(content) - 1),
        lambda content: content + b"\x00",
    ],
)
def test_a_damaged_file_is_replaced(tmp_path, damage):
    async def story():
        engine, _ = await filled(tmp_path)
        (path,) = tmp_path.iterdir()
        content = path.read_bytes()
        path.write_bytes(damage(content))
        for scans in (2, 2):
            assert await keys_of(engine, starting(tmp_path)) == KEYS
            assert engine.scans == scans
        assert path.read_bytes() == content

    asyncio.run(story())


def test_a_file_of_another_group_is_not_used(tmp_path):
    files = GroupFiles(tmp_path)
    files.save(b"one", 1, b"record", [b"column"])
    (path,) = tmp_path.iterdir()
    found = files.load(b"one")
    assert found is not None
    assert [bytes(each) for each in found.columns] == [b"column"]
    path.rename(path.with_name(path.name.replace(b"one".hex(), b"two".hex())))
    assert files.load(b"two") is None


# A file is not written after each write, but a process that ends has all its changes in one.
def test_the_end_of_a_process_saves_many_changes(tmp_path):
    async def story():
        engine, store = await filled(tmp_path)
        for count in (1, 1001):
            searches = starting(tmp_path)
            (path,) = tmp_path.iterdir()
            before = path.read_bytes()
            for number in range(count):
                await write(store, "k1", number, 0)
            await keys_of(engine, searches)
            assert path.read_bytes() == before
            await searches.close()
            assert (path.read_bytes() == before) is (count == 1)
        assert await keys_of(engine, starting(tmp_path)) == ["k2", "k3", "k4", "k5", "k1"]
        assert engine.scans == 0

    asyncio.run(story())


def test_small_groups_have_no_files(tmp_path):
    async def story():
        engine, _ = await filled(tmp_path)
        for path in tmp_path.iterdir():
            path.unlink()
        await keys_of(engine, starting(tmp_path, file_bytes_min=10_000))
        assert [*tmp_path.iterdir()] == []

    asyncio.run(story())


# The disk is full, or somebody has a file in place of the folder.
def test_a_file_that_cannot_be_written_fails_no_search(tmp_path, caplog):
    folder = tmp_path / "taken"
    folder.write_text("")

    async def story():
        engine = CountingEngine()
        await write(Store(engine, SystemClock()), "k1", 1, 0)
        searches = starting(folder)
        for _ in range(2):
            assert await keys_of(engine, searches) == ["k1"]

    asyncio.run(story())
    assert [each.getMessage() for each in caplog.records] == [
        f"saving the vectors of an index failed: [Errno 17] File exists: '{folder}'"
    ]


def test_files_of_indexes_that_are_gone_are_deleted(tmp_path):
    async def story():
        await filled(tmp_path)
        files = GroupFiles(tmp_path)
        (kept,) = tmp_path.iterdir()
        files.save(prefix_range(b"\x00\x00\x00\x07")[0] + b"another", 1, b"", [b""])
        (tmp_path / f"{kept.name}.1.new").write_bytes(b"part")
        files.discard([ENTRIES[0]])
        assert [*tmp_path.iterdir()] == [kept]
        VectorSearches(tmp_path).forget()
        assert [*tmp_path.iterdir()] == []
        GroupFiles(tmp_path / "none").discard()

    asyncio.run(story())
