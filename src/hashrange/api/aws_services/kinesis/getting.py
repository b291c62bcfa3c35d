"""GetShardIterator, GetRecords: records of a shard are read from a position on."""

from collections.abc import Sequence
from typing import Final

from hashrange.api.aws_services.kinesis.descriptions import UNENCRYPTED, hash_keys
from hashrange.api.aws_services.kinesis.requests import (
    KinesisContext,
    attempt,
    operation,
    seconds,
    shard_of,
    stream_name,
)
from hashrange.api.aws_services.kinesis.service import KinesisError, invalid_argument, not_found
from hashrange.errors import DynamoError
from hashrange.limits.kinesis import (
    GET_RECORDS_BYTES_MAX,
    GET_RECORDS_MAX,
    KINESIS_ITERATOR_MS_MAX,
)
from hashrange.messages import kinesis as messages
from hashrange.messages.tables.streams import iterator_expired
from hashrange.model.structures.kinesis import (
    ChildShard,
    GetRecords,
    GetRecordsAnswer,
    GetShardIterator,
    GetShardIteratorAnswer,
    Record,
)
from hashrange.model.times import nearest_ms
from hashrange.tables.kinesis.numbers import ShardAddress, numbers_in, sequence_number
from hashrange.tables.kinesis.records import StoredRecord, first_at, read_end, read_records
from hashrange.tables.kinesis.rows import OpenStream
from hashrange.tables.kinesis.streams import StoredShard, StoredStream, shard_id
from hashrange.tables.streams.iterators import ShardIterator, iterator_from, iterator_text
from hashrange.wire.model_constraints import kinesis as constraints
from hashrange.wire.service import by_name

_AT: Final = "AT_SEQUENCE_NUMBER"
_AFTER: Final = "AFTER_SEQUENCE_NUMBER"
_AT_TIME: Final = "AT_TIMESTAMP"
_SEPARATOR: Final = ":"
_SECONDS_MAX: Final = 1e12
"""The latest time that is distinguished: some 30,000 years after the epoch."""


async def get_iterator(
    request: GetShardIterator, context: KinesisContext
) -> GetShardIteratorAnswer:
    """The iterator of a position in a shard: of a record, of a time, the first or the next one."""
    stream = (await context.open(stream_name(request, context))).stream
    shard = shard_of(stream, str(request.shard_id), context)
    record = await _first_record(stream, shard, request, context)
    return GetShardIteratorAnswer(_iterator(stream, shard, record, context))


async def _first_record(
    stream: StoredStream, shard: StoredShard, request: GetShardIterator, context: KinesisContext
) -> int:
    kind, number = str(request.shard_iterator_type), request.starting_sequence_number
    address = stream.number, shard.number
    if (number is not None) != (kind in {_AT, _AFTER}):
        raise invalid_argument(messages.iterator_type(kind, has_number=number is not None))
    if number is not None:
        record = await _record_of(stream, shard, number, context)
        return record + (kind == _AFTER) if record else 1
    if kind == "LATEST":
        return (await read_end(context.rows.engine, *address)).following
    if kind != _AT_TIME:
        return 1
    if request.timestamp is None:
        raise invalid_argument(messages.timestamp_missing())
    time_ms = nearest_ms(min(max(request.timestamp, 0.0), _SECONDS_MAX))
    if time_ms > context.now_ms:
        raise invalid_argument(messages.timestamp_in_future(time_ms, context.now_ms))
    return await first_at(context.rows.engine, address, time_ms)


async def _record_of(
    stream: StoredStream, shard: StoredShard, number: str, context: KinesisContext
) -> int:
    """The number of the record of a sequence number; 0 of the starting number of the shard."""
    found, names = numbers_in(number), (number, shard.id, stream.name, context.account)
    if found is None:
        raise invalid_argument(messages.number_invalid(*names))
    (of_stream, of_shard), record = found
    if of_stream != stream.number:
        raise invalid_argument(messages.number_of_other_stream(*names))
    if of_shard != shard.number:
        raise invalid_argument(messages.number_of_other_shard(shard_id(of_shard), shard.id))
    following = (await read_end(context.rows.engine, stream.number, shard.number)).following
    if record >= following:
        raise invalid_argument(messages.number_invalid(*names))
    return record


