"""The life of a table's streams and of their shards, as changes of its catalog entry. Pure.

A shard is open for a few hours, then another one goes on from it; so what is old can be removed
shard by shard. When a stream is disabled its shards close, and stay as long as records are kept.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final

import msgspec

from hashrange.model.stream import ALL_RECORDS, Shard, Stream, StreamViewType
from hashrange.model.table import Table
from hashrange.tables.log_keys import HASHES, hash_bytes

replace: Final = msgspec.structs.replace


def with_stream(table: Table, view_type: StreamViewType, shards: int, now_ms: int) -> Table:
    """The table with a new stream, whose shards have equal parts of all hashes."""
    assert table.stream is None, "one stream at a time"
    # A label is a time in milliseconds, and tells the streams of a table apart.
    created_ms = max(now_ms, (table.latest_stream_ms or 0) + 1)
    first = table.next_log
    bounds = [b"", *(hash_bytes(HASHES * part // shards) for part in range(1, shards)), b""]
    opened = tuple(
        Shard(number=first + part, start=bounds[part], end=bounds[part + 1], opened_ms=created_ms)
        for part in range(shards)
    )
    stream = Stream(view_type=view_type, created_ms=created_ms, shards=opened)
    return replace(
        table,
        streams=(*table.streams, stream),
        next_log=first + shards,
        latest_stream_ms=created_ms,
    )


def without_stream(table: Table, now_ms: int) -> Table:
    """The table after its stream, if it had one, was disabled: nothing is logged any more."""
    stream = table.stream
    if stream is None:
        return table
    shards = tuple(_closed(shard, now_ms) for shard in stream.shards)
    disabled = replace(stream, disabled_ms=now_ms, shards=shards)
    return replace(table, streams=(*table.streams[:-1], disabled))


def is_to_roll(table: Table, now_ms: int, shard_ms_max: int) -> bool:
    """Whether an open shard has been open for long enough."""
    return any(_is_old(shard, now_ms, shard_ms_max) for shard in table.open_shards)


def rolled(table: Table, now_ms: int, shard_ms_max: int) -> Table:
    """The table with a child for each shard that has been open for long enough."""
    stream = table.stream
    if stream is None:
        return table
    number = table.next_log
    shards: list[Shard] = []
    children: list[Shard] = []
    for shard in stream.shards:
        if shard.closed_ms is not None or not _is_old(shard, now_ms, shard_ms_max):
            shards.append(shard)
            continue
        shards.append(_closed(shard, now_ms))
        children.append(
            Shard(
                number=number,
                start=shard.start,
                end=shard.end,
                parent=shard.number,
                parent_opened_ms=shard.opened_ms,
                opened_ms=max(now_ms, shard.opened_ms),
            )
        )
        number += 1
    following = replace(stream, shards=(*shards, *children))
    return replace(table, streams=(*table.streams[:-1], following), next_log=number)


def is_over(shard: Shard, oldest_ms: int) -> bool:
    """Whether a shard was closed before the time from which records are kept."""
    return shard.closed_ms is not None and shard.closed_ms < oldest_ms


def trimmed(table: Table, trimmed_to: Mapping[int, int]) -> Table:
    """The table with the new trim horizons of shards, by their numbers; they only go on."""

    def change(shard: Shard) -> Shard:
        horizon = trimmed_to.get(shard.number, 0)
        return shard if horizon <= shard.trimmed_to else replace(shard, trimmed_to=horizon)

    return _with_shards(table, change)


def without_shards(table: Table, numbers: Collection[int]) -> Table:
    """The table without some shards, and without disabled streams that are left with none."""
    changed = _with_shards(table, lambda shard: None if shard.number in numbers else shard)
    streams = tuple(
        stream for stream in changed.streams if stream.shards or stream.disabled_ms is None
    )
    return replace(changed, streams=streams)


def visible_shards(stream: Stream) -> list[Shard]:
    """The shards that can be read, by number."""
    return [shard for shard in stream.shards if shard.trimmed_to != ALL_RECORDS]


def _with_shards(table: Table, change: Callable[[Shard], Shard | None]) -> Table:
    streams = tuple(
        replace(
            stream,
            shards=tuple(
                changed for shard in stream.shards if (changed := change(shard)) is not None
            ),
        )
        for stream in table.streams
    )
    return replace(table, streams=streams)


def _is_old(shard: Shard, now_ms: int, shard_ms_max: int) -> bool:
    return now_ms >= shard.opened_ms + shard_ms_max


def _closed(shard: Shard, now_ms: int) -> Shard:
    if shard.closed_ms is not None:
        return shard
    return replace(shard, closed_ms=max(now_ms, shard.opened_ms))
