"""Tables and items of a backup, counted by catalog and counters."""

import pytest
from msgspec.json import encode

from hashrange.backups.directories.manifests import BackupError, Totals
from hashrange.backups.directories.totals import Tally
from hashrange.storage.stored_rows import RowKind, StoredRow
from hashrange.tables.keys import keyspace, system_keys
from tests.unit.tables.definitions import definition

START, _ = system_keys.catalog_range()
COUNTERS = [
    StoredRow(RowKind.COUNTER, keyspace.item_count_key(number, index), items.to_bytes(8))
    for number, index, items in ((1, 0, 5), (1, 3, 4), (2, 0, 7), (9, 0, 100))
]
ENTRIES = [
    StoredRow(RowKind.PAIR, START + name.encode(), encode(definition(name=name, number=number)))
    for name, number in (("a", 1), ("b", 2), ("empty", 3))
]


# Entries of indexes are no items, and table 9 was dropped.
@pytest.mark.parametrize("rows", [ENTRIES + COUNTERS, COUNTERS + ENTRIES])
def test_rows_are_counted_in_any_order(rows):
    tally = Tally()
    for row in rows:
        tally.feed([row])
    assert tally.totals() == Totals(3, 12)


def test_a_damaged_catalog_is_no_backup():
    with pytest.raises(BackupError, match="catalog's entry at"):
        Tally().feed([StoredRow(RowKind.PAIR, START + b"a", b"{")])
