"""The context of operations on items."""

from collections.abc import Awaitable, Callable

from hashrange.clock import Clock, SteadyClock, Times
from hashrange.limits.requests import PAGE_BYTES_MAX
from hashrange.limits.tables import ITEM_COLLECTION_BYTES_MAX
from hashrange.storage.engine import Engine
from hashrange.tables.opened.strong import NoStrongTables, StrongTables
from hashrange.tables.vectors.searches import VectorSearches


class Store:
    """The engine, the clock, and the items of transactions in flight.

    Attributes:
        engine: holds the items.
        clock: for the versions of items.
        in_flight: keys of items and tokens of transactions that were admitted and are not durable
            yet; the value is whether the transaction writes the item (True) or only checks it. Of
            this process only.
        collection_bytes_max: the bound of an item collection in tables with local indexes.
        page_bytes_max: that of a page of Query or Scan: the item that reaches it is the last.
        secret: authenticates tokens of clients: `tables.catalog.secrets`. Set before the first
            request; empty where there are no clients.
        stamp_ms: reads the clock that stamps records of the change log, in milliseconds since the
            epoch; on a database that is not `clock`. Raises StorageError.
        times: reads the times of `SteadyClock`; by default those of a clock that is never set.
        kept_ms: reads the one for what is kept for a while.
        loaded_ms: when the data were last put back to a saved state; 0 for never. Iterators of
            shards that are older may name records that are no more.
        vectors: the vectors that searches have read.
        strong: the logs of strong tables; refuses their writes where none are run.
        conflicts_total: changes of other regions that arrived, and had lost by then.
    """

    __slots__ = (
        "clock",
        "collection_bytes_max",
        "conflicts_total",
        "engine",
        "in_flight",
        "kept_ms",
        "loaded_ms",
        "page_bytes_max",
        "secret",
        "stamp_ms",
        "steady",
        "strong",
        "times",
        "vectors",
    )

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        *,
        collection_bytes_max: int = ITEM_COLLECTION_BYTES_MAX,
        page_bytes_max: int = PAGE_BYTES_MAX,
        stamp_ms: Callable[[], Awaitable[int]] | None = None,
        steady: SteadyClock | None = None,
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.collection_bytes_max = collection_bytes_max
        self.page_bytes_max = page_bytes_max
        self.in_flight: dict[bytes, bool] = {}
        self.secret = b""
        self.loaded_ms = 0
        self.stamp_ms = stamp_ms or self._now_ms
        self.steady = steady
        self.times = self._times if steady is None else steady.times
        self.kept_ms = clock.now_ms if steady is None else steady.kept_ms
        self.strong: StrongTables = NoStrongTables()
        self.conflicts_total = 0
        self.vectors = VectorSearches()

    async def _now_ms(self) -> int:
        return self.clock.now_ms()

    def _times(self) -> Times:
        now_ms = self.clock.now_ms()
        return now_ms, now_ms, now_ms

    def on(self, engine: Engine) -> "Store":
        """This store on another view of its engine."""
        other = Store(
            engine,
            self.clock,
            collection_bytes_max=self.collection_bytes_max,
            page_bytes_max=self.page_bytes_max,
            stamp_ms=self.stamp_ms,
            steady=self.steady,
        )
        other.in_flight, other.secret = self.in_flight, self.secret
        other.loaded_ms, other.strong = self.loaded_ms, self.strong
        other.vectors = self.vectors
        return other
