"""The tables that a background task works on again and again."""

from collections.abc import Callable, Iterable

from hashrange.tables.catalog.catalog import Catalog
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
