"""Trims the logs of vector indexes, which have the keys of entries that have changed."""

from typing import Final

from hashrange.model.table import Index
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.keys.key_ranges import prefix_range
from hashrange.tables.keys.keyspace import vector_log_key
from hashrange.tables.keys.log_keys import record_key, record_number
from hashrange.tables.opened.open_table import OpenTable

KEPT_RECORDS: Final = 10_000
"""Our own: a process that is further behind reads its groups again."""
_PAGE_RECORDS: Final = 500
_PAGE_BYTES: Final = 256 * 1024


async def trim_page(
    engine: Engine, table: OpenTable, index: Index, kept: int = KEPT_RECORDS
) -> bool:
    """Delete a page of records before the last `kept`; whether there may be more.

    Raises StaleFenceError, StorageError.
    """
    log = vector_log_key(table.number, index.number)
    start, end = prefix_range(log)
    last = await engine.scan(start, end, limit=1, bytes_max=1, reverse=True, fences=table.fences)
    if not last:
        return False
    # The last record stays in any case: it shows whether the log is the one that was read.
    horizon = record_key(log, max(record_number(last[0][0]) - max(kept, 1) + 1, 0))
    rows = await engine.scan(
        start, horizon, limit=_PAGE_RECORDS, bytes_max=_PAGE_BYTES, fences=table.fences
    )
    keys = [key for key, _ in rows]
    if keys:
        await engine.write(keys, lambda _: Changes(answer=None, deletes=keys), fences=table.fences)
    return bool(keys)
