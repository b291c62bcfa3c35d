"""Change records as clients receive them, with the images of the view type; reads of shards."""

from typing import Final, Literal, assert_never

import msgspec

from hashrange.limits.tables import STREAM_PAGE_BYTES_MAX
from hashrange.model.log import Actor, Shard
from hashrange.model.sizes import attribute_bytes
from hashrange.model.structures.streams import Identity, Record, StreamRecord
from hashrange.model.table import Table
from hashrange.model.table_features import StreamViewType
from hashrange.model.values import AttributeValue
from hashrange.storage.engine import Engine
from hashrange.tables.items.images import Image
from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.keys.log_keys import record_key, record_number
from hashrange.tables.log.change_log import ChangeRecord, is_change, record_from, time_ms_of
from hashrange.tables.streams.finding import TableStream
from hashrange.tables.streams.names import event_id, sequence_number

RECORDS_END: Final = 2**64 - 1
"""A number above those of all records."""


class NumberedRecord(msgspec.Struct, frozen=True):
    """A change record and its number within its shard."""

    number: int
    record: ChangeRecord


class Page(msgspec.Struct, frozen=True):
    """Records of a shard, in the order of their numbers."""

    records: list[NumberedRecord]
    more: bool
    """The page is full, so there may be more records."""


async def read_records(
    engine: Engine, stream: TableStream, shard: Shard, start: int, *, limit: int
) -> Page:
    """A page of records with numbers from `start` on, of at most `limit` records.

    Raises StaleFenceError: the table has changed, so records of the page may have been trimmed.
    """
    first, end = _range(stream.table, shard, max(start, shard.trimmed_to))
    pairs = await engine.scan(
        first, end, limit=limit, bytes_max=STREAM_PAGE_BYTES_MAX, fences=stream.fences
    )
    read = [NumberedRecord(record_number(key), record_from(value)) for key, value in pairs]
    # Other replicas must know of a write that does not change its item, but it is no change.
    records = [each for each in read if is_change(each.record.before, each.record.after)]
    stored = sum(len(value) for _, value in pairs)
    return Page(records, len(pairs) == limit or stored >= STREAM_PAGE_BYTES_MAX)


async def next_record(engine: Engine, table: Table, shard: Shard) -> int:
    """A number above those of all present records, and not above those of later ones."""
    first, end = _range(table, shard, shard.cleared_to)
    pairs = await engine.scan(first, end, limit=1, bytes_max=1, reverse=True)
    return max(record_number(pairs[0][0]) + 1 if pairs else 1, shard.trimmed_to)


async def first_at(
    engine: Engine, table: Table, shard: Shard, time_ms: int, *, start: int | None = None
) -> int:
    """The number of the first record with a stamp of `time_ms` or later; else `next_record`.

    A binary search, since the stamps of a shard never decrease. It begins with the record `start`,
    by default with the first that streams show.
    """
    low = shard.trimmed_to if start is None else start
    high = max(low, await next_record(engine, table, shard))
    while low < high:
        middle = (low + high) // 2
        first, end = _range(table, shard, middle)
        pairs = await engine.scan(first, end, limit=1, bytes_max=1)
        if pairs and time_ms_of(pairs[0][1]) < time_ms:
            low = record_number(pairs[0][0]) + 1
        else:
            high = middle
    return low


def _range(table: Table, shard: Shard, start: int) -> key_ranges.Range:
    log = keyspace.log_key(table.number, shard.number)
    return record_key(log, start), record_key(log, RECORDS_END)


_VERSION: Final = "1.1"
_SOURCE: Final = "aws:dynamodb"

_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_value: Final = msgspec.json.Decoder(AttributeValue).decode


_SERVICE: Final = Identity("dynamodb.amazonaws.com", "Service")


def client_record(stream: TableStream, log: int, numbered: NumberedRecord) -> Record:
    """The record that a client of the stream receives; `log` is the number of its shard."""
    record, table = numbered.record, stream.table
    number = sequence_number(log, numbered.number)
    view_type = stream.stream.view_type
    keys = keys_of(table, record)
    old, new = _images(record, view_type)
    images = (image for image in (old, new) if image is not None)
    return Record(
        event_id=event_id(table, number),
        event_name=event_name(record),
        event_version=_VERSION,
        event_source=_SOURCE,
        aws_region=table.region,
        dynamodb=StreamRecord(
            approximate_creation_date_time=record.time_ms // 1000,
            keys=keys,
            new_image=None if new is None else msgspec.Raw(new.json),
            old_image=None if old is None else msgspec.Raw(old.json),
            sequence_number=number,
            size_bytes=sum(attribute_bytes(name, value) for name, value in keys.items())
            + sum(image.size for image in images),
            stream_view_type=view_type,
        ),
        user_identity=_SERVICE if record.who is Actor.TIME_TO_LIVE else None,
    )


def keys_of(table: Table, record: ChangeRecord) -> dict[str, AttributeValue]:
    """The key of the item that was changed."""
    image = record.before if record.after is None else record.after
    assert image is not None, "a change has an old or a new image"
    members = _members(image.json)
    return {attribute.name: _value(members[attribute.name]) for attribute in table.key_attributes}


def _images(record: ChangeRecord, view_type: StreamViewType) -> tuple[Image | None, Image | None]:
    """The old and the new image; None for those that the view type leaves out."""
    match view_type:
        case "KEYS_ONLY":
            return None, None
        case "NEW_IMAGE":
            return None, record.after
        case "OLD_IMAGE":
            return record.before, None
        case "NEW_AND_OLD_IMAGES":
            return record.before, record.after
        case _:
            assert_never(view_type)


def event_name(record: ChangeRecord) -> Literal["INSERT", "MODIFY", "REMOVE"]:
    """How the item was changed."""
    if record.before is None:
        return "INSERT"
    return "REMOVE" if record.after is None else "MODIFY"
