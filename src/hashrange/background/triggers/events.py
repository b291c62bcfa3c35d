"""Records in the form that Lambda passes to functions. Pure.

They are the records of GetRecords with other spellings and the stream's ARN.
"""

from collections.abc import Sequence

import msgspec

from hashrange.model.structures.streams import StreamRecord
from hashrange.tables.streams.finding import TableStream
from hashrange.tables.streams.records import NumberedRecord, client_record


class EventIdentity(msgspec.Struct, frozen=True, rename="camel"):
    """The service as the author of a change; records of callers' changes have none."""

    principal_id: str
    type: str


class EventRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the `Records` of Lambda's event."""

    event_id: str = msgspec.field(name="eventID")
    event_name: str = msgspec.field(name="eventName")
    event_version: str = msgspec.field(name="eventVersion")
    event_source: str = msgspec.field(name="eventSource")
    aws_region: str = msgspec.field(name="awsRegion")
    dynamodb: StreamRecord
    user_identity: EventIdentity | None = msgspec.field(name="userIdentity", default=None)
    event_source_arn: str = msgspec.field(name="eventSourceARN")


class Entry(msgspec.Struct, frozen=True):
    """A record that is being delivered."""

    number: int
    """Its number in its shard."""
    sequence_number: str
    time_ms: int
    """The time of its change."""
    json: bytes
    """The record as it is sent."""


def entry_of(stream: TableStream, log: int, numbered: NumberedRecord) -> Entry:
    """The entry of a record; `log` is the number of its shard."""
    record = client_record(stream, log, numbered)
    identity = record.user_identity
    event = EventRecord(
        event_id=record.event_id,
        event_name=record.event_name,
        event_version=record.event_version,
        event_source=record.event_source,
        aws_region=record.aws_region,
        # Lambda's events have the time with a decimal point, GetRecords has it without.
        dynamodb=msgspec.structs.replace(
            record.dynamodb,
            approximate_creation_date_time=float(record.dynamodb.approximate_creation_date_time),
        ),
        user_identity=None
        if identity is None
        else EventIdentity(identity.principal_id, identity.type),
        event_source_arn=stream.arn,
    )
    number = record.dynamodb.sequence_number
    return Entry(numbered.number, number, numbered.record.time_ms, msgspec.json.encode(event))


def event_of(entries: Sequence[Entry]) -> bytes:
    """The event of a batch, as JSON."""
    return b'{"Records":[' + b",".join([entry.json for entry in entries]) + b"]}"
