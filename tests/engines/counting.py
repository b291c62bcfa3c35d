"""An engine that counts what is read from it: what a request costs, without a clock."""

from hashrange.storage.engine import Engine
from tests.engines.passing import PassingEngine


class CountingEngine(PassingEngine):
    """Hands everything on to `inner`.

    Attributes:
        scans: calls of `scan`.
        pairs: that they answered.
        value_bytes: of those pairs.
        value_bytes_max: the most that one call answered.
    """

    def __init__(self, inner: Engine) -> None:
        super().__init__(inner)
        self.scans = self.pairs = self.value_bytes = self.value_bytes_max = 0

    async def scan(self, start, end, **asked):
        """See `Engine.scan`."""
        page = await super().scan(start, end, **asked)
        size = sum(len(value) for _, value in page)
        self.scans += 1
        self.pairs += len(page)
        self.value_bytes += size
        self.value_bytes_max = max(self.value_bytes_max, size)
        return page
