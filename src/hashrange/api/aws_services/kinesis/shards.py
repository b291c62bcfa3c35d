"""Shards are listed, split and merged."""

from collections.abc import Callable, Sequence
from typing import Final

from hashrange.api.aws_services.kinesis.descriptions import described_shards
from hashrange.api.aws_services.kinesis.requests import (
    KinesisContext,
    Nothing,
    attempt,
    operation,
    position_of_token,
    shard_of,
    stream_name,
    token_of,
)
from hashrange.api.aws_services.kinesis.service import (
    in_use,
    invalid,
    invalid_argument,
    limit_exceeded,
)
from hashrange.api.aws_services.kinesis.streams import check_created_at, check_more_shards
from hashrange.limits.kinesis import (
    DAY_MS,
    KEPT_SHARDS_MAX,
    RESIZES_A_DAY_MAX,
    SHARDS_PAGE,
)
from hashrange.messages import kinesis as messages
from hashrange.model.structures.kinesis import (
    ListShards,
    ListShardsAnswer,
    MergeShards,
    ShardFilter,
    SplitShard,
    UpdateShardCount,
    UpdateShardCountAnswer,
)
from hashrange.model.times import nearest_ms
from hashrange.tables.kinesis.rows import OpenStream
from hashrange.tables.kinesis.streams import (
    Ends,
    StoredShard,
    StoredStream,
    are_adjacent,
    merged,
    replace,
    resized,
    split,
)
from hashrange.wire.model_constraints import kinesis as constraints
from hashrange.wire.service import by_name

_ALL: Final = "FROM_TRIM_HORIZON"
_SEPARATOR: Final = ":"


async def list_shards(request: ListShards, context: KinesisContext) -> ListShardsAnswer:
    """A page of the shards of a stream that a filter selects, in the order of their ids."""
    if request.next_token is None:
        if request.stream_name is None and request.stream_arn is None:
            raise invalid_argument(messages.token_or_stream())
        stream = (await context.open(stream_name(request, context))).stream
        check_created_at(stream, request.stream_creation_timestamp, context)
        kind, time_ms, after = _selection(request.shard_filter)
        start = request.exclusive_start_shard_id
        if start is not None:
            after = shard_of(stream, start, context).number
    else:
        if request.stream_name is not None or request.stream_arn is not None:
            raise invalid_argument(messages.token_with_others())
        subject, after = position_of_token(request.next_token, context)
        name, number, kind, time = subject.split(_SEPARATOR)
        time_ms = int(time)
        stream = (await context.open(name)).stream
        if str(stream.number) != number:
            raise invalid_argument(messages.token_invalid())
    is_selected = _filter(stream, kind, time_ms, context)
    shards = () if context.status_of(stream) == "CREATING" else stream.shards
    found = [each for each in shards if each.number > after and is_selected(each)]
    page = found[: request.max_results or SHARDS_PAGE]
    token = None
    if len(page) < len(found):
        subject = _SEPARATOR.join((stream.name, str(stream.number), kind, str(time_ms)))
        token = token_of(subject, page[-1].number, context)
    return ListShardsAnswer(described_shards(stream, page), token)


def _selection(only: ShardFilter | None) -> tuple[str, int, int]:
    """The type of a filter, its time, and the number of the shard before the first."""
    if only is None or only.type is None:
        return _ALL, 0, -1
    if only.type == "AFTER_SHARD_ID":
        if only.shard_id is None:
            raise invalid_argument(messages.filter_incomplete(only.type, "ShardId"))
        digits = only.shard_id.rpartition("-")[2]
        return _ALL, 0, int(digits) if digits.isascii() and digits.isdecimal() else -1
    if only.type.endswith("TIMESTAMP"):
        if only.timestamp is None:
            raise invalid_argument(messages.filter_incomplete(only.type, "Timestamp"))
        return only.type, nearest_ms(only.timestamp), -1
    return only.type, 0, -1


def _filter(
    stream: StoredStream, kind: str, time_ms: int, context: KinesisContext
) -> Callable[[StoredShard], bool]:
    """Whether a shard is selected. Before the stream was created there were its first shards."""
    if kind == "AT_LATEST":
        return lambda shard: shard.closed_ms is None
    horizon_ms = max(stream.created_ms, stream.horizon_ms(context.now_ms))
    at_ms = max(time_ms, horizon_ms) if kind.endswith("TIMESTAMP") else horizon_ms
    if kind.startswith("FROM"):
        return lambda shard: shard.closed_ms is None or shard.closed_ms >= at_ms
    return lambda shard: (
        shard.opened_ms <= at_ms and (shard.closed_ms is None or shard.closed_ms > at_ms)
    )


