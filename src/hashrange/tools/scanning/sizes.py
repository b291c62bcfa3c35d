"""The distribution of the sizes of items, and of items and bytes by partition key."""

import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.clock import Clock
from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item
from hashrange.model.sizes import item_bytes
from hashrange.model.wording import Wording
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.item_lines import plain_of
from hashrange.tools.scanning.jobs import Job, Totals, new_checkpoint
from hashrange.tools.scanning.pacing import Pacer
from hashrange.tools.scanning.scan import ScanOptions
from hashrange.tools.scanning.segments import (
    Scanner,
    ScanPage,
    ScanTarget,
    chosen_parallel,
    scan_target,
)

LARGEST_SHOWN: Final = 10
_decode: Final = msgspec.json.Decoder(dict[str, dict[str, Any]]).decode


class Bin(msgspec.Struct, frozen=True, rename={"least": "from", "most": "to"}):
    """A bar of a histogram.

    Attributes:
        least: the smallest value that counts, inclusive.
        most: the largest value that counts, inclusive.
        count: how many there are.
        total: the sum of their values.
    """

    least: int
    most: int
    count: int
    total: int


class Distribution(msgspec.Struct, frozen=True):
    """A distribution of whole numbers.

    Attributes:
        count: how many there are.
        total: their sum.
        mean: 0 if there are none.
        p50: half of them are not greater; from the exact values, or the ends of bins.
        p90: as `p50`, nine of ten.
        p99: as `p50`, 99 of 100.
        most: the greatest.
        bins: a histogram by powers of two.
    """

    count: int
    total: int
    mean: float
    p50: int
    p90: int
    p99: int
    most: int = msgspec.field(name="max")
    bins: Sequence[Bin] = ()


class SizedItem(msgspec.Struct, frozen=True):
    """An item's key in plain JSON, and its bytes."""

    key: Mapping[str, Any]
    bytes: int


class Collection(msgspec.Struct, frozen=True):
    """A partition key in plain JSON, with its items and their bytes."""

    key: Any
    items: int
    bytes: int


class Sizes(msgspec.Struct, frozen=True):
    """The sizes of the items of a table or an index.

    Attributes:
        items: of their bytes, as DynamoDB counts them.
        partition_key_items: of the items of each partition key.
        partition_key_bytes: of the bytes of each partition key.
        largest_items: the greatest first.
        largest_partition_keys: the partition keys with the most bytes.
        fullest_partition_keys: the partition keys with the most items.
        totals: what was read.
    """

    items: Distribution
    partition_key_items: Distribution
    partition_key_bytes: Distribution
    largest_items: Sequence[SizedItem]
    largest_partition_keys: Sequence[Collection]
    fullest_partition_keys: Sequence[Collection]
    totals: Totals


class _Values:
    """Counts values: exactly if they are few enough, by the bin otherwise."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._totals: Counter[int] = Counter()
        self._exact: Counter[int] | None = Counter()
        self._most = 0

    def add(self, value: int) -> None:
        self._counts[value.bit_length()] += 1
        self._totals[value.bit_length()] += value
        self._most = max(self._most, value)
        if self._exact is not None:
            self._exact[value] += 1
            if len(self._exact) > _EXACT_MAX:
                self._exact = None

    def distribution(self) -> Distribution:
        count, total = self._counts.total(), self._totals.total()
        return Distribution(
            count=count,
            total=total,
            mean=total / count if count else 0.0,
            p50=self._quantile(0.5),
            p90=self._quantile(0.9),
            p99=self._quantile(0.99),
            most=self._most,
            bins=[
                Bin(1 << bits >> 1, (1 << bits) - 1, self._counts[bits], self._totals[bits])
                for bits in sorted(self._counts)
            ],
        )

    def _quantile(self, share: float) -> int:
        counts = self._exact
        if counts is None:
            ends = {bits: min((1 << bits) - 1, self._most) for bits in self._counts}
            counts = Counter({ends[bits]: count for bits, count in self._counts.items()})
        wanted, seen = share * counts.total(), 0
        for value in sorted(counts):
            seen += counts[value]
            if seen >= wanted:
                return value
        return 0


_EXACT_MAX: Final = 500_000
"""Different values that are counted one by one: more than an item can have sizes."""


class _Largest:
    """The entries with the greatest values."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Any]] = []
        self._number = 0

    def offer(self, value: int, made: Callable[[], Any]) -> None:
        """Keep what `made` returns if its value is among the greatest."""
        self._number += 1
        if len(self._heap) < LARGEST_SHOWN:
            heapq.heappush(self._heap, (value, -self._number, made()))
        elif value > self._heap[0][0]:
            heapq.heapreplace(self._heap, (value, -self._number, made()))

    @property
    def entries(self) -> list[Any]:
        return [entry for _, _, entry in sorted(self._heap, reverse=True)]


