"""Which streams there are: of tables, and of deleted tables as long as records are kept."""

from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import streams as messages
from hashrange.model.log import Shard
from hashrange.model.stream import Stream
from hashrange.model.table import Table
from hashrange.storage.engine import NO_FENCES, Fences
from hashrange.streams.names import (
    arn_of,
    label_of,
    number_of_shard,
    parent_id_of,
    shard_id_of,
)
from hashrange.tables.catalog import Catalog
from hashrange.tables.opened import OpenTable
from hashrange.wire.arns import Arn, parsed

_TABLES_PAGE: Final = 100


class TableStream(msgspec.Struct, frozen=True):
    """A stream and its table; valid as long as the fences hold."""

    table: Table
    stream: Stream
    fences: Fences

    @property
    def arn(self) -> str:
        """The ARN of the stream."""
        return arn_of(self.table, self.stream)

    @property
    def shards(self) -> list[Shard]:
        """The shards that can be read, by number."""
        return self.table.shards_of(self.stream)

    def shard(self, number: int) -> Shard | None:
        """The shard of that number, if it can be read."""
        return next((shard for shard in self.shards if shard.number == number), None)

    def parent_id_of(self, shard: Shard) -> str | None:
        """The id of the shard that one goes on from, if it was one of this stream; see there."""
        is_first = shard.parent is None or shard.parent < self.stream.first_shard
        return None if is_first else parent_id_of(shard)

    def shard_of_id(self, shard_id: str) -> Shard | None:
        """The shard of that id, if it can be read."""
        number = number_of_shard(shard_id)
        shard = None if number is None else self.shard(number)
        return shard if shard is not None and shard_id_of(shard) == shard_id else None


def stream_name(arn: str) -> Arn:
    """The table and the label in the ARN of a stream. Raises ValidationException."""
    name = parsed(arn)
    if name is None or name.label is None:
        raise invalid(messages.invalid_stream_arn())
    return name


async def find_stream(catalog: Catalog, arn: str) -> TableStream:
    """The stream of an ARN. Raises ValidationException, ResourceNotFoundException."""
    name = stream_name(arn)
    opened = await catalog.open(name.table)
    tables = [] if opened is None else [opened]
    found = _labelled(tables, name) or _labelled(await catalog.dropped_open(), name)
    if found is None:
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.stream_not_found(arn))
    return found


def _labelled(tables: list[OpenTable], name: Arn) -> TableStream | None:
    for opened in tables:
        if opened.table.name == name.table:
            for stream in opened.table.streams:
                if label_of(stream.created_ms) == name.label:
                    return TableStream(opened.table, stream, opened.fences)
    return None


async def streams_after(
    catalog: Catalog, after: Arn | None, table: str | None, limit: int
) -> list[TableStream]:
    """At most `limit` streams behind one in the order of tables' names, then of labels.

    Args:
        catalog: where to look.
        after: table and label of the stream before; None to begin.
        table: look at the streams of tables of this name only.
        limit: how many at most.
    """
    last = ("", "") if after is None else (after.table, str(after.label))
    dropped = [each for each in await catalog.dropped() if each.streams]
    if table is not None:
        opened = await catalog.open(table)
        tables = [] if opened is None else [opened.table]
        tables += [each for each in dropped if each.name == table]
        return _sorted(tables, last)[:limit]
    found: list[TableStream] = []
    name: str | None = None
    while len(found) < limit:
        # The first page begins with the table of the stream before, which may have more.
        page = await catalog.page(
            last[0] if name is None else name, _TABLES_PAGE, first=name is None
        )
        upto = page[-1].name if len(page) == _TABLES_PAGE else None
        gone = [
            each
            for each in dropped
            if (name is None or each.name > name) and (upto is None or each.name <= upto)
        ]
        found += _sorted([*page, *gone], last)
        if upto is None:
            break
        name = upto
    return found[:limit]


def _sorted(tables: list[Table], last: tuple[str, str]) -> list[TableStream]:
    streams = [
        TableStream(table, stream, NO_FENCES) for table in tables for stream in table.streams
    ]
    places = {_place(each): each for each in streams}
    return [places[place] for place in sorted(places) if place > last]


def _place(stream: TableStream) -> tuple[str, str]:
    return stream.table.name, label_of(stream.stream.created_ms)
