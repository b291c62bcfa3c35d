"""The changes of a group in a database: rows read once, and written in one statement. Pure.

The parameters of that statement are the changes by the part that writes them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from itertools import chain
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.storage.engine import Changes
from hashrange.storage.group import GroupChanges
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.postgres.row_cache import Row
from hashrange.storage.postgres.statements import PARTS, write

COUNTER_SHARDS: Final = 16
Stored: TypeAlias = Mapping[bytes, Row]
"""Value and version of the rows of keys; a value of None is a tombstone."""


class Batch(msgspec.Struct, kw_only=True):
    """The parameters of one write statement. All lists are sorted by key."""

    version: int
    """The new version of all rows: used once only for a key, see docs/internals/adr/0056."""
    is_apart: bool = False
    """Whether each row is written if its own version and the fences are as compared."""

    fences: Sequence[tuple[bytes, int]]
    """Key and version; must not change until the commit."""
    locked: Sequence[tuple[bytes, int]]
    """Key and version, compared before anything is written; all writers lock in the same order."""
    inserted: Sequence[tuple[bytes, bytes | None]]
    """Keys that were absent, with their new value; None writes a tombstone."""
    updated: Sequence[tuple[bytes, bytes, int]]
    """Key, new value, version to compare."""
    deleted: Sequence[tuple[bytes, int]]
    """Key, version to compare."""
    put_blind: Sequence[tuple[bytes, bytes]]
    deleted_blind: Sequence[tuple[bytes]]
    logs: Sequence[tuple[bytes, int]]
    """Log, number of its new records."""
    appended: Sequence[tuple[bytes, int, bytes]]
    """Log, number of later records in this statement, record."""
    added: Sequence[tuple[bytes, int, int]]
    """Counter, shard, amount."""

    def statement(self) -> tuple[str, list[Any]]:
        """The text of the statement, and its parameters."""
        parts = [name for name in PARTS if getattr(self, name)]
        columns = [zip(*getattr(self, name), strict=True) for name in parts]
        arrays = [list(column) for part in columns for column in part]
        return write(tuple(parts), apart=self.is_apart), [*arrays, self.version]

    def rows(self) -> dict[bytes, Row | None]:
        """The rows, as this leaves them, of those keys that it changes and compares."""
        found: dict[bytes, Row | None] = {key: None for key, _ in self.deleted}
        found.update((key, (value, self.version)) for key, value in self.inserted)
        found.update((key, (value, self.version)) for key, value, _ in self.updated)
        return found


def batch_of(
    keys: set[bytes],
    stored: Stored,
    changes: Changes[Any],
    *,
    fence_versions: Mapping[bytes, int],
    version: int,
    are_single: bool = False,
) -> Batch:
    """The batch of the changes that were decided on `stored`.

    Args:
        keys: the keys to compare.
        stored: the rows on which the changes were decided.
        changes: the changes of all writes of the group.
        fence_versions: the versions of the fences.
        version: the new version of all rows; as it is random, it also gives the shard of counters.
        are_single: whether each write of the group reads and changes one key at most.
    """
    puts, deletes = changes.puts, set(changes.deletes)
    alive = [key for key in sorted(keys) if key in stored]
    gone = [key for key in alive if key in deletes and stored[key][0] is not None]
    # A single row that is updated or deleted is compared by that part; no lock is needed.
    only_one = len(alive) == len(keys) == 1 and (alive[0] in puts or alive == gone)
    shard = version % COUNTER_SHARDS
    counts = Counter(log for log, _ in changes.appends)
    only_puts, only_deletes = puts.keys() >= set(alive), alive == gone
    is_apart = are_single and (only_puts or only_deletes) and keys.isdisjoint(fence_versions)
    return Batch(
        version=version,
        is_apart=is_apart,
        fences=[(key, fence_versions[key]) for key in sorted(fence_versions.keys() - keys)],
        locked=[] if only_one or is_apart else [(key, stored[key][1]) for key in alive],
        updated=[(key, puts[key], stored[key][1]) for key in alive if key in puts],
        deleted=[(key, stored[key][1]) for key in gone],
        inserted=[(key, puts.get(key)) for key in sorted(keys - stored.keys())],
        put_blind=[(key, puts[key]) for key in sorted(puts.keys() - keys)],
        deleted_blind=[(key,) for key in sorted(deletes - keys)],
        logs=sorted(counts.items()),
        appended=_numbered(changes.appends, counts),
        added=[(key, shard, amount) for key, amount in sorted(changes.adds.items())],
    )


def _numbered(
    appends: Sequence[tuple[bytes, bytes]], counts: Mapping[bytes, int]
) -> list[tuple[bytes, int, bytes]]:
    later = dict(counts)
    numbered = []
    for log, record in appends:
        later[log] -= 1
        numbered.append((log, later[log], record))
    return numbered


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
        are_single: whether each write reads and changes one key at most.
    """

    stored: Stored
    keys: set[bytes] = msgspec.field(default_factory=set)
    fences: set[bytes] = msgspec.field(default_factory=set)
    adds: dict[bytes, int] = msgspec.field(default_factory=dict)
    appends: list[tuple[bytes, bytes]] = msgspec.field(default_factory=list)
    logs: set[bytes] = msgspec.field(default_factory=set)
    are_single: bool = True
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
        self.are_single = self.are_single and len(write.keys) == 1
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
        more = changes.adds or changes.appends
        self.are_single = self.are_single and not more and changes.puts.keys() <= set(keys)
        self.are_single = self.are_single and set(keys).issuperset(changes.deletes)
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
