"""An engine that hands everything on: what those that do something meanwhile are made of."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair

T = TypeVar("T")


class PassingEngine:
    """Hands everything on to `inner`."""

    def __init__(self, inner: Engine) -> None:
        self.inner = inner

    @property
    def key_bytes_max(self) -> int:
        """See `Engine.key_bytes_max`."""
        return self.inner.key_bytes_max

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
        return await self.inner.write(keys, decide, fences=fences)
