"""What operations on items work on."""

from hashrange.clock import Clock
from hashrange.limits import ITEM_COLLECTION_BYTES_MAX
from hashrange.storage.engine import Engine


class Store:
    """The engine, the time, and which items a transaction is about to write.

    Attributes:
        engine: holds the items.
        clock: tells when a write was made.
        in_flight: keys of the items of transactions that were admitted and are not durable yet,
            and whether they are written or only checked; and the tokens of those transactions. Of
            this process alone.
        collection_bytes_max: of an item collection of a table with local indexes.
    """

    __slots__ = ("clock", "collection_bytes_max", "engine", "in_flight")

    def __init__(
        self, engine: Engine, clock: Clock, *, collection_bytes_max: int = ITEM_COLLECTION_BYTES_MAX
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.collection_bytes_max = collection_bytes_max
        self.in_flight: dict[bytes, bool] = {}
