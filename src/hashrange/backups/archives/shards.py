"""The deletions of expired items in a change log, and the reader that keeps the log for archives.

The reader needs all records from its first shard on. It moves to the next shard when the objects of
a closed shard are stored. No other position is kept.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from hashrange.model.log import Actor, LogReader, Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Pair
from hashrange.tables.log.change_log import history_from
from hashrange.tables.log.shards import with_reader, without_reader

READER: Final = "archive"
"""The name of the reader of the log."""
_MS: Final = 1000


class ArchivedRow(msgspec.Struct, frozen=True):
    """A row of an object: its date, and the line of JSON that it is made of."""

    date: str
    line: bytes


def reader_of(table: Table) -> LogReader | None:
    """The reader that keeps the log for the archive, if the table has one."""
    return next((each for each in table.log.readers if each.name == READER), None)


def begun(table: Table, *, shards: int, now_ms: int) -> Table:
    """The table with an archive, of the items that expire from now on."""
    if reader_of(table) is not None:
        return table
    # `with_reader` gives it the shards that are opened now.
    return with_reader(table, LogReader(name=READER, kind="ARCHIVE", first_shard=0), shards, now_ms)


def ended(table: Table, *, now_ms: int) -> Table:
    """The table without an archive."""
    return without_reader(table, READER, now_ms)


def due_shards(table: Table) -> Sequence[Shard]:
    """The shards to be stored next, in the order of their numbers: those before the first open."""
    reader, found = reader_of(table), list[Shard]()
    for shard in sorted(table.log.shards, key=lambda each: each.number):
        if reader is None or (shard.closed_ms is None and shard.number >= reader.first_shard):
            break
        if shard.number >= reader.first_shard:
            found.append(shard)
    return found


def stored(table: Table, *, number: int, shard: int) -> Table:
    """The table after the deletions of a shard were stored: the log is no longer kept for them.

    Args:
        table: the definition, perhaps of another table that now has the name.
        number: that of the table whose shard it is.
        shard: the number of the shard.
    """
    reader = reader_of(table)
    if table.number != number or reader is None or reader.first_shard > shard:
        return table
    moved = msgspec.structs.replace(reader, first_shard=shard + 1)
    readers = tuple(moved if each.name == READER else each for each in table.log.readers)
    return msgspec.structs.replace(table, log=msgspec.structs.replace(table.log, readers=readers))


def archived_rows(table: Table, pairs: Sequence[Pair]) -> Iterator[ArchivedRow]:
    """The rows of the deletions of expired items in some records of a shard."""
    names = [attribute.name for attribute in table.key_attributes]
    for _, value in pairs:
        record = history_from(value)
        before = record.before
        # Those that other regions have deleted are in their archives.
        if record.who is not Actor.TIME_TO_LIVE or before is None or record.unkept is not None:
            continue
        time = datetime.fromtimestamp(record.time_ms / _MS, UTC)
        item = msgspec.json.decode(before.json, type=Mapping[str, msgspec.Raw])
        row = {
            "version": record.version,
            "time": time.replace(tzinfo=None).isoformat(sep=" ", timespec="milliseconds"),
            "bytes": before.size,
            "key": msgspec.json.encode({name: item[name] for name in names}).decode(),
            "item": msgspec.Raw(before.json),
        }
        yield ArchivedRow(time.date().isoformat(), msgspec.json.encode(row) + b"\n")
