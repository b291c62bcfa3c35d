"""The decisions of a group: writes that are decided one after the other, and applied together."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    Changes,
    DelegableDecision,
    Fences,
    StaleFenceError,
    check_lengths,
)
from hashrange.storage.first_reads import FirstReads
from hashrange.storage.pending_write import PendingWrite


class GroupChanges(msgspec.Struct, eq=False, kw_only=True):
    """The changes of several writes together, each decided on the result of those before it.

    The changes are kept in memory until all have decided. So a write that is refused leaves no
    trace to undo, and a row that many writes change is written once.

    Attributes:
        held: fences that held then, for a quick look; `compare` looks up others.
        key_bytes_max: a write of longer keys is refused.
        merges_puts: whether `merge` is for changes that only put, too.
        first_reads: compares what decides; None to compare nothing.
        changed: values by key, None for what is deleted; without counters.
        size_bytes: of the values put and the records appended, those written over included.
    """

    held: Mapping[bytes, bytes | None] = NO_FENCES
    key_bytes_max: int = KEY_BYTES_MAX
    merges_puts: bool = True
    first_reads: FirstReads | None = None
    changed: dict[bytes, bytes | None] = {}
    size_bytes: int = 0

    def decide(self, write: PendingWrite) -> bool:
        """Decide one write, and set its answer, or its error if it is refused.

        Returns False, with neither, if its changes must be in another group.
        """
        keys, fences, changed = write.keys, write.fences, self.changed.keys()
        try:
            if not (fences.items() <= self.held.items() and changed.isdisjoint(fences)):
                self._check_fences(fences)
            if changed.isdisjoint(keys):
                before = self.read(keys)
            else:
                before = [self.value(key) for key in keys]
            decide = write.decide
            first_reads = self.first_reads
            if (
                first_reads is not None
                and not isinstance(decide, DelegableDecision)
                and not first_reads.known.issuperset(keys)
            ):
                first_reads.compare(keys, before)
            changes = decide(before)
            # Few keys are so long together that one of them could be too long.
            if sum(map(len, chain(keys, changes.puts))) > self.key_bytes_max:
                check_lengths(chain(keys, changes.puts), self.key_bytes_max)
            size_bytes = sum(map(len, changes.puts.values()))
            if (
                changes.adds or changes.appends or changes.deletes or self.merges_puts
            ) and not self.merge(keys, before, changes):
                return False
            self.changed.update(changes.puts)
            self.size_bytes += size_bytes
            write.answer = changes.answer
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the caller's
            self.refuse(write, error)
        return True

    def value(self, key: bytes) -> bytes | None:
        """The value of a key after the writes before; not of a counter that they have added to."""
        return self.changed[key] if key in self.changed else self.read((key,))[0]

    def refuse(self, write: PendingWrite, error: Exception) -> None:
        """Let a write end with an error, and the group go on."""
        write.error = error

    def _check_fences(self, fences: Fences) -> None:
        """Raises StaleFenceError unless all fences hold after the writes before."""
        for key, expected in fences.items():
            if key not in self.changed:
                self.compare(key, expected)
            elif self.changed[key] != expected:
                raise StaleFenceError(key)

    @abstractmethod
    def compare(self, key: bytes, expected: bytes, /) -> None:
        """Raises StaleFenceError unless a fence held before the group."""

    @abstractmethod
    def read(self, keys: Sequence[bytes], /) -> list[bytes | None]:
        """The values of keys before the group."""

    @abstractmethod
    def merge(
        self, keys: Sequence[bytes], before: Sequence[bytes | None], changes: Changes[Any]
    ) -> bool:
        """Take over all but the puts of one write, or raise to refuse that write alone.

        Returns False, with nothing changed, if they must be in another group.

        Args:
            keys: those that the write has read.
            before: their values.
            changes: what it has decided.
        """
