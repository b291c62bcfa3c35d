"""The log of a member: the entries after its snapshot, and which of them it may remove."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from hashrange.limits.consensus import (
    LOG_BYTES_MAX,
    LOG_ENTRIES_MAX,
    REMOVED_ENTRIES_MAX,
    REMOVED_ENTRIES_MIN,
    WITNESS_LOG_BYTES_MAX,
)
from hashrange.regions.consensus.messages import Entry, Position


class Log:
    """Entries by index; `base` is the position of the snapshot before the first."""

    def __init__(self, base: Position, entries: Iterable[Entry] = ()) -> None:
        self.base = base
        self._entries: list[Entry] = []
        self._ends: list[int] = []
        """The bytes of the data up to each entry, from a beginning that is not known any more."""
        self.append(entries)

    @property
    def last(self) -> Position:
        """The position of the last entry."""
        if not self._entries:
            return self.base
        return Position(self._entries[-1].term, self.base.index + len(self._entries))

    def term_at(self, index: int) -> int | None:
        """The term of the entry at an index; None if it is not in the log or before the base."""
        if index == self.base.index:
            return self.base.term
        place = index - self.base.index - 1
        return self._entries[place].term if 0 <= place < len(self._entries) else None

    def position_at(self, index: int) -> Position:
        """The position of an index that is in the log, or the base."""
        term = self.term_at(index)
        assert term is not None, "an index in the log"
        return Position(term, index)

    def entries(self, first: int, last: int | None = None) -> Sequence[Entry]:
        """The entries from an index on, up to and including `last`."""
        assert first > self.base.index, "entries before the base are gone"
        end = None if last is None else last - self.base.index
        return self._entries[first - self.base.index - 1 : end]

    def batch(self, first: int, count_max: int, bytes_max: int) -> tuple[Entry, ...]:
        """Entries from an index on, at least one if there is one, within both bounds."""
        found: list[Entry] = []
        size = 0
        for entry in self.entries(first, first + count_max - 1):
            size += len(entry.data)
            if found and size > bytes_max:
                break
            found.append(entry)
        return tuple(found)

    def size_after(self, index: int) -> int:
        """The bytes of the data of all entries after an index."""
        if index >= self.last.index:
            return 0
        place = index - self.base.index
        before = self._ends[place - 1] if place else self._ends[0] - len(self._entries[0].data)
        return self._ends[-1] - before

    def append(self, entries: Iterable[Entry]) -> None:
        """Add entries at the end."""
        end = self._ends[-1] if self._ends else 0
        for entry in entries:
            end += len(entry.data)
            self._entries.append(entry)
            self._ends.append(end)

    def cut(self, first: int) -> None:
        """Remove all entries from an index on."""
        del self._entries[first - self.base.index - 1 :]
        del self._ends[first - self.base.index - 1 :]

    def compact(self, base: Position) -> None:
        """Begin after a position. Entries after it remain if the log has an entry there."""
        if self.term_at(base.index) == base.term:
            del self._entries[: base.index - self.base.index]
            del self._ends[: base.index - self.base.index]
        else:
            self._entries.clear()
            self._ends.clear()
        self.base = base

    def refused_hint(self, index: int) -> int:
        """The last index that may equal a leader's, whose entry at `index` differs or is missing.

        All entries of the term that differs are left out at once.
        """
        if index > self.last.index:
            return self.last.index
        term = self.term_at(index)
        while index > self.base.index and self.term_at(index) == term:
            index -= 1
        return index


class LogBounds(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of the log of a member.

    Attributes:
        entries_max: that are kept for a member that is away.
        bytes_max: of these.
        witness_bytes_max: of those that a witness keeps.
        removed_min: entries that all members hold are removed when there are so many.
        removed_max: entries that are removed in one write.
    """

    entries_max: int = LOG_ENTRIES_MAX
    bytes_max: int = LOG_BYTES_MAX
    witness_bytes_max: int = WITNESS_LOG_BYTES_MAX
    removed_min: int = REMOVED_ENTRIES_MIN
    removed_max: int = REMOVED_ENTRIES_MAX


LOG_BOUNDS: Final = LogBounds()


def removable(
    log: Log,
    applied: int,
    held_everywhere: int,
    *,
    is_witness: bool,
    bounds: LogBounds = LOG_BOUNDS,
) -> int:
    """The index up to which entries are to be removed now; at most that of the base if none are.

    What all members with a state hold is removed in portions. What one of them lacks is kept up to
    a bound; then the older half is removed, and that member gets a copy of the items. A witness
    keeps more: it may be one of only two that hold what a lost member acknowledged.

    Args:
        log: of the member.
        applied: the index of the last entry in the durable state; of a witness, of the last
            committed one.
        held_everywhere: as of `Raft`.
        is_witness: the member is the witness.
        bounds: of the log.
    """
    base = log.base.index
    bytes_max = bounds.witness_bytes_max if is_witness else bounds.bytes_max
    target = min(applied, held_everywhere)
    if target - base < bounds.removed_min:
        target = base
    entries_max = log.last.index - base if is_witness else bounds.entries_max
    if log.size_after(base) > bytes_max or log.last.index - base > entries_max:
        target = max(target, base + (applied - base) // 2)
    return min(target, base + bounds.removed_max, applied)
