"""ListStreams: the streams of all tables or of one, also disabled streams that can be read."""

from collections.abc import Iterable
from typing import Final

import msgspec

from hashrange.api.dynamodb.streams.specification import limit_of, no_such_arn
from hashrange.api.steps.accesses import Access, on_arn
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.limits.tables import STREAMS_PAGE_MAX
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.streams import ListedStream, ListStreams, ListStreamsAnswer
from hashrange.model.table_features import label_of
from hashrange.tables.streams.finding import stream_name, streams_after
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.streams import LIST_STREAMS_ROWS
from hashrange.wire.rules import Form


def check(request: ListStreams) -> ListStreams:
    """Refuse invalid members; the request with its limit."""
    check_constraints(request, LIST_STREAMS_ROWS, Form.MODEL)
    limit = limit_of(request.limit, STREAMS_PAGE_MAX)
    if request.exclusive_start_stream_arn is not None:
        stream_name(request.exclusive_start_stream_arn)
    return msgspec.structs.replace(request, limit=limit)


def accesses(request: ListStreams) -> Iterable[Access]:
    """ListStreams on the stream to start after, which must be the caller's; or on no resource."""
    return on_arn("ListStreams", "stream", request.exclusive_start_stream_arn)


async def run(request: ListStreams, context: RequestContext) -> Outcome:
    """List a page of streams, those that can still be read."""
    limit, start = request.limit, request.exclusive_start_stream_arn
    assert limit is not None, "checked"
    after = None if start is None else stream_name(start)
    found = await streams_after(context.catalog, after, request.table_name, limit)
    streams = [
        ListedStream(each.arn, each.table.name, label_of(each.stream.created_ms)) for each in found
    ]
    return Outcome(
        ListStreamsAnswer(streams, streams[-1].stream_arn if len(streams) == limit else None)
    )


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["ListStreams"],
    request=ListStreams,
    check=check,
    accesses=accesses,
    not_found=no_such_arn,
    run=run,
)
