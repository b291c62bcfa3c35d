"""What performs the operations of DAX at the upstream, with the caches in front of it."""

from collections.abc import Callable
from typing import Any

from hashrange.dax_cache.caches import Caches
from hashrange.operations.cached.writes import Refresh
from hashrange.operations.pipeline.operation import Caller, Performer
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
        self._performers: dict[str, Performer] = {
            "GetItem": CachedGet(sender, tables, caches, recent, now_ms=now_ms).perform,
            "BatchGetItem": CachedBatchGet(sender, tables, caches, recent, now_ms=now_ms).perform,
            "Query": CachedPages("Query", sender, tables, caches, now_ms=now_ms).perform,
            "Scan": CachedPages("Scan", sender, tables, caches, now_ms=now_ms).perform,
            "PutItem": writes.put,
            "DeleteItem": writes.delete,
            "UpdateItem": writes.update,
            "BatchWriteItem": writes.batch,
            "TransactGetItems": self._transactions.get,
        }

    def __call__(self, operation: str, caller: Caller) -> Performer:
        """The performer of an operation for a caller."""
        if operation == "TransactWriteItems":
            return lambda request: self._transactions.write(request, caller)
        return self._performers[operation]
