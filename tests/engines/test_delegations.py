"""Decisions that workers leave to the writer, beside those that they make themselves."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.subject import change
from hashrange.clock import SystemClock
from hashrange.storage.engine import StaleFenceError, StorageError
from hashrange.tables.items.images import Image, image_from
from hashrange.tables.keys.keyspace import items_range
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import read_size
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision
from hashrange.tables.writing.writer import write_item, write_items
from tests.engines.worker_group import WorkerGroup
from tests.pace import loop_until, turns
from tests.unit.tables.definitions import definition

FENCE = {b"fence": b"1"}
TABLE = OpenTable(definition(number=1), FENCE)
KEYS = [items_range(1)[0] + name for name in (b"a", b"b", b"c")]
KEY = KEYS[0]


@dataclass(frozen=True)
class Replaces:
    """Puts or deletes an item."""

    key: bytes
    after: Image | None
    table: OpenTable = TABLE
    replaces: bool = True

    def to_outcome(self, done):
        return done.size


@dataclass(frozen=True)
class Grows:
    """Makes an item one byte larger, if there is one."""

    key: bytes
    table: OpenTable = TABLE
    replaces: bool = False
    who: Any = None
    origin: None = None

    def decide(self, before):
        return Decision(None if before is None else sized(before.size + 1), None)

    def to_outcome(self, done):
        return done.size


@dataclass(frozen=True)
class Holder:
    store: Store


def sized(size):
    return Image(size, b"x" * size)


def on_group(directory, use):
    """Run a coroutine function on the group and the stores of its two workers."""

    async def run():
        async with WorkerGroup(directory, workers=2) as group:
            await change(group.engines[0], puts=FENCE)
            await use(group, [Holder(Store(each, SystemClock())) for each in group.engines])

    asyncio.run(run())


def test_the_writer_decides_what_the_worker_has_not_read(tmp_path):
    async def use(group, holders):
        one, other = holders
        assert await write_item(Replaces(KEY, sized(9)), one) == 9
        assert await write_item(Replaces(KEY, sized(5)), other) == 9
        group.snapshots[0].close()  # whoever reads it fails
        assert await write_item(Replaces(KEY, sized(7)), one) == 7
        assert await write_item(Replaces(KEYS[1], None), one) == 0
        done = await write_items(one.store, [Replaces(KEYS[1], sized(2)), Replaces(KEY, None)])
        assert [each.size for each in done] == [2, 7]
        counted = await read_size(other.store.engine, 1)
        assert (counted.items, counted.size) == (1, 2)
        assert one.store.engine.stats().decided == one.store.engine.stats().conflicts == 0

    on_group(tmp_path / "data", use)


# What the writer will decide is not known before it has; so what rests on it waits, and rests on
# what is durable.
def test_a_write_waits_for_what_the_writer_decides_on_its_item(tmp_path):
    async def use(group, holders):
        one, _ = holders
        replaced = asyncio.ensure_future(write_item(Replaces(KEY, sized(5)), one))
        await turns()
        grown = [asyncio.ensure_future(write_item(Grows(KEY), one)) for _ in range(20)]
        beside = asyncio.ensure_future(write_item(Grows(KEYS[1]), one))
        groups = group.writer.stats().groups
        assert await asyncio.gather(replaced, *grown) == [5, *range(6, 26)]
        assert await beside == 0
        assert one.store.engine.stats().conflicts == 0
        assert group.writer.stats().groups - groups < 10

    on_group(tmp_path / "data", use)


# Otherwise a write that waits for one replacement would find the next one, and so on.
def test_replacements_without_end_do_not_hold_up_a_write(tmp_path):
    async def use(_group, holders):
        one, _ = holders
        replaced = [asyncio.ensure_future(write_item(Replaces(KEY, sized(5)), one))]
        await turns()
        grown = asyncio.ensure_future(write_item(Grows(KEY), one))
        while not grown.done() and len(replaced) < 1000:
            replaced.append(asyncio.ensure_future(write_item(Replaces(KEY, sized(5)), one)))
            await turns()
        assert grown.done()
        await asyncio.gather(*replaced)
        assert await grown == 6
        assert one.store.engine.stats().conflicts == 0

    on_group(tmp_path / "data", use)


def test_a_table_that_has_changed_is_stale(tmp_path):
    async def use(_group, holders):
        one, other = holders
        await write_item(Replaces(KEY, sized(5)), one)
        await change(other.store.engine, puts={b"fence": b"2"})
        with pytest.raises(StaleFenceError):
            await write_item(Replaces(KEY, sized(9)), one)
        (value,) = await other.store.engine.read([KEY])
        assert image_from(value) == sized(5)

    on_group(tmp_path / "data", use)


def test_whether_it_happened_is_not_known_when_the_writer_is_gone(tmp_path):
    async def use(group, holders):
        one, _ = holders
        sent = asyncio.ensure_future(write_item(Replaces(KEY, sized(5)), one))
        await loop_until(lambda: group.links[0].in_flight)  # the next turn of the loop
        group.cut_off()
        with pytest.raises(StorageError, match="not known"):
            await sent
        waiting = asyncio.ensure_future(write_item(Replaces(KEY, sized(6)), one))
        await turns()
        await group.connect()
        await waiting
        assert await write_item(Grows(KEY), one) == 7

    on_group(tmp_path / "data", use)


writes = st.tuples(
    st.integers(0, 1),
    st.sampled_from(KEYS),
    st.one_of(st.just("grow"), st.none(), st.integers(1, 9)),
    st.integers(0, 2),
)


@settings(deadline=None, max_examples=30)
@given(plans=st.lists(writes, min_size=1, max_size=30))
def test_items_are_counted_whoever_decides(tmp_path_factory, plans):
    async def use(_group, holders):
        tasks = []
        for worker, key, what, pause in plans:
            if what == "grow":
                write = write_item(Grows(key), holders[worker])
            else:
                after = None if what is None else sized(what)
                write = write_item(Replaces(key, after), holders[worker])
            tasks.append(asyncio.ensure_future(write))
            await turns(pause)
        await asyncio.gather(*tasks)
        engine = holders[0].store.engine
        start, end = items_range(1)
        stored = await engine.scan(start, end, limit=9, bytes_max=9999)
        images = [image_from(value) for _, value in stored]
        assert all(image.json == b"x" * image.size for image in images)
        counted = await read_size(engine, 1)
        total = sum(image.size for image in images)
        assert (counted.items, counted.size) == (len(images), total)

    on_group(tmp_path_factory.mktemp("workers") / "data", use)
