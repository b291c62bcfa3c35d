"""The changes of one write with those of its index entries, and their write units. Pure."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar

import msgspec

from hashrange.capacity.charges import KeyValues
from hashrange.capacity.units import write_units
from hashrange.model.table import Index
from hashrange.storage.engine import Changes
from hashrange.tables import change_log
from hashrange.tables.capacity_keys import ENTRY_POSITION
from hashrange.tables.images import stored
from hashrange.tables.indexes import Entry, EntryChange, adds_of
from hashrange.tables.opened import OpenTable

T = TypeVar("T")

EntryUnits: TypeAlias = tuple[str, bytes, float, KeyValues | None]
"""The name of an index, a key position in it, write units, and the key if insights count it."""


class EntryChanges(msgspec.Struct):
    """The changes of one write; those of its index entries are added with `take`."""

    puts: dict[bytes, bytes]
    deletes: list[bytes]
    adds: dict[bytes, int]
    units: dict[str, float]
    local_bytes: int = 0
    """The growth of the entries in local indexes."""
    places: list[EntryUnits] | None = None
    """The units of each entry with its place; None if nobody needs the places."""

    def take(self, number: int, change: EntryChange) -> None:
        """Add the change of one entry, and its write units."""
        before, after = change.before, change.after
        if before is not None and change.moved:
            self.deletes.append(before.key)
        if after is not None:
            self.puts[after.key] = stored(after.image)
        old = None if before is None else before.image
        new = None if after is None else after.image
        self.adds.update(adds_of(number, change.index.number, old, new))
        if change.index.is_local:
            self.local_bytes += (new.size if new else 0) - (old.size if old else 0)
        # The index of expiry has no units; neither has a change of the order of attributes.
        if not change.index.is_expiry and (change.moved or change_log.is_change(old, new)):
            self.units[change.index.name] = _units(change)
            if self.places is not None:
                self.places += _places(change)

    def changes(self, answer: T, appends: Sequence[tuple[bytes, bytes]]) -> Changes[T]:
        """All changes, with the answer of the write and its change records."""
        return Changes(
            answer=answer, puts=self.puts, deletes=self.deletes, adds=self.adds, appends=appends
        )


def changed_entries(
    table: OpenTable, puts: Mapping[bytes, bytes], deletes: Sequence[bytes], adds: dict[bytes, int]
) -> EntryChanges:
    """The changes of an item, to which those of its entries are added."""
    places: list[EntryUnits] | None = [] if table.wants_places else None
    return EntryChanges({**puts}, [*deletes], adds, {}, places=places)


def _units(change: EntryChange) -> float:
    """The write units of an entry: of both images if its key changes, else of the larger one."""
    sizes = [entry.image.size for entry in (change.before, change.after) if entry is not None]
    if change.moved:
        return sum(write_units(size) for size in sizes)
    return write_units(max(sizes))


def _places(change: EntryChange) -> list[EntryUnits]:
    """The units of `_units`, at the places of the entries before and after."""
    entries = [entry for entry in (change.before, change.after) if entry is not None]
    if not change.moved:
        return [_place(change.index, entries[-1], _units(change))]
    return [_place(change.index, each, write_units(each.image.size)) for each in entries]


def _place(index: Index, entry: Entry, units: float) -> EntryUnits:
    key: KeyValues | None = None
    if index.insights is not None and index.insights.since_ms is not None:
        item = entry.image.item()
        sort = [item[attribute.name] for attribute in index.sort]
        key = [item[attribute.name] for attribute in index.partition], sort or None
    return index.name, entry.key[ENTRY_POSITION], units, key
