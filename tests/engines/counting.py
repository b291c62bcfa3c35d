"""An engine that counts what is read from it: what a request costs, without a clock."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair

T = TypeVar("T")


class CountingEngine:
    """Hands everything on to `inner`.

    Attributes:
        scans: calls of `scan`.
        pairs: that they answered.
        value_bytes: of those pairs.
        value_bytes_max: the most that one call answered.
    """

    def __init__(self, inner: Engine) -> None:
        self.inner = inner
        self.key_bytes_max = inner.key_bytes_max
        self.scans = self.pairs = self.value_bytes = self.value_bytes_max = 0

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """See `Engine.read`."""
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
        page = await self.inner.scan(
            start, end, limit=limit, bytes_max=bytes_max, reverse=reverse, fences=fences
        )
        size = sum(len(value) for _, value in page)
        self.scans += 1
        self.pairs += len(page)
        self.value_bytes += size
        self.value_bytes_max = max(self.value_bytes_max, size)
        return page

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """See `Engine.write`."""
        return await self.inner.write(keys, decide, fences=fences)
