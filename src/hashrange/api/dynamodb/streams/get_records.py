"""GetRecords: the next records of a shard, and the iterator that follows them."""

from typing import Final

import msgspec

from hashrange.api.dynamodb.streams.specification import limit_of, no_such_stream
from hashrange.api.steps.accesses import on_arn
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import STREAM_PAGE_BYTES_MAX, STREAM_RECORDS_MAX
from hashrange.messages.tables import streams as messages
from hashrange.messages.tables.operations import table_keeps_changing
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.streams import GetRecords, GetRecordsAnswer, Record
from hashrange.model.table_features import label_of
from hashrange.storage.engine import StaleFenceError
from hashrange.tables.streams.finding import find_stream
from hashrange.tables.streams.iterators import (
    ShardIterator,
    check_age,
    iterator_from,
    iterator_text,
)
from hashrange.tables.streams.records import client_record, read_records
from hashrange.wire.arns import parsed, table_arn
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.streams import GET_RECORDS_ROWS
from hashrange.wire.rules import Form

LOOKS_MAX: Final = 10
"""Attempts to read from a table that changes during the read."""


class CheckedGetRecords(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no stream."""

    iterator: ShardIterator
    limit: int


def check(request: GetRecords) -> CheckedGetRecords:
    """Refuse invalid members, and an iterator that this server did not issue."""
    check_constraints(request, GET_RECORDS_ROWS, Form.MODEL)
    limit = limit_of(request.limit, STREAM_RECORDS_MAX)
    iterator = iterator_from(str(request.shard_iterator))
    name = parsed(iterator.stream_arn)
    if name is None or name.label is None:
        raise invalid(messages.invalid_iterator())
    table = table_arn(region=name.region, account=name.account, table=name.table)
    request.note((table, name.label))
    return CheckedGetRecords(iterator, limit)


async def run(checked: CheckedGetRecords, context: RequestContext) -> Outcome:
    """Read the records after the iterator, up to 1 MB; retry if the table changes meanwhile."""
    check_age(checked.iterator, context.now_ms, context.store.loaded_ms)
    for _ in range(LOOKS_MAX):
        try:
            return await _read(checked, context)
        except StaleFenceError:
            continue
    raise DynamoError(Fault.UNAVAILABLE, table_keeps_changing())


async def _read(checked: CheckedGetRecords, context: RequestContext) -> Outcome:
    iterator = checked.iterator
    found = await find_stream(context.catalog, iterator.stream_arn)
    if found.arn != iterator.stream_arn:
        text = messages.stream_not_found(iterator.stream_arn)
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
    shard = found.shard(iterator.log)
    if shard is None or iterator.record < shard.trimmed_to:
        raise DynamoError(Fault.TRIMMED_DATA, messages.trimmed())
    page = await read_records(
        context.store.engine, found, shard, iterator.record, limit=checked.limit
    )
    records: list[Record] = []
    following, total, more = iterator.record, 0, page.more
    size = 0
    for numbered in page.records:
        record = client_record(found, shard.number, numbered)
        total += record.dynamodb.size_bytes
        if records and total > STREAM_PAGE_BYTES_MAX:
            more = True
            break
        records.append(record)
        size = total
        following = numbered.number + 1
    reads = context.units[found.table.arn]
    reads.add_records(label_of(found.stream.created_ms), len(records), size)
    if shard.closed_ms is not None and not more:
        return Outcome(GetRecordsAnswer(records), stream_bytes=size)
    next_one = ShardIterator(iterator.stream_arn, shard.number, following, context.now_ms)
    return Outcome(GetRecordsAnswer(records, iterator_text(next_one)), stream_bytes=size)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["GetRecords"],
    request=GetRecords,
    check=check,
    accesses=lambda checked: on_arn("GetRecords", "stream", checked.iterator.stream_arn),
    not_found=no_such_stream,
    shard_of=lambda checked: (checked.iterator.stream_arn, checked.iterator.log),
    run=run,
)
