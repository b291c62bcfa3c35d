"""Random items of a table, without reading all of it."""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.clock import Clock
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.scanning.jobs import Totals
from hashrange.tools.scanning.pacing import Pacer
from hashrange.tools.scanning.scan import ScanOptions
from hashrange.tools.scanning.segments import (
    SEGMENTS_MAX,
    Scanner,
    ScanTarget,
    chosen_parallel,
    chosen_segments,
    scan_target,
)

_DRAWS: Final = 16
"""Segments that are drawn at a time."""
_SHARE_LEAST: Final = 0.25
"""Of the drawn segments so many have an item, or the next are four times as large."""
_GROWTH: Final = 4
_NS_PER_S: Final = 1_000_000_000
_DRAWN_BYTES: Final = 8

WHOLE_TABLE: Final = "whole table"
"""Every set of items is equally likely: all items were read."""
RANDOM_SEGMENTS: Final = "random segments"
"""Every item is equally likely, but items whose partition keys have near hashes come together."""


class Sample(msgspec.Struct, frozen=True):
    """Random items.

    Attributes:
        items: in DynamoDB-JSON, in random order; fewer than wanted if the table has no more.
        method: `WHOLE_TABLE` or `RANDOM_SEGMENTS`.
        totals: what was read.
    """

    items: list[bytes]
    method: str
    totals: Totals


class _Reservoir:
    """A random set of at most `size` of the items that it has seen; all sets are equally likely."""

    def __init__(self, size: int, below: Callable[[int], int]) -> None:
        self._size = size
        self._below = below
        self.items: list[bytes] = []
        self.seen = 0

    def add(self, item: msgspec.Raw) -> None:
        self.seen += 1
        if len(self.items) < self._size:
            self.items.append(bytes(item))  # a copy, since a Raw keeps its whole page
            return
        place = self._below(self.seen)
        if place < self._size:
            self.items[place] = bytes(item)


async def sampled(
    place: Endpoint,
    options: ScanOptions,
    size: int,
    clock: Clock,
    *,
    exact: bool = False,
    on_totals: Callable[[Totals], None] = lambda _: None,
) -> Sample:
    """Random items that fulfil the filter. Raises InputError, CopyError.

    Args:
        place: holds the table.
        options: the table, filter and projection.
        size: the number of items.
        clock: time and randomness.
        exact: read the whole table.
        on_totals: receives the totals after each page.
    """
    target = await scan_target(place, options.table, options.index)
    sampler = _Sampler(place, options, target, clock, on_totals=on_totals)
    # A table that is read for the most part anyway is read as a whole.
    if exact or 0 < target.items <= 2 * size:
        return await sampler.whole(size)
    segments = min(SEGMENTS_MAX, target.items or SEGMENTS_MAX)
    while segments > _DRAWS * _GROWTH:
        found = await sampler.of_segments(size, segments)
        if found is not None:
            return found
        segments //= _GROWTH
    return await sampler.whole(size)


class _Sampler:
    def __init__(
        self,
        place: Endpoint,
        options: ScanOptions,
        target: ScanTarget,
        clock: Clock,
        *,
        on_totals: Callable[[Totals], None],
    ) -> None:
        self._clock = clock
        self._target = target
        self._on_totals = on_totals
        self._began_ns = clock.monotonic_ns()
        pacer = Pacer(clock, parallel=_DRAWS, units_a_second=options.rate_limit)
        self._pacer = pacer
        self._scanner = Scanner(place, options.request(target), pacer)
        self._totals = Totals()

    def _below(self, end: int) -> int:
        """A random number below `end`."""
        drawn = int.from_bytes(self._clock.random_bytes(_DRAWN_BYTES))
        return drawn * end >> 8 * _DRAWN_BYTES

    async def whole(self, size: int) -> Sample:
        """A sample of all items, which are read."""
        segments = chosen_segments(self._target.size_bytes)
        reservoir = _Reservoir(size, self._below)
        waiting = iter(range(segments))

        async def worker() -> None:
            for number in waiting:
                await self._read(number, segments, reservoir)

        async with asyncio.TaskGroup() as group:
            for _ in range(chosen_parallel(segments)):
                group.create_task(worker())
        return self._sample(reservoir, WHOLE_TABLE)

    async def of_segments(self, size: int, segments: int) -> Sample | None:
        """A sample of the items of random segments; None if most of them have no items."""
        reservoir = _Reservoir(size, self._below)
        drawn: set[int] = set()
        while reservoir.seen < size:
            if 2 * len(drawn) > segments:
                return None
            numbers: set[int] = set()
            while len(numbers) < _DRAWS:
                number = self._below(segments)
                if number not in drawn:
                    numbers.add(number)
            drawn |= numbers
            async with asyncio.TaskGroup() as group:
                for number in numbers:
                    group.create_task(self._read(number, segments, reservoir))
            if reservoir.seen < _SHARE_LEAST * len(drawn):
                return None
        return self._sample(reservoir, RANDOM_SEGMENTS)

    async def _read(self, number: int, segments: int, reservoir: _Reservoir) -> None:
        """Read a whole segment: a part of it would prefer the first items of a partition key."""
        after = None
        while True:
            page = await self._scanner.page(number, segments, after)
            for item in page.items:
                reservoir.add(item)
            totals = self._totals
            totals.scanned += page.scanned_count
            totals.units += page.units
            totals.throttled = self._pacer.throttled
            totals.items = len(reservoir.items)
            totals.seconds = (self._clock.monotonic_ns() - self._began_ns) / _NS_PER_S
            self._on_totals(totals)
            after = page.last_evaluated_key
            if after is None:
                return

    def _sample(self, reservoir: _Reservoir, method: str) -> Sample:
        items = reservoir.items
        for place in range(len(items) - 1, 0, -1):
            other = self._below(place + 1)
            items[place], items[other] = items[other], items[place]
        self._totals.items = len(items)
        return Sample(items, method, self._totals)
