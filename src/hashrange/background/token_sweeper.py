"""Forgets the tokens of transactions, some time after the ten minutes for which they are known.

It works in pages, and rests between two: requests come first.
"""

import asyncio
import logging
from typing import Final

from hashrange.clock import Clock
from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.tokens import forget_page

LOOK_SECONDS: Final = 60.0
"""How often is looked for tokens that are old enough."""
REST_SECONDS: Final = 0.02
"""Between two pages: ten thousand tokens a second, more than are made."""

_log: Final = logging.getLogger(__name__)


class TokenSweeper:
    """One task that removes tokens until it is stopped."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def run(self) -> None:
        """Look again and again; ends when it is cancelled."""
        while True:
            rest_seconds = await self.sweep()
            await asyncio.sleep(rest_seconds)

    async def settle(self) -> None:
        """Remove all tokens that are old enough by now. Raises StorageError."""
        more = True
        while more:
            more = await forget_page(self._engine, self._clock.now_ms())

    async def sweep(self) -> float:
        """Remove a page of tokens; for how many seconds to rest then."""
        try:
            if await forget_page(self._engine, self._clock.now_ms()):
                return REST_SECONDS
        except StorageError:
            _log.warning("removing old client tokens failed; will retry", exc_info=True)
        return LOOK_SECONDS
