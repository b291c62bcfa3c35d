"""All rows are read once in a period, by parts that follow from the clock."""

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.scrubber import HOUR_MS, Scrubber
from hashrange.background.tasks import Pacer
from hashrange.clock import MovableClock
from hashrange.storage.engine import Changes, DamagedError
from hashrange.tables.items.images import Image, stored
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.verifying.damage import part_of
from tests.unit.regions.strong.fast_loop import run

DAYS = 2
HOURS = 24 * DAYS
ITEMS = 600


class Reads(DictEngine):
    """Remembers the keys of pages; those of one row only look for the next table."""

    def __init__(self):
        super().__init__()
        self.keys = []

    async def scan(self, start, end, *, limit, **more):
        page = await super().scan(start, end, limit=limit, **more)
        if limit > 1:
            self.keys += [key for key, _ in page]
        return page


class Unreadable(Reads):
    """Scans that come upon a row of its page fail."""

    damaged = b""

    async def scan(self, start, end, **more):
        page = await DictEngine.scan(self, start, end, **more)
        if self.damaged in dict(page):
            raise DamagedError("a page is damaged")
        if more["limit"] > 1:
            self.keys += [key for key, _ in page]
        return page


def item_keys(table):
    return [keyspace.item_key(table, {"S": str(number)}, None) for number in range(ITEMS)]


async def filled(engine):
    rows = {system_keys.catalog_key(name): b"{}" for name in ("a", "b")}
    for table in (1, 70_000):  # the second one as of a backup
        rows |= {key: stored(Image(3, b"{}"), key) for key in item_keys(table)}
    entry = keyspace.index_range(1, 2)[0] + b"\x07"
    rows[entry] = stored(Image(3, b"{}"), entry)
    await engine.write([], lambda _: Changes(answer=None, puts=rows))
    return engine, rows


def test_each_row_is_read_once_in_a_period():
    async def scrubbing():
        (engine, rows), clock = await filled(Reads()), MovableClock()
        pacer = Pacer(clock.monotonic_ns, lambda: 0)
        scrubber = Scrubber(engine, lambda *_: None, DAYS, clock, pacer=pacer)
        counts = []
        for hour in range(HOURS):
            if hour:
                clock.advance(HOUR_MS)
            before = len(engine.keys)
            await scrubber.drain()
            await scrubber.drain()  # nothing more is due
            counts.append(len(engine.keys) - before)
            if hour == HOURS - 2:
                before_last = scrubber.figures()
        return engine.keys, rows, counts, before_last, scrubber.figures()

    keys, rows, counts, before, after = run(scrubbing())
    assert sorted(keys) == sorted(rows)
    assert max(counts) < 3 * 2 * ITEMS / HOURS
    assert before["scrub_progress_ratio"] == (HOURS - 1) / HOURS
    assert "scrub_last_pass_time_seconds" not in before
    assert (after["scrub_progress_ratio"], after["scrub_rows_total"]) == (0, len(rows))
    assert after["scrub_last_pass_time_seconds"] > 0


def test_a_row_that_cannot_be_read_keeps_no_other_table_waiting():
    async def scrubbing():
        engine = Unreadable()
        (_, rows), clock = await filled(engine), MovableClock()
        first = engine.damaged = min(item_keys(1))
        scrubber = Scrubber(
            engine, lambda *_: None, DAYS, clock, pacer=Pacer(clock.monotonic_ns, lambda: 0)
        )
        for _ in range(HOURS):
            await scrubber.drain()
            clock.advance(HOUR_MS)
        return set(rows) - set(engine.keys), first

    unread, first = run(scrubbing())
    assert first in unread
    assert unread <= set(item_keys(1))
    assert len(unread) < 2 * ITEMS / HOURS + 256


def test_altered_items_are_reported():
    async def scrubbing():
        (engine, rows), clock, found = await filled(Reads()), MovableClock(), []
        damaged = item_keys(70_000)[7]
        altered = rows[damaged][:-1] + b"]"
        await engine.write([], lambda _: Changes(answer=None, puts={damaged: altered}))
        pacer = Pacer(clock.monotonic_ns, lambda: 0)
        scrubber = Scrubber(
            engine, lambda key, text: found.append((key, text)), DAYS, clock, pacer=pacer
        )
        clock.advance((HOURS - 1) * HOUR_MS)  # a server that was busy reads what it has left out
        await scrubber.drain()
        return found, damaged

    found, damaged = run(scrubbing())
    assert [key for key, _ in found] == [damaged]
    assert "its value was altered" in found[0][1]


@pytest.mark.parametrize("keys", [(b"\x01", b"\x02"), (b"ab", b"ab\x00"), (b"\x00\xff", b"\x01")])
def test_parts_cover_a_range(keys):
    parts = [part_of(keys, part, 7) for part in range(7)]
    assert (parts[0][0], parts[-1][1]) == keys
    assert [end for _, end in parts[:-1]] == [start for start, _ in parts[1:]]