class _Run:
    """Items of one partition key that follow each other."""

    def __init__(self, key: Mapping[str, Any]) -> None:
        self.key = key
        self.items = 0
        self.bytes = 0


class SizeCounter:
    """Counts the sizes of items, in memory that does not grow with the table.

    The items of a partition key follow each other in a scan. A large one may be divided between
    segments, so the first and the last one of each segment are counted at the end.

    Args:
        target: the table or index.
        segments: the number of segments.
    """

    def __init__(self, target: ScanTarget, segments: int) -> None:
        self._key_names = [*dict.fromkeys([*target.own_key_names, *target.key_names])]
        self._partition_key = target.own_key_names[0]
        self._first: list[_Run | None] = [None] * segments
        self._open: list[_Run | None] = [None] * segments
        self._items = _Values()
        self._key_items = _Values()
        self._key_bytes = _Values()
        self._largest_items = _Largest()
        self._largest_keys = _Largest()
        self._fullest_keys = _Largest()

    def add(self, segment: int, text: msgspec.Raw | bytes) -> None:
        """Count an item of a segment."""
        item = _decode(text)
        size = _bytes_of(item)
        self._items.add(size)
        self._largest_items.offer(size, lambda: SizedItem(self._key_of(item), size))
        key = item[self._partition_key]
        run = self._open[segment]
        if run is None or run.key != key:
            if run is not None and run is not self._first[segment]:
                self._count(run)
            run = self._open[segment] = _Run(key)
            if self._first[segment] is None:
                self._first[segment] = run
        run.items += 1
        run.bytes += size

    def sizes(self, totals: Totals) -> Sizes:
        """The sizes of all items that were counted."""
        joined: dict[bytes, _Run] = {}
        ends = {id(run): run for run in (*self._first, *self._open) if run is not None}
        for run in ends.values():
            whole = joined.setdefault(msgspec.json.encode(run.key), _Run(run.key))
            whole.items += run.items
            whole.bytes += run.bytes
        for run in joined.values():
            self._count(run)
        return Sizes(
            items=self._items.distribution(),
            partition_key_items=self._key_items.distribution(),
            partition_key_bytes=self._key_bytes.distribution(),
            largest_items=self._largest_items.entries,
            largest_partition_keys=self._largest_keys.entries,
            fullest_partition_keys=self._fullest_keys.entries,
            totals=totals,
        )

    def _count(self, run: _Run) -> None:
        self._key_items.add(run.items)
        self._key_bytes.add(run.bytes)

        def collection() -> Collection:
            return Collection(_plain(run.key), run.items, run.bytes)

        self._largest_keys.offer(run.bytes, collection)
        self._fullest_keys.offer(run.items, collection)

    def _key_of(self, item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {name: _plain(item[name]) for name in self._key_names if name in item}


def _plain(value: Mapping[str, Any]) -> Any:
    return plain_of("", value, False)  # noqa: FBT003 - as its docstring says


def _bytes_of(item: Mapping[str, Any]) -> int:
    try:
        return canonical_item(item, Wording.CURRENT).bytes
    except DynamoError:  # other servers may store items that DynamoDB does not
        return item_bytes(item)


async def sizes_of(
    place: Endpoint, options: ScanOptions, clock: Clock, on_totals: Callable[[Totals], None]
) -> Sizes:
    """The sizes of all items of a table or an index. Raises InputError, CopyError."""
    target = await scan_target(place, options.table, options.index)
    checkpoint = new_checkpoint({}, options.segments_of(target))
    segments = len(checkpoint.segments)
    parallel = options.segments or chosen_parallel(segments)
    pacer = Pacer(clock, parallel=parallel, units_a_second=options.rate_limit)
    counter = SizeCounter(target, segments)

    async def on_page(number: int, page: ScanPage) -> bool:
        for item in page.items:
            counter.add(number, item)
        checkpoint.totals.items += len(page.items)
        checkpoint.totals.throttled = pacer.throttled
        return True

    scanner = Scanner(place, options.request(target), pacer)
    await Job(checkpoint, clock, on_totals=on_totals).run(scanner, on_page, parallel=parallel)
    return counter.sizes(checkpoint.totals)
