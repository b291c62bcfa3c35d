"""An engine whose writes can be held: what happens meanwhile happens, without a clock."""

import asyncio
from collections.abc import Callable

from hashrange.storage.engine import NO_FENCES, Engine
from tests.engines.passing import PassingEngine


class GateEngine(PassingEngine):
    """Hands everything on to `inner`; writes that come while it is closed wait until it opens.

    Attributes:
        waiting: writes that wait.
    """

    def __init__(self, inner: Engine) -> None:
        super().__init__(inner)
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

    async def write(self, keys, decide, *, fences=NO_FENCES):
        """See `Engine.write`."""
        if self._opened is not None:
            self.waiting += 1
            try:
                await self._opened.wait()
            finally:
                self.waiting -= 1
        return await super().write(keys, decide, fences=fences)
