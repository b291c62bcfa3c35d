"""Records as Lambda hands them to a function: those of GetRecords in other letters. Pure."""

from collections.abc import Sequence

import msgspec

from hashrange.streams.finding import TableStream
from hashrange.streams.reading import Numbered
from hashrange.streams.records import StreamRecord, seen


class EventIdentity(msgspec.Struct, frozen=True, rename="camel"):
    """Who changed it, if that was the service."""

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
    """A record on its way: its number in its log, when it was made, and what is sent of it."""

    number: int
    sequence_number: str
    time_ms: int
    json: bytes


def entry_of(stream: TableStream, log: int, numbered: Numbered) -> Entry:
    """A record of a log as it is sent."""
    record = seen(stream, log, numbered)
    who = record.user_identity
    sent = EventRecord(
        event_id=record.event_id,
        event_name=record.event_name,
        event_version=record.event_version,
        event_source=record.event_source,
        aws_region=record.aws_region,
        dynamodb=record.dynamodb,
        user_identity=None if who is None else EventIdentity(who.principal_id, who.type),
        event_source_arn=stream.arn,
    )
    number = record.dynamodb.sequence_number
    return Entry(numbered.number, number, numbered.record.time_ms, msgspec.json.encode(sent))


def event_of(entries: Sequence[Entry]) -> bytes:
    """The event of a batch, as JSON."""
    return b'{"Records":[' + b",".join([entry.json for entry in entries]) + b"]}"
