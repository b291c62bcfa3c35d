"""Changes of items as records of Kinesis data streams, in DynamoDB's envelope. Pure.

The data are a JSON object with the change in both images, and the partition key is a hash of the
key of the item. Source: records of the service that users have published, 2021 to 2024.
"""

from hashlib import md5
from typing import Final, Literal
from uuid import UUID

import msgspec

from hashrange.model.log import Actor
from hashrange.model.sizes import attribute_bytes
from hashrange.model.table import Table
from hashrange.model.table_features import Precision
from hashrange.tables.items.images import Image
from hashrange.tables.log.change_log import ChangeRecord
from hashrange.tables.streams.names import Position, event_id, sequence_number
from hashrange.tables.streams.records import event_name, keys_of

_SOURCE: Final = "aws:dynamodb"
_FORMAT: Final = "application/json"
_MICROSECONDS: Final = 1000
"""In a millisecond: the times of the change log have no finer resolution."""
_UNIT_BYTES: Final = 1024

_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.encode


class _Identity(msgspec.Struct, frozen=True, rename="camel"):
    type: str
    principal_id: str


class _Change(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    approximate_creation_date_time: int
    keys: dict[str, msgspec.Raw]
    new_image: msgspec.Raw | None = None
    old_image: msgspec.Raw | None = None
    size_bytes: int
    approximate_creation_date_time_precision: Literal["MICROSECOND"] | None = None


class _Envelope(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    aws_region: str
    event_id: str = msgspec.field(name="eventID")
    event_name: str
    user_identity: _Identity | None
    record_format: str = _FORMAT
    table_name: str
    dynamodb: _Change
    event_source: str = _SOURCE


_SERVICE: Final = _Identity("Service", "dynamodb.amazonaws.com")
"""The author of deletions of items whose time to live is over."""


class Enveloped(msgspec.Struct, frozen=True):
    """A change as a record of a stream: its partition key and its data."""

    partition_key: str
    data: bytes

    @property
    def size(self) -> int:
        """The bytes that limits count; a partition key is ASCII."""
        return len(self.data) + len(self.partition_key)


def enveloped(
    table: Table, position: Position, record: ChangeRecord, precision: Precision | None
) -> Enveloped:
    """The record of a change.

    Args:
        table: of the item.
        position: of the change in its log.
        record: the change, with both images.
        precision: of its time.
    """
    image = record.before if record.after is None else record.after
    assert image is not None, "a change has an old or a new image"
    members, keys = _members(image.json), keys_of(table, record)
    images = [each for each in (record.before, record.after) if each is not None]
    is_fine = precision == "MICROSECOND"
    change = _Change(
        approximate_creation_date_time=record.time_ms * (_MICROSECONDS if is_fine else 1),
        keys={name: members[name] for name in keys},
        new_image=_raw(record.after),
        old_image=_raw(record.before),
        size_bytes=sum(attribute_bytes(name, value) for name, value in keys.items())
        + sum(each.size for each in images),
        approximate_creation_date_time_precision="MICROSECOND" if is_fine else None,
    )
    envelope = _Envelope(
        aws_region=table.region,
        event_id=str(UUID(event_id(table, sequence_number(position.log, position.record)))),
        event_name=event_name(record),
        user_identity=_SERVICE if record.who is Actor.TIME_TO_LIVE else None,
        table_name=table.name,
        dynamodb=change,
    )
    hashed = md5(_encode(change.keys), usedforsecurity=False).hexdigest().upper()
    return Enveloped(hashed, _encode(envelope))


def units_of(record: ChangeRecord) -> int:
    """The change data capture units of a change: one for each KB of the larger image."""
    sizes = [each.size for each in (record.before, record.after) if each is not None]
    return max(1, -(-max(sizes, default=0) // _UNIT_BYTES))


def _raw(image: Image | None) -> msgspec.Raw | None:
    return None if image is None else msgspec.Raw(image.json)
