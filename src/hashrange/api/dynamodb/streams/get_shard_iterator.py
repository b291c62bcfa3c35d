"""GetShardIterator: a position in a shard, by type, sequence number or time."""

from typing import Final, Literal, TypeAlias, assert_never, cast

import msgspec

from hashrange.api.dynamodb.streams.specification import check_stream_request, no_such_stream
from hashrange.api.steps.accesses import on_arn
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import streams as messages
from hashrange.model.log import Shard
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.streams import GetShardIterator, GetShardIteratorAnswer
from hashrange.storage.engine import Engine
from hashrange.tables.streams.finding import TableStream, find_stream
from hashrange.tables.streams.iterators import ShardIterator, iterator_text
from hashrange.tables.streams.names import position_of
from hashrange.tables.streams.records import first_at, next_record
from hashrange.wire.model_constraints.streams import GET_SHARD_ITERATOR_ROWS

IteratorType: TypeAlias = Literal[
    "TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP"
]
_SECONDS_MAX: Final = 1e12
"""The latest time that is distinguished: some 30,000 years after the epoch."""
_BY_NUMBER: Final = {"AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"}


class CheckedGetShardIterator(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no stream."""

    stream_arn: str
    shard_id: str
    kind: IteratorType
    sequence_number: str
    time_ms: int


def check(request: GetShardIterator) -> CheckedGetShardIterator:
    """Refuse invalid members, and members that do not fit the type of iterator."""
    arn = check_stream_request(request, request.stream_arn, GET_SHARD_ITERATOR_ROWS)
    kind, number, timestamp = (
        request.shard_iterator_type,
        request.sequence_number,
        request.timestamp,
    )
    if kind in _BY_NUMBER and number is None:
        raise invalid(messages.sequence_number_missing())
    if kind not in _BY_NUMBER and number is not None:
        raise invalid(messages.sequence_number_not_allowed())
    if kind == "AT_TIMESTAMP" and timestamp is None:
        raise invalid(messages.timestamp_missing())
    if kind != "AT_TIMESTAMP" and timestamp is not None:
        raise invalid(messages.timestamp_not_allowed())
    return CheckedGetShardIterator(
        arn,
        str(request.shard_id),
        cast("IteratorType", kind),
        number or "",
        0 if timestamp is None else _milliseconds(timestamp),
    )


async def run(checked: CheckedGetShardIterator, context: RequestContext) -> Outcome:
    """Find the record where the iterator begins. Raises ResourceNotFoundException."""
    if checked.time_ms > context.now_ms:
        raise invalid(messages.timestamp_in_future())
    found = await find_stream(context.catalog, checked.stream_arn)
    shard = found.shard_of_id(checked.shard_id)
    if shard is None:
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.shard_not_found())
    record = await _place(context.store.engine, found, shard, checked)
    iterator = ShardIterator(found.arn, shard.number, record, context.now_ms)
    return Outcome(GetShardIteratorAnswer(iterator_text(iterator)))


async def _place(
    engine: Engine, found: TableStream, shard: Shard, checked: CheckedGetShardIterator
) -> int:
    match checked.kind:
        case "TRIM_HORIZON":
            return shard.trimmed_to
        case "LATEST":
            return await next_record(engine, found.table, shard)
        case "AT_SEQUENCE_NUMBER":
            return await _number(engine, found, shard, checked.sequence_number)
        case "AFTER_SEQUENCE_NUMBER":
            return await _number(engine, found, shard, checked.sequence_number, after=1)
        case "AT_TIMESTAMP":
            return await first_at(engine, found.table, shard, checked.time_ms)
        case _:
            assert_never(checked.kind)


async def _number(
    engine: Engine, found: TableStream, shard: Shard, text: str, *, after: int = 0
) -> int:
    """The number of the first record to read. Raises ValidationException."""
    position = position_of(text)
    if position is None or position.log != shard.number:
        raise invalid(messages.sequence_number_of_other_shard())
    if position.record >= await next_record(engine, found.table, shard):
        raise invalid(messages.sequence_number_of_other_shard())
    # 0 is the starting sequence number of the shard, before its first record.
    start = max(position.record + after, 1)
    if start < shard.trimmed_to:
        raise DynamoError(Fault.TRIMMED_DATA, messages.trimmed())
    return start


def _milliseconds(timestamp: float) -> int:
    """Milliseconds of a time in seconds, clamped to the range from the epoch to _SECONDS_MAX."""
    return round(min(max(timestamp, 0.0), _SECONDS_MAX) * 1000)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["GetShardIterator"],
    request=GetShardIterator,
    check=check,
    accesses=lambda checked: on_arn("GetShardIterator", "stream", checked.stream_arn),
    not_found=no_such_stream,
    run=run,
)
