"""Rows of dropped tables go page by page, whatever comes between."""

import asyncio
import logging
from functools import partial

import msgspec
import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.dropper import PAGE_BYTES, PAGE_ROWS, Dropper
from hashrange.storage.engine import StorageError
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_of
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from tests.pace import loop_until, seconds, turns
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import NOON_MS, definition, store_of, write_item

SHOWN_MS = 500


class StillClock:
    """Stands at noon until it is moved."""

    def __init__(self):
        self.ms = NOON_MS

    def now_ms(self):
        return self.ms


class WatchedEngine(DictEngine):
    """Keeps what each write deleted, and fails as often as it is told to."""

    def __init__(self, pairs=None):
        super().__init__(pairs)
        self.deleted = []
        self.failures = 0

    async def write(self, keys, decide, **options):
        if self.failures:
            self.failures -= 1
            raise StorageError("the disk is on fire")
        before = dict(self.pairs)
        answer = await super().write(keys, decide, **options)
        self.deleted.append([key for key in before if key not in self.pairs])
        return answer


def stored(*, rows=3, value=b"?", **changes):
    """What an engine holds of a dropped table: its row of the list, and its items."""
    table = definition(number=7, deleted_ms=NOON_MS, **changes)
    start, _ = keyspace.items_range(7)
    pairs = {start + number.to_bytes(4, "big"): value for number in range(rows)}
    return {system_keys.dropped_key(7): msgspec.json.encode(table), **pairs}


def dropper_of(engine, *, transient_ms=0, clock=None):
    clock = clock or StillClock()
    return Dropper(engine, Catalog(engine), clock, transient_ms, pacer=unhurried())


# All of the dropped table goes, and nothing of another; who verifies the data sees none of it.
def test_table_is_cleared():
    async def scenario(engine):
        catalog = Catalog(engine)
        for name in ("gone", "stays"):
            await catalog.create(partial(named, name), name)
            await put(engine, await catalog.open(name))
        await catalog.drop("gone", NOON_MS, lambda _: None)
        assert await dropper_of(engine).clear() is False
        assert await engine.scan(*keyspace.table_range(1), limit=9, bytes_max=9) == []
        assert await catalog.dropped.tables() == []
        assert (await catalog.size((await catalog.open("stays")).table)).items == 1
        assert await findings(engine) == []

    engine = SqliteEngine.open(None)
    asyncio.run(scenario(engine))
    engine.close()


def named(name, number):
    return definition(number=number, name=name)


async def put(engine, table):
    item = {"pk": {"S": "k"}}
    write = ItemWrite(table, key_of_item(table, item), lambda _: Decision(image_of(item, 3), None))
    await write_item(store_of(engine), write)


# A table of any size is cleared in pieces that no request has to wait for long.
@pytest.mark.parametrize(
    ("rows", "value", "most"),
    [(2 * PAGE_ROWS + 1, b"?", PAGE_ROWS), (10, b"?" * (PAGE_BYTES // 2), 2)],
)
def test_pages_have_a_bound(rows, value, most):
    engine = WatchedEngine(stored(rows=rows, value=value))
    assert asyncio.run(dropper_of(engine).clear()) is False
    assert engine.pairs == {}
    assert max(map(len, engine.deleted)) == most


# The engine may answer without suspending: others still get their turn after every page.
def test_others_come_between_two_pages():
    engine = WatchedEngine(stored(rows=3 * PAGE_ROWS))
    seen = set()

    async def others():
        while engine.pairs:
            seen.add(len(engine.pairs))
            await turns()

    async def scenario():
        await asyncio.gather(dropper_of(engine).clear(), others())

    asyncio.run(scenario())
    assert seen >= {2 * PAGE_ROWS + 1, PAGE_ROWS + 1}


# What a stop left undone goes on at the next start, from the list.
def test_stop_between_two_pages():
    engine = WatchedEngine(stored(rows=2 * PAGE_ROWS))

    async def stopped():
        clearing = asyncio.create_task(dropper_of(engine).clear())
        await loop_until(lambda: len(engine.pairs) <= PAGE_ROWS + 1)
        clearing.cancel()
        await asyncio.wait([clearing])

    asyncio.run(stopped())
    assert len(engine.pairs) == PAGE_ROWS + 1
    assert asyncio.run(dropper_of(engine).clear()) is False
    assert engine.pairs == {}


# A table that still shows as DELETING loses its rows at once, its entry when it is shown no more.
def test_table_that_is_still_shown():
    engine, clock = WatchedEngine(stored()), StillClock()
    dropper = dropper_of(engine, transient_ms=SHOWN_MS, clock=clock)
    assert asyncio.run(dropper.clear()) is True
    assert list(engine.pairs) == [system_keys.dropped_key(7)]
    clock.ms += SHOWN_MS - 1
    assert asyncio.run(dropper.clear()) is True
    clock.ms += 1
    assert asyncio.run(dropper.clear()) is False
    assert engine.pairs == {}


# Of two servers one is faster. The slower one touches nothing that is no longer on the list, and
# comes to an end.
def test_another_process_was_faster():
    class OvertakenEngine(WatchedEngine):
        async def scan(self, start, end, **options):
            pairs = await super().scan(start, end, **options)
            if start == keyspace.table_range(7)[0]:
                self.pairs.pop(system_keys.dropped_key(7), None)
            return pairs

    engine = OvertakenEngine(stored(rows=3))
    assert asyncio.run(asyncio.wait_for(dropper_of(engine).clear(), seconds(10))) is False
    assert len(engine.pairs) == 3


def running(engine, scenario):
    """Runs a scenario beside a dropper, which ends when it is cancelled."""

    async def both():
        dropper = dropper_of(engine)
        background = asyncio.create_task(dropper.run())
        await scenario(dropper)
        background.cancel()
        await asyncio.wait([background])
        assert background.cancelled()

    asyncio.run(both())


# At its start it looks for what is left from before.
def test_list_is_looked_at_unasked():
    engine = WatchedEngine(stored())
    running(engine, lambda _: loop_until(lambda: engine.pairs == {}))


# It is woken by the catalog, so that rows do not wait for the next look at the list.
def test_drop_wakes():
    engine = WatchedEngine()

    async def scenario(dropper):
        await turns(50)
        engine.pairs.update(stored())
        dropper.wake()
        await loop_until(lambda: engine.pairs == {})

    running(engine, scenario)


# A full disk, say: it is logged, and tried again.
def test_storage_fails(caplog):
    engine = WatchedEngine(stored())
    engine.failures = 2

    async def scenario(dropper):
        for left in (1, 0):
            await loop_until(lambda left=left: engine.failures == left)
            await turns(50)
            assert len(engine.pairs) == 4
            dropper.wake()
        await loop_until(lambda: engine.pairs == {})

    with caplog.at_level(logging.WARNING):
        running(engine, scenario)
    assert [record.message for record in caplog.records] == [
        "clearing a dropped table failed: the disk is on fire",
        "clearing a dropped table succeeds again, after 2 failures",
    ]


# Whatever comes while it works is looked at when it is done: no wake-up is lost.
def test_drop_while_it_works():
    engine = WatchedEngine(stored(rows=2 * PAGE_ROWS))

    async def scenario(dropper):
        await loop_until(lambda: len(engine.pairs) <= PAGE_ROWS + 1)
        late = definition(number=3, name="late", deleted_ms=NOON_MS)
        engine.pairs[system_keys.dropped_key(3)] = msgspec.json.encode(late)
        dropper.wake()
        await loop_until(lambda: engine.pairs == {})

    running(engine, scenario)
