"""Many concurrent clients on few keys, for a given time, whose totals are compared afterwards.

Each write increments one of a few items behind a fence, adds to a counter and appends to a log.
Meanwhile the fence is changed again and again, and one task reads the log.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from hashrange.assembly.engines.trials.subject import Values, change
from hashrange.storage.engine import (
    STAMP_BYTES,
    Changes,
    ContendedError,
    Engine,
    StaleFenceError,
)

CLIENTS: Final = 16
_ITEMS: Final = 3
_REDEFINITIONS_EACH: Final = 50
"""The number of writes between two changes of the fence."""
_FENCE: Final = b"definition"
_COUNT: Final = b"count"
_LOG: Final = b"log"
_PAGE: Final = 500


@dataclass(kw_only=True)
class Load:
    """The counts of the clients and of the reader of the log."""

    writes: int = 0
    """Writes that were acknowledged."""
    stale: int = 0
    """Writes that were refused because of a stale fence."""
    contended: int = 0
    """Writes that failed because of contention."""
    definition: int = 0
    """The present value of the fence."""
    followed: int = 0
    """Records that were read from the log."""
    newest: int = 0
    """The definition in the last of them."""
    done: bool = False
    problems: list[str] = field(default_factory=list)
    """Counts that differ, and records out of order."""


async def run_load(engine: Engine, more: Callable[[], bool], noise: random.Random) -> Load:
    """Write until `more` returns False, then compare the counts."""
    load = Load()
    await change(engine, puts={_FENCE: b"0"})
    follower = asyncio.create_task(_follow(engine, load))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(CLIENTS):
                group.create_task(_client(engine, load, more, noise))
    finally:
        load.done = True
        await asyncio.gather(follower, return_exceptions=True)
    follower.result()
    await _compare(engine, load)
    return load


async def _client(
    engine: Engine, load: Load, more: Callable[[], bool], noise: random.Random
) -> None:
    while more() and not load.problems:
        definition = load.definition
        key = b"item %d" % noise.randrange(_ITEMS)

        def decide(
            values: Values, key: bytes = key, record: bytes = b"%d" % definition
        ) -> Changes[int]:
            count = int(values[0] or b"0") + 1
            return Changes(
                answer=count, puts={key: b"%d" % count}, adds={_COUNT: 1}, appends=[(_LOG, record)]
            )

        try:
            await engine.write([key], decide, fences={_FENCE: b"%d" % definition})
        except StaleFenceError:
            load.stale += 1
            if load.definition == definition:
                await asyncio.sleep(0)  # until the change of the fence has returned
        except ContendedError:
            load.contended += 1
        else:
            load.writes += 1
            if load.writes % _REDEFINITIONS_EACH == 0:
                await _redefine(engine, load)


async def _redefine(engine: Engine, load: Load) -> None:
    """Increment the fence; records of writes with the old fence must not appear after this."""

    def decide(values: Values) -> Changes[int]:
        definition = int(values[0] or b"0") + 1
        return Changes(answer=definition, puts={_FENCE: b"%d" % definition})

    try:
        load.definition = max(load.definition, await engine.write([_FENCE], decide))
    except ContendedError:
        load.contended += 1


async def _follow(engine: Engine, load: Load) -> None:
    """Read the log: no number may be missing, and no older definition may follow a newer one."""
    all_there = False
    while not all_there and not load.problems:
        all_there = load.done
        start = _LOG + (load.followed + 1).to_bytes(8)
        while page := await engine.scan(start, _LOG + b"\xff" * 9, limit=_PAGE, bytes_max=2**20):
            for key, record in page:
                _see(load, int.from_bytes(key.removeprefix(_LOG)), int(record[STAMP_BYTES:]))
            start = page[-1][0] + b"\x00"
        await asyncio.sleep(0)


def _see(load: Load, number: int, definition: int) -> None:
    if number != load.followed + 1:
        load.problems.append(f"record {number} of the log was seen after {load.followed}")
    if definition < load.newest:
        load.problems.append(
            f"record {number} passed a fence: of definition {definition}, after {load.newest}"
        )
    load.followed, load.newest = number, definition


async def _compare(engine: Engine, load: Load) -> None:
    values = await engine.read([_COUNT, *(b"item %d" % index for index in range(_ITEMS))])
    counted = int.from_bytes(values[0] or b"", signed=True)
    items = sum(int(value or b"0") for value in values[1:])
    counts = {"items": items, "counter": counted, "log": load.followed}
    load.problems += [
        f"{load.writes} writes were acknowledged, and the {name} shows {number}"
        for name, number in counts.items()
        if number != load.writes
    ]
