"""What operations on items work on."""

from hashrange.clock import Clock
from hashrange.storage.engine import Engine


class Store:
    """The engine, the time, and which items a transaction is about to write.

    Attributes:
        engine: holds the items.
        clock: tells when a write was made.
        in_flight: keys of the items of transactions that were admitted and are not durable yet; of
            this process alone.
    """

    __slots__ = ("clock", "engine", "in_flight")

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self.engine = engine
        self.clock = clock
        self.in_flight: set[bytes] = set()
