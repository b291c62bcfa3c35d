"""The tables that a task works on again and again; looks for changes of the catalog."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Final

from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.catalog.catalog import Catalog, count_changes
from hashrange.tables.keys.log_keys import table_of_log
from hashrange.tables.opened.open_table import OpenTable


class WatchedTables:
    """The names of tables, until their entries say that there is nothing to do.

    Args:
        catalog: opens the tables.
        is_kept: whether there is something to do for a table.
    """

    def __init__(self, catalog: Catalog, is_kept: Callable[[OpenTable], bool]) -> None:
        self._catalog = catalog
        self._is_kept = is_kept
        # Each with the mark of its last change.
        self._marks: dict[str, object] = {}
        self._numbers: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._marks)

    @property
    def names(self) -> list[str]:
        """The names as they are now."""
        return [*self._marks]

    def note_change(self, name: str) -> None:
        """Include a table that was changed."""
        self._marks[name] = object()

    def add(self, name: str) -> None:
        """Include a table that a sweep has found."""
        self._marks.setdefault(name, object())

    def has_log(self, logs: Iterable[bytes]) -> bool:
        """Whether one of some logs is that of a table that was opened."""
        numbers = self._numbers.values()
        return any(table_of_log(log) in numbers for log in logs)

    async def open(self, name: str) -> OpenTable | None:
        """A table with something to do; otherwise None, and it is left out from now on.

        A table that is changed while its entry is read stays. Raises StorageError.
        """
        mark = self._marks.get(name)
        found = self._catalog.cached(name) or await self._catalog.open(name)
        if found is not None and self._is_kept(found):
            self._numbers[name] = found.number
            return found
        if self._marks.get(name) is mark:
            self._marks.pop(name, None)
            self._numbers.pop(name, None)
        return None


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
