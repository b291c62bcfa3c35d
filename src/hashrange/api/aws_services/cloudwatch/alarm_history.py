"""DescribeAlarmHistory."""

from typing import Final

from hashrange.api.aws_services.cloudwatch.requests import CloudWatchContext
from hashrange.api.aws_services.cloudwatch.service import invalid, refusal
from hashrange.limits.cloudwatch import ALARM_ITEMS_READ_MAX, ALARMS_PAGE
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    AlarmHistoryItem,
    DescribeAlarmHistory,
    DescribeAlarmHistoryAnswer,
)
from hashrange.tables.alarms.rows import METRIC_ALARM, HistoryItem
from hashrange.tables.keys.alarm_keys import ADDRESS_BYTES, item_at, items_range
from hashrange.tables.keys.key_ranges import Range
from hashrange.wire.model_constraints.cloudwatch import DESCRIBE_ALARM_HISTORY_ROWS
from hashrange.wire.service import ServiceOperation, by_name

_READ_ROWS: Final = 500
_MS: Final = 1000
_SECONDS_MAX: Final = 10.0**11


async def describe(
    request: DescribeAlarmHistory, context: CloudWatchContext
) -> DescribeAlarmHistoryAnswer:
    """A page of history; it may have fewer items than asked for, and a next one nevertheless."""
    if request.alarm_contributor_id is not None:
        raise invalid(messages.unsupported(name="AlarmContributorId"))
    reverse = request.scan_by != "TimestampAscending"
    keys, most = _keys(request, context, reverse=reverse), request.max_records or ALARMS_PAGE
    found: list[AlarmHistoryItem] = []
    last = b""
    for _ in range(ALARM_ITEMS_READ_MAX // _READ_ROWS):
        page, more = await context.alarms.items(keys, reverse=reverse, limit=_READ_ROWS)
        for key, item in page:
            if not _is_asked(item, request):
                continue
            if len(found) == most:
                return DescribeAlarmHistoryAnswer(found, _token_of(last))
            last = key
            found.append(_described(item))
        if not more:
            return DescribeAlarmHistoryAnswer(found)
        last = page[-1][0]
        keys = _behind(keys, last, reverse=reverse)
    return DescribeAlarmHistoryAnswer(found, _token_of(last))


def _keys(request: DescribeAlarmHistory, context: CloudWatchContext, *, reverse: bool) -> Range:
    end_ms = _ms(request.end_date, _SECONDS_MAX)
    keys = items_range(context.scope, _ms(request.start_date, 0), end_ms + 1)
    token = request.next_token
    if token is None:
        return keys
    try:
        address = bytes.fromhex(token)
    except ValueError:
        address = b""
    if len(address) != ADDRESS_BYTES:
        raise refusal("InvalidNextToken", messages.next_token())
    return _behind(keys, item_at(context.scope, address), reverse=reverse)


def _behind(keys: Range, last: bytes, *, reverse: bool) -> Range:
    """The part of a range that comes after a key."""
    start, end = keys
    return (start, min(end, last)) if reverse else (max(start, last + b"\0"), end)


def _token_of(key: bytes) -> str:
    return key[-ADDRESS_BYTES:].hex()


def _ms(seconds: float | None, default: float) -> int:
    if seconds is None or not 0 <= seconds <= _SECONDS_MAX:  # NaN is neither
        seconds = _SECONDS_MAX if (seconds or 0) > _SECONDS_MAX else default
    return int(seconds * _MS)


def _is_asked(item: HistoryItem, request: DescribeAlarmHistory) -> bool:
    return (
        request.alarm_name in {None, item.name}
        and item.alarm in (request.alarm_types or (METRIC_ALARM,))
        and request.history_item_type in {None, item.kind}
    )


def _described(item: HistoryItem) -> AlarmHistoryItem:
    return AlarmHistoryItem(
        alarm_name=item.name,
        alarm_type=item.alarm,
        timestamp=item.time_ms / _MS,
        history_item_type=item.kind,
        history_summary=item.summary,
        history_data=item.data,
    )


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=DescribeAlarmHistory, run=describe, constraints=DESCRIBE_ALARM_HISTORY_ROWS
    ),
)
