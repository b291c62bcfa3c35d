"""Settings of streams: their retention period and their mode."""

from typing import Final

from hashrange.api.aws_services.kinesis.requests import (
    KinesisContext,
    Nothing,
    attempt,
    named_resource,
    operation,
    stream_name,
)
from hashrange.api.aws_services.kinesis.service import invalid_argument, limit_exceeded
from hashrange.api.aws_services.kinesis.streams import check_more_shards
from hashrange.limits.kinesis import (
    DAY_MS,
    RETENTION_HOURS_MAX,
    RETENTION_HOURS_MIN,
    SWITCHES_A_DAY_MAX,
)
from hashrange.messages import kinesis as messages
from hashrange.model.structures.kinesis import (
    DecreaseStreamRetentionPeriod,
    IncreaseStreamRetentionPeriod,
    UpdateStreamMode,
)
from hashrange.tables.kinesis.rows import OpenStream
from hashrange.tables.kinesis.streams import Ends, StoredStream, replace
from hashrange.wire.model_constraints import kinesis as constraints
from hashrange.wire.service import by_name


async def increase(request: IncreaseStreamRetentionPeriod, context: KinesisContext) -> Nothing:
    """Keep records for longer."""
    return await _retain(request, context, is_increase=True)


async def decrease(request: DecreaseStreamRetentionPeriod, context: KinesisContext) -> Nothing:
    """Keep records for less time; those that are older are not shown any more at once."""
    return await _retain(request, context, is_increase=False)


async def _retain(
    request: DecreaseStreamRetentionPeriod | IncreaseStreamRetentionPeriod,
    context: KinesisContext,
    *,
    is_increase: bool,
) -> Nothing:
    name, hours = stream_name(request, context), request.retention_period_hours
    assert hours is not None, "required"

    def changed(stream: StoredStream, _: Ends) -> StoredStream:
        existing = stream.retention_hours
        if hours < RETENTION_HOURS_MIN:
            raise invalid_argument(messages.retention_too_short(RETENTION_HOURS_MIN, hours))
        if hours > RETENTION_HOURS_MAX:
            raise invalid_argument(messages.retention_too_long(RETENTION_HOURS_MAX, hours))
        if is_increase and hours < existing:
            raise invalid_argument(messages.retention_not_increased(hours, name, existing))
        if not is_increase and hours > existing:
            raise invalid_argument(messages.retention_not_decreased(hours, name, existing))
        context.check_active(stream)
        return replace(stream, retention_hours=hours, changed_ms=context.now_ms)

    async def act(opened: OpenStream) -> Nothing:
        await context.rows.change(opened, changed)
        return Nothing()

    return await attempt(context, name, act)


async def switch(request: UpdateStreamMode, context: KinesisContext) -> Nothing:
    """Change the mode of a stream; it keeps its shards."""
    name = named_resource(str(request.stream_arn), context).stream
    details = request.stream_mode_details
    assert details is not None, "required"
    mode = details.stream_mode

    def changed(stream: StoredStream, _: Ends) -> StoredStream:
        context.check_active(stream)
        recent = tuple(each for each in stream.switched_ms if each > context.now_ms - DAY_MS)
        if stream.mode != mode and len(recent) >= SWITCHES_A_DAY_MAX:
            raise limit_exceeded(messages.too_many_switches(SWITCHES_A_DAY_MAX))
        return replace(
            stream,
            mode="ON_DEMAND" if mode == "ON_DEMAND" else "PROVISIONED",
            switched_ms=(*recent, context.now_ms) if stream.mode != mode else recent,
            changed_ms=context.now_ms,
        )

    async def act(opened: OpenStream) -> Nothing:
        if mode == "PROVISIONED" != opened.stream.mode:
            await check_more_shards(context, len(opened.stream.open_shards))
        await context.rows.change(opened, changed)
        return Nothing()

    return await attempt(context, name, act)


OPERATIONS: Final = by_name(
    operation(
        DecreaseStreamRetentionPeriod,
        decrease,
        constraints.DECREASE_STREAM_RETENTION_PERIOD_ROWS,
    ),
    operation(
        IncreaseStreamRetentionPeriod,
        increase,
        constraints.INCREASE_STREAM_RETENTION_PERIOD_ROWS,
    ),
    operation(UpdateStreamMode, switch, constraints.UPDATE_STREAM_MODE_ROWS),
)
