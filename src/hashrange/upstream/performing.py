"""What performs the operations of DAX at the upstream, with the caches in front of it."""

from collections.abc import Callable
from typing import Any

from hashrange.dax_cache.caches import Caches
from hashrange.operations.cached.writes import Refresh
from hashrange.operations.items import (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    put_item,
    query,
    scan,
    update_item,
)
from hashrange.operations.pipeline.operation import AnyOperation, Caller, Performer
from hashrange.operations.transactions import transact_get_items
from hashrange.upstream.pages import CachedPages
from hashrange.upstream.reads import CachedBatchGet, CachedGet
from hashrange.upstream.recent import RecentWrites
from hashrange.upstream.sender import Sender
from hashrange.upstream.tables import UpstreamTables
from hashrange.upstream.transactions import Transactions
from hashrange.upstream.writes import CachedWrites, Through


class UpstreamPerformers:
    """Performers of operations, the same for all callers but for who refreshes.

    Args:
        sender: performs operations at the upstream.
        tables: the upstream's.
        caches: in front of it.
        now_ms: the time.
        refresh: begins `refreshed` in the background.
    """

    def __init__(
        self,
        sender: Sender,
        tables: UpstreamTables,
        caches: Caches[Any],
        *,
        now_ms: Callable[[], int],
        refresh: Refresh,
    ) -> None:
        recent = RecentWrites(now_ms)
        through = Through(caches, recent, now_ms)
        writes = CachedWrites(sender, tables, through)
        self._transactions = Transactions(sender, tables, through, refresh)
        performers: tuple[tuple[AnyOperation, Performer], ...] = (
            (
                get_item.OPERATION,
                CachedGet(sender, tables, caches, recent, now_ms=now_ms).perform,
            ),
            (
                batch_get_item.OPERATION,
                CachedBatchGet(sender, tables, caches, recent, now_ms=now_ms).perform,
            ),
            (query.OPERATION, CachedPages("Query", sender, tables, caches, now_ms=now_ms).perform),
            (scan.OPERATION, CachedPages("Scan", sender, tables, caches, now_ms=now_ms).perform),
            (put_item.OPERATION, writes.put),
            (delete_item.OPERATION, writes.delete),
            (update_item.OPERATION, writes.update),
            (batch_write_item.OPERATION, writes.batch),
            (transact_get_items.OPERATION, self._transactions.get),
        )
        self._performers = {row.facts.name: perform for row, perform in performers}

    def __call__(self, operation: str, caller: Caller) -> Performer:
        """The performer of an operation for a caller."""
        if operation == "TransactWriteItems":
            return lambda request: self._transactions.write(request, caller)
        return self._performers[operation]
