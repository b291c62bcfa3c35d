"""An engine whose writes lose on purpose, as those that meet other servers at each try.

What the others do between two tries is a coroutine of the test's.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from hashrange.storage.engine import NO_FENCES, Changes, ContendedError, Engine, Fences, Pair

T = TypeVar("T")

TRIES = 3


async def nothing() -> None:
    """What others do that change none of what a write reads, and still are in its way."""


class LosingEngine:
    """Hands everything on to `inner`, but for what loses.

    Attributes:
        others: what happens before each try but the first; None while nothing is lost.
        loses_reads: reads that carry fences lose too, as those do whose table is being written.
    """

    def __init__(self, inner: Engine) -> None:
        self.inner = inner
        self.key_bytes_max = inner.key_bytes_max
        self.others: Callable[[], Awaitable[object]] | None = None
        self.loses_reads = False

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """See `Engine.read`."""
        if self.loses_reads and fences:
            raise ContendedError
        return await self.inner.read(keys, fences=fences)

    async def scan(
        self,
        start: bytes,
        end: bytes,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool = False,
        fences: Fences = NO_FENCES,
    ) -> list[Pair]:
        """See `Engine.scan`."""
        return await self.inner.scan(
            start, end, limit=limit, bytes_max=bytes_max, reverse=reverse, fences=fences
        )

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """See `Engine.write`."""
        if self.others is None:
            return await self.inner.write(keys, decide, fences=fences)
        for tries in range(TRIES):
            if tries:
                await self.others()
            decide(await self.inner.read(keys, fences=fences))
        raise ContendedError
