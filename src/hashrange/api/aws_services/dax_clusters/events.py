"""DescribeEvents: what happened to clusters and groups in the last two weeks."""

from typing import Final

from hashrange.api.aws_services.dax_clusters.context import DaxContext, page_of
from hashrange.api.aws_services.dax_clusters.service import contradictory, invalid
from hashrange.api.aws_services.dax_clusters.store import StoredEvent
from hashrange.limits.dax import EVENTS_DEFAULT_MINUTES
from hashrange.messages import dax as messages
from hashrange.model.structures.dax import DescribeEvents, DescribeEventsAnswer, Event
from hashrange.wire.service import ServiceOperation, by_name

_MINUTE_MS = 60_000
_TYPES = frozenset({None, "CLUSTER", "PARAMETER_GROUP", "SUBNET_GROUP"})


async def describe(request: DescribeEvents, context: DaxContext) -> DescribeEventsAnswer:
    """The events of a time, newest first; of the last day if none is given."""
    if request.source_type not in _TYPES:
        raise invalid(messages.value_invalid("SourceType", str(request.source_type)[:100]))
    if request.duration is not None and request.start_time is not None:
        raise contradictory(messages.times_exclude())
    if request.source_name is not None and request.source_type is None:
        raise contradictory(messages.times_exclude())
    end_ms = context.now_ms if request.end_time is None else request.end_time * 1000
    minutes = EVENTS_DEFAULT_MINUTES if request.duration is None else request.duration
    start_ms = end_ms - minutes * _MINUTE_MS
    if request.start_time is not None:
        start_ms = request.start_time * 1000

    def wanted(event: StoredEvent) -> bool:
        return (
            start_ms <= event.at_ms <= end_ms
            and request.source_type in {None, event.type}
            and request.source_name in {None, event.source}
        )

    found = [each for each in await context.rows.events(context.scope) if wanted(each)]
    page, token = page_of(found, request.max_results, request.next_token)
    events = [Event(each.source, each.type, each.text, each.at_ms / 1000) for each in page]
    return DescribeEventsAnswer(events=events, next_token=token)


OPERATIONS: Final = by_name(
    ServiceOperation(request=DescribeEvents, run=describe),
)
