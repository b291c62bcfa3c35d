"""The changes of a group in a database: rows read once, and written in one statement. Pure."""

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from itertools import chain
from typing import Any, Final

import msgspec

from hashrange.storage.engine import Changes
from hashrange.storage.group import GroupChanges
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


class Group(GroupChanges, eq=False):
    """The changes of writes that are decided on rows read before, and written in one statement.

    Attributes:
        stored: value and version of the rows of the keys of all writes.
        keys: the keys whose versions must be compared when the group is written.
        fences: the keys of the fences of the writes that are final with the group.
        adds: what is added to counters.
        appends: the records of logs.
        logs: those that get records.
    """

    stored: Stored
    keys: set[bytes] = msgspec.field(default_factory=set)
    fences: set[bytes] = msgspec.field(default_factory=set)
    adds: dict[bytes, int] = msgspec.field(default_factory=dict)
    appends: list[tuple[bytes, bytes]] = msgspec.field(default_factory=list)
    logs: set[bytes] = msgspec.field(default_factory=set)
    _is_alone: bool = False
    """Whether the write that decides has read no row that another write changes."""
    _is_idle: bool = False
    """Whether it changes nothing."""

    def take(self, write: PendingWrite) -> Readiness:
        """Decide one write on the result of those before it, and set its answer or error."""
        if self.size_bytes >= BYTES_MAX or self._is_record_of_ours(chain(write.keys, write.fences)):
            return Readiness.LATER
        write.answer, write.error = None, None
        changed = self.changed.keys()
        self._is_alone = changed.isdisjoint(write.keys) and changed.isdisjoint(write.fences)
        self._is_idle = True  # unless it is merged
        if not self.decide(write):
            return Readiness.LATER
        if self._is_alone and self._is_idle:
            return Readiness.NOW
        self.keys.update(write.keys)
        self.fences.update(write.fences)
        return Readiness.WITH_GROUP

    def compare(self, key: bytes, expected: bytes, /) -> None:
        """As `GroupChanges`: the fences were compared when the rows were read."""

    def read(self, keys: Sequence[bytes], /) -> list[bytes | None]:
        """As `GroupChanges`."""
        return [self.stored.get(key, (None,))[0] for key in keys]

    def merge(
        self, keys: Sequence[bytes], before: Sequence[bytes | None], changes: Changes[Any]
    ) -> bool:
        """As `GroupChanges`."""
        if self._meets(changes):
            return False
        # Deletes of absent keys are no change.
        absent = {key for key, value in zip(keys, before, strict=True) if value is None}
        has_more = changes.puts or changes.adds or changes.appends
        self._is_idle = not has_more and absent.issuperset(changes.deletes)
        if self._is_alone and self._is_idle:
            return True
        self.changed.update(dict.fromkeys(changes.deletes))
        for key, amount in changes.adds.items():
            self.adds[key] = self.adds.get(key, 0) + amount
        self.appends += changes.appends
        self.logs.update(log for log, _ in changes.appends)
        self.size_bytes += sum(len(record) for _, record in changes.appends)
        return True

    def changes(self) -> Changes[None]:
        """The changes of all writes together."""
        return Changes(
            answer=None,
            puts={key: value for key, value in self.changed.items() if value is not None},
            deletes=[key for key, value in self.changed.items() if value is None],
            adds=self.adds,
            appends=self.appends,
        )

    def _meets(self, changes: Changes[Any]) -> bool:
        """Whether these changes cannot be in one statement with those before.

        A statement changes each row once: a counter is either deleted or added to. And the number
        of a record that it appends is not known before, so its key cannot be put or deleted.
        """
        added = changes.adds.keys()
        if not (self.adds.keys().isdisjoint(changes.deletes) and added.isdisjoint(self.changed)):
            return True
        if self._is_record_of_ours(chain(changes.puts, changes.deletes)):
            return True
        logs = {log for log, _ in changes.appends} - self.logs
        return bool(logs) and any(
            key[:-_INT64_BYTES] in logs for key in chain(self.keys, self.changed)
        )

    def _is_record_of_ours(self, keys: Iterable[bytes]) -> bool:
        return bool(self.logs) and any(key[:-_INT64_BYTES] in self.logs for key in keys)
