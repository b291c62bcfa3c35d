"""The parameters of one write statement: the changes of a group, by the part that applies them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from hashrange.storage.engine import Changes
from hashrange.storage.postgres.statements import PARTS, write

Stored: TypeAlias = Mapping[bytes, tuple[bytes | None, int]]
"""Value and version of the rows of keys; a value of None is a tombstone."""


class Batch(msgspec.Struct, kw_only=True):
    """The parameters of one write statement. All lists are sorted by key."""

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

    @property
    def changes_something(self) -> bool:
        """Whether the statement does more than compare; deletes of absent keys are no change."""
        puts = any(value is not None for _, value in self.inserted)
        others = (self.updated, self.deleted, self.put_blind, self.deleted_blind, self.appended)
        return puts or any(others) or bool(self.added)

    def statement(self) -> tuple[str, list[list[Any]]]:
        """The text of the statement, and its array parameters."""
        parts = [name for name in PARTS if getattr(self, name)]
        columns = [zip(*getattr(self, name), strict=True) for name in parts]
        return write(tuple(parts)), [list(column) for part in columns for column in part]


def batch_of(
    keys: set[bytes],
    stored: Stored,
    changes: Changes[Any],
    *,
    fence_versions: Mapping[bytes, int],
    shard: int,
) -> Batch:
    """The batch of the changes that were decided on `stored`.

    Args:
        keys: the keys to compare.
        stored: the rows on which the changes were decided.
        changes: the changes of all writes of the group.
        fence_versions: the versions of the fences.
        shard: the shard of counters to add to.
    """
    puts, deletes = changes.puts, set(changes.deletes)
    alive = [key for key in sorted(keys) if key in stored]
    gone = [key for key in alive if key in deletes and stored[key][0] is not None]
    # A single row that is updated or deleted is compared by that part; no lock is needed.
    only_one = len(alive) == len(keys) == 1 and (alive[0] in puts or alive == gone)
    counts = Counter(log for log, _ in changes.appends)
    return Batch(
        fences=[(key, fence_versions[key]) for key in sorted(fence_versions.keys() - keys)],
        locked=[] if only_one else [(key, stored[key][1]) for key in alive],
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