async def get_records(request: GetRecords, context: KinesisContext) -> GetRecordsAnswer:
    """The records from an iterator on, and the next iterator unless the shard has ended."""
    try:
        iterator = iterator_from(str(request.shard_iterator))
        name, number = iterator.stream_arn.split(_SEPARATOR)
    except (DynamoError, ValueError) as error:
        raise invalid_argument(messages.iterator_invalid()) from error
    created_ms, now_ms = iterator.created_ms, context.now_ms
    is_of_other_data = created_ms < context.loaded_ms <= now_ms
    if is_of_other_data or now_ms - created_ms > KINESIS_ITERATOR_MS_MAX:
        text = iterator_expired(created_ms, now_ms, KINESIS_ITERATOR_MS_MAX)
        raise KinesisError("ExpiredIteratorException", text)

    async def act(opened: OpenStream) -> GetRecordsAnswer:
        stream = opened.stream
        shard = stream.shard(iterator.log)
        if shard is None or str(stream.number) != number:
            text = messages.no_shard(shard_id(iterator.log), name, context.account)
            raise not_found(text)
        _check_rate(stream, shard, context)
        return await _read(opened, shard, iterator.record, request.limit, context=context)

    return await attempt(context, name, act)


def _check_rate(stream: StoredStream, shard: StoredShard, context: KinesisContext) -> None:
    rates, address = context.rates, (stream.number, shard.number)
    if rates is not None and not rates.may_read(address, context.now_ms):
        text = messages.rate_exceeded(shard.id, stream.name, context.account)
        raise KinesisError("ProvisionedThroughputExceededException", text)


async def _read(
    opened: OpenStream,
    shard: StoredShard,
    start: int,
    limit: int | None,
    *,
    context: KinesisContext,
) -> GetRecordsAnswer:
    stream, engine = opened.stream, context.rows.engine
    address = stream.number, shard.number
    most = limit or GET_RECORDS_MAX
    found = await read_records(
        engine,
        address,
        start,
        limit=most,
        bytes_max=GET_RECORDS_BYTES_MAX,
        fences=opened.fences,
    )
    page, size = _fitting(found)
    if context.rates is not None:
        context.rates.read(address, size, context.now_ms)
    following = page[-1].number + 1 if page else start
    end = shard.end + 1 if shard.end is not None else None
    behind_ms = 0
    if len(found) == most or len(page) < len(found) or size >= GET_RECORDS_BYTES_MAX:
        last = end or (await read_end(engine, *address)).following
        behind_ms = max(0, context.now_ms - page[-1].time_ms) if following < last else 0
    # Records that are older than the retention are not shown, though they may not be deleted yet.
    horizon_ms = stream.horizon_ms(context.now_ms)
    records = [_record(address, each) for each in page if each.time_ms >= horizon_ms]
    if end is not None and following >= end:
        children = _children(stream, shard)
        return GetRecordsAnswer(records, None, behind_ms, children or None)
    return GetRecordsAnswer(records, _iterator(stream, shard, following, context), behind_ms)


def _fitting(found: Sequence[StoredRecord]) -> tuple[Sequence[StoredRecord], int]:
    """The records that one answer may have, and their bytes."""
    size = 0
    for at, each in enumerate(found):
        more = len(each.data) + len(each.partition_key)
        if at and size + more > GET_RECORDS_BYTES_MAX:
            return found[:at], size
        size += more
    return found, size


def _record(address: ShardAddress, record: StoredRecord) -> Record:
    return Record(
        sequence_number=sequence_number(address, record.number),
        approximate_arrival_timestamp=seconds(record.time_ms),
        data=record.data,
        partition_key=record.partition_key,
        encryption_type=UNENCRYPTED,
    )


def _children(stream: StoredStream, shard: StoredShard) -> list[ChildShard]:
    return [
        ChildShard(each.id, [shard_id(number) for number in each.parents], hash_keys(each))
        for each in stream.shards
        if shard.number in each.parents
    ]


def _iterator(
    stream: StoredStream, shard: StoredShard, record: int, context: KinesisContext
) -> str:
    subject = f"{stream.name}{_SEPARATOR}{stream.number}"
    return iterator_text(ShardIterator(subject, shard.number, record, context.now_ms))


OPERATIONS: Final = by_name(
    operation(GetRecords, get_records, constraints.GET_RECORDS_ROWS),
    operation(GetShardIterator, get_iterator, constraints.GET_SHARD_ITERATOR_ROWS),
)
