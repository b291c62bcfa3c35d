"""An engine whose writes lose on purpose, as those that meet other servers at each try.

What the others do between two tries is a coroutine of the test's.
"""

from collections.abc import Awaitable, Callable

from hashrange.storage.engine import NO_FENCES, ContendedError, Engine
from tests.engines.passing import PassingEngine

TRIES = 3


async def nothing() -> None:
    """What others do that change none of what a write reads, and still are in its way."""


class LosingEngine(PassingEngine):
    """Hands everything on to `inner`, but for what loses.

    Attributes:
        others: what happens before each try but the first; None while nothing is lost.
        loses_reads: reads that carry fences lose too, as those do whose table is being written.
    """

    def __init__(self, inner: Engine) -> None:
        super().__init__(inner)
        self.others: Callable[[], Awaitable[object]] | None = None
        self.loses_reads = False

    async def read(self, keys, *, fences=NO_FENCES):
        """See `Engine.read`."""
        if self.loses_reads and fences:
            raise ContendedError
        return await super().read(keys, fences=fences)

    async def write(self, keys, decide, *, fences=NO_FENCES):
        """See `Engine.write`."""
        if self.others is None:
            return await super().write(keys, decide, fences=fences)
        for tries in range(TRIES):
            if tries:
                await self.others()
            decide(await self.inner.read(keys, fences=fences))
        raise ContendedError
