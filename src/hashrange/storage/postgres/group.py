"""Works that are decided one after the other on what was read once, and written together. Pure."""

from collections.abc import Iterable
from enum import Enum, auto
from itertools import chain
from typing import Any, Final

from hashrange.storage.engine import Changes, StaleFenceError, check_lengths
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.postgres.batch import Stored

BYTES_MAX: Final = 1024 * 1024
"""Of values that are put; who comes after that waits for the next group."""
_INT64_BYTES: Final = 8


class Readiness(Enum):
    """When a work can be told its answer or its error."""

    NOW = auto()
    """It changes nothing and has seen nothing but what was read, which was one moment."""
    WITH_GROUP = auto()
    LATER = auto()
    """It has none: it does not go together with those before it."""


class Group:
    """What works change, on top of what was read.

    So a work that is refused leaves no trace, and an item or a counter that many works change is
    written once.

    Args:
        stored: value and version of what there is of the keys of all works.
        key_bytes_max: longer keys cannot be put.

    Attributes:
        keys: those that must still be as they were read when the group is written.
        fences: keys of the fences of the works that are told with the group.
    """

    def __init__(self, stored: Stored, key_bytes_max: int) -> None:
        self.keys: set[bytes] = set()
        self.fences: set[bytes] = set()
        self._stored = stored
        self._key_bytes_max = key_bytes_max
        self._changed: dict[bytes, bytes | None] = {}
        self._adds: dict[bytes, int] = {}
        self._appends: list[tuple[bytes, bytes]] = []
        self._logs: set[bytes] = set()
        self._bytes = 0

    def take(self, work: PendingWrite) -> Readiness:
        """Decide one work, on top of those before it, and note its answer or error."""
        if self._bytes >= BYTES_MAX or self._is_record_of_ours(chain(work.keys, work.fences)):
            return Readiness.LATER
        work.answer, work.error = None, None
        changed = self._changed
        alone = changed.keys().isdisjoint(work.keys) and changed.keys().isdisjoint(work.fences)
        try:
            if not alone:
                self._check_fences(work)
            values = [self._value(key) for key in work.keys]
            changes = work.decide(values)
            check_lengths(changes.puts, self._key_bytes_max)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the caller's
            work.error = error
            if alone:
                return Readiness.NOW
        else:
            if self._meets(changes):
                return Readiness.LATER
            work.answer = changes.answer
            if alone and self._is_idle(work, values, changes):
                return Readiness.NOW
            self._merge(changes)
        self.keys.update(work.keys)
        self.fences.update(work.fences)
        return Readiness.WITH_GROUP

    def changes(self) -> Changes[None]:
        """What all of them change."""
        return Changes(
            answer=None,
            puts={key: value for key, value in self._changed.items() if value is not None},
            deletes=[key for key, value in self._changed.items() if value is None],
            adds=self._adds,
            appends=self._appends,
        )

    def _value(self, key: bytes) -> bytes | None:
        if key in self._changed:
            return self._changed[key]
        row = self._stored.get(key)
        return None if row is None else row[0]

    def _check_fences(self, work: PendingWrite) -> None:
        for key, value in work.fences.items():
            if self._changed.get(key, value) != value:
                raise StaleFenceError

    def _is_idle(
        self, work: PendingWrite, values: list[bytes | None], changes: Changes[Any]
    ) -> bool:
        """Whether nothing is changed: to delete what is absent changes nothing."""
        if changes.puts or changes.adds or changes.appends:
            return False
        seen = dict(zip(work.keys, values, strict=True))
        return all(key in seen and seen[key] is None for key in changes.deletes)

    def _meets(self, changes: Changes[Any]) -> bool:
        """Whether one statement could not make these changes after those before.

        It names no row twice: a counter is deleted or added to, and a record that it appends has no
        number before.
        """
        added = changes.adds.keys()
        if not (self._adds.keys().isdisjoint(changes.deletes) and added.isdisjoint(self._changed)):
            return True
        if self._is_record_of_ours(chain(changes.puts, changes.deletes)):
            return True
        logs = {log for log, _ in changes.appends} - self._logs
        return bool(logs) and any(
            key[:-_INT64_BYTES] in logs for key in chain(self.keys, self._changed)
        )

    def _is_record_of_ours(self, keys: Iterable[bytes]) -> bool:
        return bool(self._logs) and any(key[:-_INT64_BYTES] in self._logs for key in keys)

    def _merge(self, changes: Changes[Any]) -> None:
        self._changed.update(changes.puts)
        for key in changes.deletes:
            self._changed[key] = None
        for key, amount in changes.adds.items():
            self._adds[key] = self._adds.get(key, 0) + amount
        self._appends += changes.appends
        self._logs.update(log for log, _ in changes.appends)
        self._bytes += sum(map(len, changes.puts.values()))
        self._bytes += sum(len(record) for _, record in changes.appends)
