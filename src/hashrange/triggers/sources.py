"""Which shards there are for a trigger to read, and which of them are their turn."""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from hashrange.model.log import Shard
from hashrange.streams.finding import TableStream
from hashrange.tables.catalog import Catalog
from hashrange.triggers.positions import Place

NAMESPACE_PARTS: Final = 3


class Source(msgspec.Struct, frozen=True):
    """A shard that can be read, of the table of a trigger or of one that had its name."""

    stream: TableStream
    shard: Shard

    @property
    def place(self) -> Place:
        """Where its records lie."""
        return self.stream.table.number, self.shard.number


def namespace_of(catalog: Catalog, table: str) -> tuple[Catalog, str]:
    """Where a table is looked for, and under which name: `account:region:name`, or `name`."""
    parts = table.split(":")
    if len(parts) < NAMESPACE_PARTS:
        return catalog, table
    account, region, name = parts
    return catalog.within(account, region), name


async def sources_of(catalog: Catalog, name: str) -> list[Source]:
    """All shards of the streams of a table, and of dropped ones of its name, oldest first."""
    # In this order: a table that is dropped meanwhile is seen twice, not overlooked.
    opened = await catalog.open(name)
    tables = {} if opened is None else {opened.table.number: opened}
    for dropped in await catalog.dropped_open():
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


def due(sources: Sequence[Source], finished: Collection[Place]) -> list[Source]:
    """The shards whose turn it is: after their parents, and after all streams before theirs.

    So the changes of an item come in their order, across shards, and across streams too.
    """
    left = [source for source in sources if source.place not in finished]
    if not left:
        return []
    first = _age(left[0].stream)
    stream = [source for source in left if _age(source.stream) == first]
    waiting = {source.shard.number for source in stream}
    return [source for source in stream if source.shard.parent not in waiting]
