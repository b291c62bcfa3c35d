"""Removes records that are older than the retention of their stream, and shards without records."""

from collections.abc import Callable, Sequence

from hashrange.storage.engine import Changes, StaleFenceError
from hashrange.tables.keys.kinesis_keys import end_key, records_range
from hashrange.tables.kinesis.records import record_time_ms
from hashrange.tables.kinesis.rows import PAGE_BYTES, PAGE_ROWS, OpenStream, StreamRows
from hashrange.tables.kinesis.streams import Ends, StoredStream, without_shards


async def trim_page(rows: StreamRows, stream: int, shard: int, horizon_ms: int) -> bool:
    """Delete a page of the records of a shard from before a time; whether there may be more."""
    start, end = records_range(stream, shard)
    page = await rows.engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES)
    gone = [key for key, value in page if record_time_ms(value) < horizon_ms]
    if gone:
        await rows.engine.write([end_key(stream, shard)], _deleting(gone))
    return bool(gone)


def _deleting(gone: Sequence[bytes]) -> Callable[[object], Changes[None]]:
    return lambda _: Changes(answer=None, deletes=gone)


async def forget_shards(rows: StreamRows, opened: OpenStream, now_ms: int) -> None:
    """Remove shards that were closed before the retention; their records must have been deleted.

    Does nothing if the stream was changed meanwhile.
    """
    stream = opened.stream
    horizon_ms = stream.horizon_ms(now_ms)
    gone = [
        each for each in stream.shards if each.closed_ms is not None and each.closed_ms < horizon_ms
    ]
    if not gone:
        return

    def change(before: StoredStream, _: Ends) -> StoredStream:
        return without_shards(before, (each.number for each in gone))

    try:
        await rows.change(opened, change, removing=gone)
    except StaleFenceError:
        return
