"""Changes of a table's change log: its shards, its streams and other readers. Pure.

All are changes of the table's catalog entry. A log has open shards while a stream is enabled or
another reader exists. A shard is open for a few hours and is then continued by a child, so that old
records can be removed shard by shard. When a reader is added or removed, all shards are rolled: a
change of the catalog entry is one moment for all writes, so the records of a reader begin and end
with whole shards. Closed shards are kept as long as a reader needs their records.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.limits.tables import EMPTY_STREAMS_MAX
from hashrange.model.log import ALL_RECORDS, Log, LogReader, Shard
from hashrange.model.table import Table
from hashrange.model.table_features import Stream, StreamViewType
from hashrange.tables.keys.log_keys import HASHES, hash_bytes

replace: Final = msgspec.structs.replace


def with_stream(table: Table, view_type: StreamViewType, shards: int, now_ms: int) -> Table:
    """The table with a new stream. A log without open shards gets `shards` of equal hash ranges."""
    assert table.stream is None, "one stream at a time"
    # A label is a time in milliseconds, and unique among the streams of a table.
    created_ms = max(now_ms, (table.latest_stream_ms or 0) + 1)
    stream = Stream(view_type=view_type, created_ms=created_ms, first_shard=table.log.next_shard)
    return replace(
        table,
        streams=(*table.streams, stream),
        log=_opened(table.log, shards, created_ms),
        latest_stream_ms=created_ms,
    )


def without_stream(table: Table, now_ms: int) -> Table:
    """The table with its stream disabled, if it has one."""
    stream = table.stream
    if stream is None:
        return table
    log = table.log
    disabled = replace(stream, disabled_ms=now_ms, end_shard=log.next_shard)
    return replace(
        table,
        streams=(*table.streams[:-1], disabled),
        log=_rolled(log, now_ms) if log.readers else _closed_log(log, now_ms),
    )


def with_reader(table: Table, reader: LogReader, shards: int, now_ms: int) -> Table:
    """The table with another reader; a log without open shards gets `shards` as `with_stream` does.

    The reader needs the shards that are opened now, or from `first_shard` on if that is not 0.
    """
    assert reader.name not in {other.name for other in table.log.readers}, "names are unique"
    log = table.log
    reader = replace(reader, first_shard=reader.first_shard or log.next_shard)
    return replace(table, log=replace(_opened(log, shards, now_ms), readers=(*log.readers, reader)))


def without_reader(table: Table, name: str, now_ms: int) -> Table:
    """The table without a reader; if it was the last, all shards are closed."""
    log = table.log
    readers = tuple(reader for reader in log.readers if reader.name != name)
    if len(readers) == len(log.readers):
        return table
    log = replace(log, readers=readers)
    if not readers and table.stream is None:
        log = _closed_log(log, now_ms)
    return replace(table, log=log)


def without_log(table: Table, now_ms: int) -> Table:
    """The table when it is dropped: all shards are closed, and only streams can be read."""
    table = without_stream(table, now_ms)
    log = _closed_log(replace(table.log, readers=()), now_ms)
    return replace(table, log=log)


def cut(table: Table, now_ms: int) -> Table:
    """The table with all open shards rolled, which defines one moment in the whole log."""
    return replace(table, log=_rolled(table.log, now_ms))


def is_to_roll(table: Table, now_ms: int, shard_ms_max: int) -> bool:
    """Whether a shard has been open for at least `shard_ms_max`."""
    return any(_is_old(shard, now_ms, shard_ms_max) for shard in table.log.open_shards)


def rolled(table: Table, now_ms: int, shard_ms_max: int) -> Table:
    """The table with those shards rolled that have been open for at least `shard_ms_max`."""
    log = _rolled(table.log, now_ms, lambda shard: _is_old(shard, now_ms, shard_ms_max))
    return replace(table, log=log)


def with_bounds(table: Table, bounds: Sequence[bytes], now_ms: int) -> Table:
    """The table with each open shard split at those of the hashes `bounds` that it contains.

    The same definition if there are none. The children cover the hashes of their parent.
    """
    log = table.log
    inside = {
        shard.number: [bound for bound in bounds if _contains(shard, bound)]
        for shard in log.open_shards
    }
    if not any(inside.values()):
        return table
    number = log.next_shard
    shards: list[Shard] = []
    children: list[Shard] = []
    for shard in log.shards:
        cuts = sorted(inside.get(shard.number, ()))
        if not cuts:
            shards.append(shard)
            continue
        shards.append(_closed(shard, now_ms))
        ends = [*cuts, shard.end]
        for start, end in zip([shard.start, *cuts], ends, strict=True):
            child = _child(shard, number, now_ms)
            children.append(replace(child, start=start, end=end))
            number += 1
    return replace(table, log=replace(log, shards=(*shards, *children), next_shard=number))


def _contains(shard: Shard, bound: bytes) -> bool:
    return shard.start < bound and (not shard.end or bound < shard.end)


def empty_shards_kept_from(table: Table) -> int:
    """The number of the first shard that is kept for the whole retention even without records.

    Shards with lower numbers belong to streams that were disabled before the latest
    `EMPTY_STREAMS_MAX`. They are closed, so that an empty one stays empty. 0 if there are none.
    """
    disabled = [stream for stream in table.streams if stream.end_shard is not None]
    if len(disabled) <= EMPTY_STREAMS_MAX:
        return 0
    end = disabled[-EMPTY_STREAMS_MAX - 1].end_shard
    assert end is not None, "the stream is disabled"
    return end


def is_over(shard: Shard, oldest_ms: int) -> bool:
    """Whether a shard was closed before the time from which records are kept."""
    return shard.closed_ms is not None and shard.closed_ms < oldest_ms


def trimmed(table: Table, horizons: Mapping[int, "Horizon"]) -> Table:
    """The table with new horizons of shards, by their numbers; a horizon never moves back."""

    def change(shard: Shard) -> Shard:
        horizon = horizons.get(shard.number)
        if horizon is None:
            return shard
        kept_from = horizon.kept_from
        if kept_from is not None:
            kept_from = max(kept_from, shard.cleared_to)
        trimmed_to = max(horizon.trimmed_to, shard.trimmed_to)
        return replace(shard, trimmed_to=trimmed_to, kept_from=kept_from)

    return _with_shards(table, change)


class Horizon(msgspec.Struct, frozen=True):
    """The first records of a shard that streams show, and that other readers need."""

    trimmed_to: int = 1
    kept_from: int | None = None


def without_shards(table: Table, numbers: Collection[int]) -> Table:
    """The table without some shards."""
    return _with_shards(table, lambda shard: None if shard.number in numbers else shard)


def _with_shards(table: Table, change: Callable[[Shard], Shard | None]) -> Table:
    """The table with changed shards, and without disabled streams that have no shards left."""
    shards = tuple(changed for shard in table.log.shards if (changed := change(shard)) is not None)
    table = replace(table, log=replace(table.log, shards=shards))
    streams = tuple(
        stream for stream in table.streams if stream.disabled_ms is None or table.shards_of(stream)
    )
    return replace(table, streams=streams)


def _opened(log: Log, shards: int, now_ms: int) -> Log:
    """The log with its open shards rolled, or with new ones if none are open."""
    if log.open_shards:
        return _rolled(log, now_ms)
    first = log.next_shard
    bounds = [b"", *(hash_bytes(HASHES * part // shards) for part in range(1, shards)), b""]
    opened = tuple(
        Shard(number=first + part, start=bounds[part], end=bounds[part + 1], opened_ms=now_ms)
        for part in range(shards)
    )
    return replace(log, shards=(*log.shards, *opened), next_shard=first + shards)


def _rolled(log: Log, now_ms: int, is_due: Callable[[Shard], bool] = lambda _: True) -> Log:
    number = log.next_shard
    shards: list[Shard] = []
    children: list[Shard] = []
    for shard in log.shards:
        if shard.closed_ms is not None or not is_due(shard):
            shards.append(shard)
            continue
        shards.append(_closed(shard, now_ms))
        children.append(_child(shard, number, now_ms))
        number += 1
    return replace(log, shards=(*shards, *children), next_shard=number)


def _child(shard: Shard, number: int, now_ms: int) -> Shard:
    """A shard that continues another."""
    return Shard(
        number=number,
        start=shard.start,
        end=shard.end,
        parent=shard.number,
        parent_opened_ms=shard.opened_ms,
        opened_ms=max(now_ms, shard.opened_ms),
    )


def _closed_log(log: Log, now_ms: int) -> Log:
    return replace(log, shards=tuple(_closed(shard, now_ms) for shard in log.shards))


def _is_old(shard: Shard, now_ms: int, shard_ms_max: int) -> bool:
    return now_ms >= shard.opened_ms + shard_ms_max


def _closed(shard: Shard, now_ms: int) -> Shard:
    if shard.closed_ms is not None:
        return shard
    return replace(shard, closed_ms=max(now_ms, shard.opened_ms))


def is_gone(shard: Shard) -> bool:
    """Whether all records of a shard may be deleted."""
    return shard.cleared_to == ALL_RECORDS
