"""Change records as clients receive them, with the images of the stream's view type. Pure."""

from typing import Final, Literal, assert_never

import msgspec

from hashrange.model.log import Actor
from hashrange.model.sizes import attribute_bytes
from hashrange.model.stream import StreamViewType
from hashrange.model.structures.streams import Identity, Record, StreamRecord
from hashrange.model.table import Table
from hashrange.model.values import AttributeValue
from hashrange.tables.items.images import Image
from hashrange.tables.log.change_log import ChangeRecord
from hashrange.tables.streams.finding import TableStream
from hashrange.tables.streams.names import event_id, sequence_number
from hashrange.tables.streams.reading import NumberedRecord

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
    keys = _keys(table, record)
    old, new = _images(record, view_type)
    images = (image for image in (old, new) if image is not None)
    return Record(
        event_id=event_id(table, number),
        event_name=_event_name(record),
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


def _keys(table: Table, record: ChangeRecord) -> dict[str, AttributeValue]:
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


def _event_name(record: ChangeRecord) -> Literal["INSERT", "MODIFY", "REMOVE"]:
    if record.before is None:
        return "INSERT"
    return "REMOVE" if record.after is None else "MODIFY"
