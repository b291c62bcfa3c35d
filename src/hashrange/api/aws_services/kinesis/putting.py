"""PutRecord, PutRecords: records are written to the shards of their hash keys."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.api.aws_services.kinesis.descriptions import UNENCRYPTED
from hashrange.api.aws_services.kinesis.requests import (
    KinesisContext,
    attempt,
    operation,
    stream_name,
)
from hashrange.api.aws_services.kinesis.service import KinesisError, invalid, invalid_argument
from hashrange.limits.kinesis import PUT_RECORDS_BYTES_MAX, RECORD_BYTES_MAX
from hashrange.messages import kinesis as messages
from hashrange.model.structures.kinesis import (
    PutRecord,
    PutRecordAnswer,
    PutRecords,
    PutRecordsAnswer,
    PutRecordsRequestEntry,
    PutRecordsResultEntry,
)
from hashrange.tables.kinesis.numbers import ShardAddress, sequence_number
from hashrange.tables.kinesis.records import NewRecord, append
from hashrange.tables.kinesis.rows import OpenStream
from hashrange.tables.kinesis.streams import HASHES, hash_of, shard_id
from hashrange.wire.model_constraints import kinesis as constraints
from hashrange.wire.service import by_name

_MB: Final = 1024 * 1024
_EXCEEDED: Final = "ProvisionedThroughputExceededException"


class _Sent(msgspec.Struct, frozen=True):
    """A record as it was sent, with its hash key."""

    hash_key: int
    partition_key: str
    data: bytes

    @property
    def size(self) -> int:
        """The bytes of data and partition key, which limits count."""
        return len(self.data) + len(self.partition_key.encode())


def _sent(record: PutRecord | PutRecordsRequestEntry, member: str) -> _Sent:
    """A record, checked. Raises ValidationException, InvalidArgumentException."""
    key, data, explicit = record.partition_key, record.data, record.explicit_hash_key
    assert key is not None
    assert data is not None, "required"
    hash_key = hash_of(key) if explicit is None else int(explicit)
    if hash_key >= HASHES:
        raise invalid_argument(messages.hash_key_invalid(str(explicit)))
    sent = _Sent(hash_key, key, data)
    if sent.size > RECORD_BYTES_MAX:
        raise invalid(messages.record_too_large(member, len(data), RECORD_BYTES_MAX))
    return sent


async def put_record(request: PutRecord, context: KinesisContext) -> PutRecordAnswer:
    """Write a record.

    Records are always ordered by their arrival, so SequenceNumberForOrdering changes nothing.
    """
    name, sent = stream_name(request, context), _sent(request, "data")
    (written,) = await _put(name, [sent], context)
    if written.sequence_number is None:
        raise KinesisError(_EXCEEDED, written.error_message)
    return PutRecordAnswer(str(written.shard_id), written.sequence_number, UNENCRYPTED)


async def put_records(request: PutRecords, context: KinesisContext) -> PutRecordsAnswer:
    """Write records, together; those beyond the rate of their shard are refused by themselves."""
    name = stream_name(request, context)
    sent = [
        _sent(each, f"records.{number}.member.data")
        for number, each in enumerate(request.records or (), 1)
    ]
    if sum(each.size for each in sent) > PUT_RECORDS_BYTES_MAX:
        raise invalid_argument(messages.records_too_large(PUT_RECORDS_BYTES_MAX // _MB))
    written = await _put(name, sent, context)
    failed = sum(each.error_code is not None for each in written)
    return PutRecordsAnswer(
        failed_record_count=failed, records=written, encryption_type=UNENCRYPTED
    )


async def _put(
    name: str, sent: Sequence[_Sent], context: KinesisContext
) -> list[PutRecordsResultEntry]:
    """Write records; a result for each, of those that were refused as well."""
    refused: set[int] | None = None

    async def act(opened: OpenStream) -> list[PutRecordsResultEntry]:
        nonlocal refused
        context.check_created(opened.stream)
        number = opened.stream.number
        shards = [opened.shard_of(each.hash_key).number for each in sent]
        if refused is None:  # counted once, however often the stream is changed meanwhile
            refused = _refused(sent, [(number, shard) for shard in shards], context)
        records = [
            NewRecord(shard, each.partition_key, each.data)
            for at, (each, shard) in enumerate(zip(sent, shards, strict=True))
            if at not in refused
        ]
        numbers = iter(
            await append(context.rows.engine, number, records, context.now_ms, fences=opened.fences)
            if records
            else ()
        )
        return [
            _exceeded(shard, name, context)
            if at in refused
            else PutRecordsResultEntry(
                sequence_number((number, shard), next(numbers)), shard_id(shard)
            )
            for at, shard in enumerate(shards)
        ]

    return await attempt(context, name, act)


def _refused(
    sent: Sequence[_Sent], addresses: Sequence[ShardAddress], context: KinesisContext
) -> set[int]:
    """The positions of the records that are beyond the rates of their shards."""
    rates = context.rates
    if rates is None:
        return set()
    return {
        at
        for at, (each, address) in enumerate(zip(sent, addresses, strict=True))
        if not rates.put(address, each.size, context.now_ms)
    }


def _exceeded(shard: int, name: str, context: KinesisContext) -> PutRecordsResultEntry:
    text = messages.rate_exceeded(shard_id(shard), name, context.account)
    return PutRecordsResultEntry(error_code=_EXCEEDED, error_message=text)


OPERATIONS: Final = by_name(
    operation(PutRecord, put_record, constraints.PUT_RECORD_ROWS),
    operation(PutRecords, put_records, constraints.PUT_RECORDS_ROWS),
)
