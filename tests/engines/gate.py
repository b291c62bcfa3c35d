"""An engine whose writes can be held: what happens meanwhile happens, without a clock."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair

T = TypeVar("T")


class GateEngine:
    """Hands everything on to `inner`; writes that come while it is closed wait until it opens.

    Attributes:
        waiting: writes that wait.
    """

    def __init__(self, inner: Engine) -> None:
        self.inner = inner
        self.key_bytes_max = inner.key_bytes_max
        self.waiting = 0
        self._opened: asyncio.Event | None = None

    def close(self) -> None:
        """Let writes that come from now on wait."""
        self._opened = asyncio.Event()

    def let_pass(self) -> Callable[[], None]:
        """Let writes that come from now on pass those that wait; what is given lets those go."""
        opened, self._opened = self._opened, None
        assert opened is not None, "closed before"
        return opened.set

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
        if self._opened is not None:
            self.waiting += 1
            try:
                await self._opened.wait()
            finally:
                self.waiting -= 1
        return await self.inner.write(keys, decide, fences=fences)
