"""The changes of one write, with those of its index entries, and what these cost. Pure."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from hashrange.capacity.units import write_units
from hashrange.storage.engine import Changes
from hashrange.tables import change_log
from hashrange.tables.images import stored
from hashrange.tables.indexes import EntryChange, adds_of

T = TypeVar("T")


class EntryChanges(msgspec.Struct):
    """Changes of one write, to which those of its index entries are added."""

    puts: dict[bytes, bytes]
    deletes: list[bytes]
    adds: dict[bytes, int]
    units: dict[str, float]
    local_bytes: int = 0
    """By how much the entries in local indexes grow."""

    def take(self, number: int, change: EntryChange) -> None:
        """Add what becomes of one entry, and what that costs."""
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
        # The index of what expires costs nobody anything; neither does another order of attributes.
        if not change.index.is_expiry and (change.moved or change_log.is_change(old, new)):
            self.units[change.index.name] = _units(change)

    def changes(self, answer: T, appends: Sequence[tuple[bytes, bytes]]) -> Changes[T]:
        """All of them, with the answer of the write and what is logged of it."""
        return Changes(
            answer=answer, puts=self.puts, deletes=self.deletes, adds=self.adds, appends=appends
        )


def _units(change: EntryChange) -> float:
    """An entry that changes its key is deleted and put; else the larger image counts."""
    sizes = [entry.image.size for entry in (change.before, change.after) if entry is not None]
    if change.moved:
        return sum(write_units(size) for size in sizes)
    return write_units(max(sizes))
