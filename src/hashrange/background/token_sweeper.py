"""Deletes the tokens of transactions some time after their validity of ten minutes.

Works page by page, with a pause after each for the sake of requests.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.writing.tokens import forget_page

LOOK_SECONDS: Final = 60.0
"""Interval of the search for old tokens."""
PAUSE_SECONDS: Final = 0.02
"""Pause between two pages: ten thousand tokens a second, more than are written."""

_log: Final = logging.getLogger(__name__)


class TokenSweeper:
    """A background task that deletes old tokens.

    Args:
        engine: holds them.
        kept_ms: `Store.kept_ms`.
    """

    def __init__(self, engine: Engine, kept_ms: Callable[[], int]) -> None:
        self._engine = engine
        self._kept_ms = kept_ms

    async def run(self) -> None:
        """Search and delete in intervals until it is cancelled."""
        while True:
            pause_seconds = await self.sweep()
            await asyncio.sleep(pause_seconds)

    async def drain(self) -> None:
        """Delete all tokens that are old enough by now. Raises StorageError."""
        more = True
        while more:
            more = await forget_page(self._engine, self._kept_ms())

    async def sweep(self) -> float:
        """Delete a page of tokens; returns the seconds to pause before the next."""
        try:
            if await forget_page(self._engine, self._kept_ms()):
                return PAUSE_SECONDS
        except StorageError:
            _log.warning("removing old client tokens failed; will retry", exc_info=True)
        return LOOK_SECONDS
