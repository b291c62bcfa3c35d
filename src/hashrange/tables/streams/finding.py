"""Finds streams, of tables and of deleted tables whose records are still kept."""

from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import streams as messages
from hashrange.model.log import Shard
from hashrange.model.table import Table
from hashrange.model.table_features import Stream, label_of
from hashrange.storage.engine import NO_FENCES, Fences
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.streams.names import (
    arn_of,
    number_of_shard,
    parent_id_of,
    shard_id_of,
)
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
        """The shards that can be read, in the order of their numbers."""
        return self.table.shards_of(self.stream)

    def shard(self, number: int) -> Shard | None:
        """The shard with that number; None if it cannot be read."""
        return next((shard for shard in self.shards if shard.number == number), None)

    def parent_id_of(self, shard: Shard) -> str | None:
        """The id of a shard's parent; None if it has none, or its parent is of another stream."""
        is_first = shard.parent is None or shard.parent < self.stream.first_shard
        return None if is_first else parent_id_of(shard)

    def shard_of_id(self, shard_id: str) -> Shard | None:
        """The shard with that id; None if it cannot be read."""
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
    stream = _labelled(tables, name) or _labelled(await catalog.dropped.opened(), name)
    if stream is None:
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.stream_not_found(arn))
    return stream


def _labelled(tables: list[OpenTable], name: Arn) -> TableStream | None:
    for opened in tables:
        if opened.table.name == name.table and name.label is not None:
            stream = stream_of(opened.table, name.label)
            if stream is not None:
                return TableStream(opened.table, stream, opened.fences)
    return None


def stream_of(table: Table, label: str) -> Stream | None:
    """The stream of a table with a label, if it can still be read."""
    return next((each for each in table.streams if label_of(each.created_ms) == label), None)


async def streams_after(
    catalog: Catalog, after: Arn | None, table: str | None, limit: int
) -> list[TableStream]:
    """A page of streams, ordered by the table's name, then by label.

    Args:
        catalog: the tables of the caller.
        after: table and label of the last stream of the page before; None for the first page.
        table: only streams of tables with this name; None for all.
        limit: the most streams to return.
    """
    last = ("", "") if after is None else (after.table, str(after.label))
    dropped = [each for each in await catalog.dropped.tables() if each.streams]
    if table is not None:
        opened = await catalog.open(table)
        tables = [] if opened is None else [opened.table]
        tables += [each for each in dropped if each.name == table]
        return _sorted(tables, last)[:limit]
    streams: list[TableStream] = []
    name: str | None = None
    while len(streams) < limit:
        # The first page begins with the table of `after`, which may have more streams.
        page = await catalog.page(
            last[0] if name is None else name, _TABLES_PAGE, first=name is None
        )
        last_name = page[-1].name if len(page) == _TABLES_PAGE else None
        dropped_in_page = [
            each
            for each in dropped
            if (name is None or each.name > name) and (last_name is None or each.name <= last_name)
        ]
        streams += _sorted([*page, *dropped_in_page], last)
        if last_name is None:
            break
        name = last_name
    return streams[:limit]


def _sorted(tables: list[Table], last: tuple[str, str]) -> list[TableStream]:
    streams = [
        TableStream(table, stream, NO_FENCES) for table in tables for stream in table.streams
    ]
    by_key = {_sort_key(each): each for each in streams}
    return [by_key[key] for key in sorted(by_key) if key > last]


def _sort_key(stream: TableStream) -> tuple[str, str]:
    return stream.table.name, label_of(stream.stream.created_ms)
