"""Notices when another process has created, changed or dropped a table."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.catalog.catalog import count_changes

LOOK_SECONDS: Final = 1.0

_log: Final = logging.getLogger(__name__)


class CatalogWatch:
    """A background task that polls the catalog's count of changes, one key.

    Args:
        engine: holds the catalog.
        changed: called at the start, and after one or more changes.
        look_seconds: the interval of the polls.
    """

    def __init__(
        self, engine: Engine, changed: Callable[[], None], *, look_seconds: float = LOOK_SECONDS
    ) -> None:
        self._engine = engine
        self._changed = changed
        self._look_seconds = look_seconds

    async def run(self) -> None:
        """Poll until it is cancelled."""
        last: int | None = None
        while True:
            try:
                count = await count_changes(self._engine)
            except StorageError:
                _log.debug("the catalog cannot be watched", exc_info=True)
            else:
                if count != last:
                    last = count
                    self._changed()
            await asyncio.sleep(self._look_seconds)
