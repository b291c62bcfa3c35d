"""Writes that are decided one after the other on rows read once, and written together. Pure."""

from collections.abc import Iterable
from enum import Enum, auto
from itertools import chain
from typing import Any, Final

from hashrange.storage.engine import Changes, StaleFenceError, check_lengths
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.postgres.batch import Stored

BYTES_MAX: Final = 1024 * 1024
"""Values and records of a group; when they reach it, further writes wait for the next group."""
_INT64_BYTES: Final = 8


class Readiness(Enum):
    """When the outcome of a write is final."""

    NOW = auto()
    """Now: it changes nothing, and has read only rows of one moment."""
    WITH_GROUP = auto()
    """When the group is durable."""
    LATER = auto()
    """In another group: it has no outcome, as it cannot be combined with the writes before it."""


class Group:
    """The combined changes of several writes, each decided on the result of those before it.

    A refused write leaves no changes, and a row or a counter that many writes change is written
    once.

    Args:
        stored: value and version of the rows of the keys of all writes.
        key_bytes_max: longer keys cannot be put.

    Attributes:
        keys: the keys whose versions must be compared when the group is written.
        fences: the keys of the fences of the writes that are final with the group.
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

    def take(self, write: PendingWrite) -> Readiness:
        """Decide one write on the result of those before it, and set its answer or error."""
        if self._bytes >= BYTES_MAX or self._is_record_of_ours(chain(write.keys, write.fences)):
            return Readiness.LATER
        write.answer, write.error = None, None
        changed = self._changed
        alone = changed.keys().isdisjoint(write.keys) and changed.keys().isdisjoint(write.fences)
        try:
            if not alone:
                self._check_fences(write)
            values = [self._value(key) for key in write.keys]
            changes = write.decide(values)
            check_lengths(changes.puts, self._key_bytes_max)
        except Exception as error:  # noqa: BLE001 - errors of decide are for the caller
            write.error = error
            if alone:
                return Readiness.NOW
        else:
            if self._meets(changes):
                return Readiness.LATER
            write.answer = changes.answer
            if alone and self._is_idle(write, values, changes):
                return Readiness.NOW
            self._merge(changes)
        self.keys.update(write.keys)
        self.fences.update(write.fences)
        return Readiness.WITH_GROUP

    def changes(self) -> Changes[None]:
        """The changes of all writes together."""
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

    def _check_fences(self, write: PendingWrite) -> None:
        for key, value in write.fences.items():
            if self._changed.get(key, value) != value:
                raise StaleFenceError

    def _is_idle(
        self, write: PendingWrite, values: list[bytes | None], changes: Changes[Any]
    ) -> bool:
        """Whether a write changes nothing; deletes of absent keys are no change."""
        if changes.puts or changes.adds or changes.appends:
            return False
        seen = dict(zip(write.keys, values, strict=True))
        return all(key in seen and seen[key] is None for key in changes.deletes)

    def _meets(self, changes: Changes[Any]) -> bool:
        """Whether these changes cannot be in one statement with those before.

        A statement changes each row once: a counter is either deleted or added to. And the number
        of a record that it appends is not known before, so its key cannot be put or deleted.
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
