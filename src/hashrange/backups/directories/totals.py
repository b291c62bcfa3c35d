"""Counts the tables and items of a backup, by its catalog and its counters."""

from collections.abc import Iterable
from typing import Final

import msgspec

from hashrange.backups.directories.manifests import BackupError, Totals
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.storage.stored_rows import RowKind, StoredRow
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.opened.reader import read_size

_CATALOG: Final = system_keys.catalog_range()
_decode: Final = msgspec.json.Decoder(Table).decode


async def totals_of(engine: Engine) -> Totals:
    """The totals of data that do not change meanwhile.

    Raises:
        BackupError: an entry of the catalog cannot be read.
        StorageError: likewise a page.
    """
    numbers = [_number(key, entry) async for key, entry in pairs(engine, _CATALOG)]
    items = [(await read_size(engine, number)).items for number in numbers]
    return Totals(len(numbers), sum(items))


class Tally:
    """Counts while the rows of a database pass, in any order."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._counters: dict[bytes, int] = {}

    def feed(self, rows: Iterable[StoredRow]) -> None:
        """Count rows. Raises BackupError: an entry of the catalog cannot be read."""
        start, end = _CATALOG
        for kind, key, value in rows:
            if kind == RowKind.COUNTER:
                self._counters[key] = int.from_bytes(value, "big", signed=True)
            elif kind == RowKind.PAIR and start <= key < end:
                self._numbers.append(_number(key, value))

    def totals(self) -> Totals:
        """Of the rows so far."""
        keys = map(keyspace.item_count_key, self._numbers)
        return Totals(len(self._numbers), sum(self._counters.get(key, 0) for key in keys))


def _number(key: bytes, entry: bytes) -> int:
    try:
        return _decode(entry).number
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BackupError(f"the catalog's entry at {key.hex()} cannot be read: {error}") from error