async def split_shard(request: SplitShard, context: KinesisContext) -> Nothing:
    """Split a shard at a hash key, which must leave both parts more than one."""
    name, sent = stream_name(request, context), str(request.new_starting_hash_key)
    hash_key = int(sent)

    async def act(opened: OpenStream) -> Nothing:
        shard = shard_of(opened.stream, str(request.shard_to_split), context)
        await check_more_shards(context, 1)
        if not int(shard.first) + 1 < hash_key < int(shard.last):
            text = messages.split_outside(
                sent, shard.id, name, context.account, first=shard.first, last=shard.last
            )
            raise invalid_argument(text)
        _check_changeable(opened.stream, [shard], 2, context)

        def changed(stream: StoredStream, ends: Ends) -> StoredStream:
            after = split(stream, shard, hash_key, ends, now_ms=context.now_ms)
            return replace(after, changed_ms=context.now_ms)

        await context.rows.change(opened, changed, closing=[shard])
        return Nothing()

    return await attempt(context, name, act)


async def merge_shards(request: MergeShards, context: KinesisContext) -> Nothing:
    """Merge two shards whose hash keys are adjacent."""
    name = stream_name(request, context)

    async def act(opened: OpenStream) -> Nothing:
        shard = shard_of(opened.stream, str(request.shard_to_merge), context)
        other = shard_of(opened.stream, str(request.adjacent_shard_to_merge), context)
        if not are_adjacent(shard, other):
            text = messages.not_adjacent(shard.id, other.id, name, context.account)
            raise invalid_argument(text)
        _check_changeable(opened.stream, [shard, other], 1, context)

        def changed(stream: StoredStream, ends: Ends) -> StoredStream:
            after = merged(stream, shard, other, ends, now_ms=context.now_ms)
            return replace(after, changed_ms=context.now_ms)

        await context.rows.change(opened, changed, closing=[shard, other])
        return Nothing()

    return await attempt(context, name, act)


async def update_count(
    request: UpdateShardCount, context: KinesisContext
) -> UpdateShardCountAnswer:
    """Change the number of open shards, whose ranges are equal afterwards."""
    name, target = stream_name(request, context), request.target_shard_count
    assert target is not None, "required"

    async def act(opened: OpenStream) -> UpdateShardCountAnswer:
        stream = opened.stream
        shards = stream.open_shards
        count = len(shards)
        _check_changeable(stream, (), 4 * (count + target), context)
        if target > 2 * count:
            raise limit_exceeded(messages.more_than_double(count, target))
        if 2 * target < count:
            raise limit_exceeded(messages.less_than_half(count, target))
        recent = tuple(each for each in stream.resized_ms if each > context.now_ms - DAY_MS)
        if len(recent) >= RESIZES_A_DAY_MAX:
            raise limit_exceeded(messages.too_many_resizes(RESIZES_A_DAY_MAX))
        if target > count:
            await check_more_shards(context, target - count)

        def changed(stream: StoredStream, ends: Ends) -> StoredStream:
            after = resized(stream, target, ends, now_ms=context.now_ms)
            times = (*recent, context.now_ms)
            return replace(after, resized_ms=times, changed_ms=context.now_ms)

        await context.rows.change(opened, changed, closing=shards)
        return UpdateShardCountAnswer(name, count, target, stream.arn)

    return await attempt(context, name, act)


def _check_changeable(
    stream: StoredStream, shards: Sequence[StoredShard], more: int, context: KinesisContext
) -> None:
    """Refuse to change closed shards, and shards of a stream that is busy, on-demand or too old."""
    name, account = stream.name, context.account
    context.check_active(stream)
    if stream.mode == "ON_DEMAND":
        raise invalid(messages.is_on_demand(name, account))
    for each in shards:
        if each.closed_ms is not None:
            raise in_use(messages.shard_closed(each.id, name, account))
    if len(stream.shards) + more > KEPT_SHARDS_MAX:
        raise limit_exceeded(messages.too_many_kept(name, account, KEPT_SHARDS_MAX))


OPERATIONS: Final = by_name(
    operation(ListShards, list_shards, constraints.LIST_SHARDS_ROWS),
    operation(MergeShards, merge_shards, constraints.MERGE_SHARDS_ROWS),
    operation(SplitShard, split_shard, constraints.SPLIT_SHARD_ROWS),
    operation(UpdateShardCount, update_count, constraints.UPDATE_SHARD_COUNT_ROWS),
)
