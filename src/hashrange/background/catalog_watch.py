"""Notices that another process has made, changed or dropped a table."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.catalog import count_changes

LOOK_SECONDS: Final = 1.0

_log: Final = logging.getLogger(__name__)


class CatalogWatch:
    """One task that looks at one key.

    Args:
        changed: called after each change, and once at the beginning; several may be one.
        look_seconds: how soon it is noticed.
    """

    def __init__(
        self, engine: Engine, changed: Callable[[], None], *, look_seconds: float = LOOK_SECONDS
    ) -> None:
        self._engine = engine
        self._changed = changed
        self._look_seconds = look_seconds

    async def run(self) -> None:
        """Look again and again; ends when it is cancelled."""
        seen: int | None = None
        while True:
            try:
                count = await count_changes(self._engine)
            except StorageError:
                _log.debug("the catalog cannot be watched", exc_info=True)
            else:
                if count != seen:
                    seen = count
                    self._changed()
            await asyncio.sleep(self._look_seconds)
