"""Finds the shards that a trigger reads, and those that are due; counts its invocations."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.background.triggers.positions import ShardKey
from hashrange.model.log import Shard
from hashrange.observe.figures import labelled
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.streams.finding import TableStream

NAMESPACE_PARTS: Final = 3


class Source(msgspec.Struct, frozen=True):
    """A shard that can be read, of the trigger's table or of a dropped table of its name."""

    stream: TableStream
    shard: Shard

    @property
    def key(self) -> ShardKey:
        """The key of the shard."""
        return self.stream.table.number, self.shard.number


def namespace_of(catalog: Catalog, table: str) -> tuple[Catalog, str]:
    """The catalog and the name of a table written as `name` or `account:region:name`."""
    parts = table.split(":")
    if len(parts) < NAMESPACE_PARTS:
        return catalog, table
    account, region, name = parts
    return catalog.within(account, region), name


async def sources_of(catalog: Catalog, name: str) -> list[Source]:
    """The shards of a table's streams and of dropped tables of its name, oldest stream first."""
    # In this order, a table that is dropped between the two reads is found twice, not missed.
    opened = await catalog.open(name)
    tables = {} if opened is None else {opened.table.number: opened}
    for dropped in await catalog.dropped.opened():
        if dropped.table.name == name:
            tables[dropped.table.number] = dropped
    streams = [
        TableStream(each.table, stream, each.fences)
        for each in tables.values()
        for stream in each.table.streams
    ]
    streams.sort(key=_age)
    return [Source(each, shard) for each in streams for shard in each.shards]


def _age(stream: TableStream) -> tuple[int, int]:
    return stream.stream.created_ms, stream.table.number


def due(sources: Sequence[Source], finished: Collection[ShardKey]) -> list[Source]:
    """The shards that may be read now: their parents and all earlier streams are finished.

    So the changes of an item are delivered in order across shards and streams.
    """
    left = [source for source in sources if source.key not in finished]
    if not left:
        return []
    first = _age(left[0].stream)
    stream = [source for source in left if _age(source.stream) == first]
    waiting = {source.shard.number for source in stream}
    return [source for source in stream if source.shard.parent not in waiting]


_MS: Final = 1000

Reader: TypeAlias = tuple[str, ShardKey]
"""The name of a trigger, and one of its shards."""


class TriggerCounts:
    """Counts of one trigger since the server started.

    Attributes:
        table: the table whose changes it delivers, as its definition names it.
        delivered: records that a destination accepted.
        failures: calls that failed; their records are sent again, or given up.
        given_up: records that were given up.
    """

    __slots__ = ("delivered", "failures", "given_up", "table")

    def __init__(self, table: str) -> None:
        self.table = table
        self.delivered = self.failures = self.given_up = 0


class TriggerCounters:
    """Counters of all triggers since the server started.

    Attributes:
        waiting: the time, in ms, of the oldest record that each reader is delivering.
    """

    def __init__(self) -> None:
        self._counts: dict[str, TriggerCounts] = {}
        self.waiting: dict[Reader, int] = {}

    def of(self, name: str, table: str) -> TriggerCounts:
        """The counts of a trigger, by its name."""
        return self._counts.setdefault(name, TriggerCounts(table))

    def figures(self, now_ms: int) -> Mapping[str, float]:
        """The values of the counters, by the names of their metrics."""
        found = dict[str, float]()
        for name, counts in self._counts.items():
            times = [at_ms for (each, _), at_ms in self.waiting.items() if each == name]
            oldest_ms = min(times, default=now_ms)
            for figure, value in (
                ("trigger_records_total", counts.delivered),
                ("trigger_failures_total", counts.failures),
                ("trigger_records_given_up_total", counts.given_up),
                ("trigger_lag_seconds", max(0, now_ms - oldest_ms) / _MS),
            ):
                found[labelled(figure, name, counts.table)] = value
        return found
