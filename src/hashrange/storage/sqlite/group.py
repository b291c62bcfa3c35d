"""The changes of a group in a data file: rows, counters, and records with numbers and stamps."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import apsw
import msgspec

from hashrange.storage.engine import (
    STAMP_BYTES,
    Changes,
    StorageUnavailableError,
)
from hashrange.storage.group import GroupChanges
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.sqlite.database import Database

SET_BACK_MS_MAX: Final = 60_000
"""By how much a clock is set back when it is corrected."""
INT64_BYTES: Final = 8
_ABSENT: Final = bytes(INT64_BYTES)


class Group(GroupChanges, eq=False):
    """The changes of writes that are read, decided and written in one transaction.

    Attributes:
        database: in a transaction.
        read: the values of keys, as the transaction sees them.
        compare: compares a fence with the committed state.
        now_ms: the clock of stamps.
        works: the writes, decided or about to be.
        totals: of the counters that were added to; those in `changed` were deleted before.
        logs: those that got records: the number of the next one, the stamp of the last one.
        shrinking: the disk is full; works that would store more and delete nothing are refused.
        is_committed: whether the transaction has ended.
        is_aside: whether it was made durable beside the loop.
        begun_ns: the time when all had decided.
        sync_ns: how long the sync took; if COMMIT syncs, how long that took.
        ended_ns: the time when the changes were durable.
    """

    database: Database
    read: Callable[[Sequence[bytes]], list[bytes | None]]
    compare: Callable[[bytes, bytes], None]
    now_ms: Callable[[], int]
    works: list[PendingWrite] = msgspec.field(default_factory=list)
    totals: dict[bytes, int] = msgspec.field(default_factory=dict)
    logs: dict[bytes, tuple[int, int]] = msgspec.field(default_factory=dict)
    shrinking: bool = False
    is_committed: bool = False
    is_aside: bool = False
    begun_ns: int = 0
    sync_ns: int = 0
    ended_ns: int = 0
    _earliest_ms: int = 0
    """The least stamp of a record; 0 until there is one."""

    def refuse(self, write: PendingWrite, error: Exception) -> None:
        """As `GroupChanges`. Raises apsw.Error: the transaction is lost, and the whole group."""
        if isinstance(error, apsw.Error | UnicodeDecodeError):
            error = self.database.damage.error_of(error, write.keys, self.read)
            if not self.database.connection.in_transaction:
                self.database.begin()  # nothing was written in it, and nobody else writes
        write.error = error

    def merge(
        self, keys: Sequence[bytes], before: Sequence[bytes | None], changes: Changes[Any]
    ) -> bool:
        """As `GroupChanges`; all that can fail comes first."""
        puts, deletes, adds = changes.puts, changes.deletes, changes.adds
        if self.shrinking:
            _refuse_growth(changes, dict(zip(keys, before, strict=True)))
        if deletes:
            assert puts.keys().isdisjoint(deletes), "put and deleted at once"
            assert adds.keys().isdisjoint(deletes), "a counter is only ever added to"
        if adds:
            assert puts.keys().isdisjoint(adds), "a counter is only ever added to"
            self._add(adds)
        if changes.appends:
            self._append(changes.appends)
        if deletes:
            self.changed.update(dict.fromkeys(deletes))
            for key in self.totals.keys() & deletes:
                del self.totals[key]
        return True

    def _add(self, adds: Mapping[bytes, int]) -> None:
        """Add to counters, to all of them or to none."""
        totals: dict[bytes, int] = {}
        for key, amount in adds.items():
            total = self.totals.get(key)
            if total is None:
                value = self.value(key) or _ABSENT
                assert len(value) == INT64_BYTES, "a counter is never put"
                total = int.from_bytes(value, signed=True)
            total += amount
            total.to_bytes(INT64_BYTES, signed=True)  # or OverflowError
            totals[key] = total
        self.totals.update(totals)

    def _append(self, appends: Sequence[tuple[bytes, bytes]]) -> None:
        """Stage the records of one write, with one stamp."""
        rows, logs = self.database.rows, self.logs
        if not self._earliest_ms:
            now_ms, last_ms = self.now_ms(), rows.last_stamp
            # The stamps of different logs follow each other, too, if the clock is set back by a
            # little. One that was set back by more was wrong, and its stamps must not last.
            is_corrected = now_ms < last_ms <= now_ms + SET_BACK_MS_MAX
            self._earliest_ms = last_ms if is_corrected else now_ms
        stamp_ms, looked_at = self._earliest_ms, None
        for log, _ in appends:
            if log is not looked_at:
                last = logs[log] = logs.get(log) or rows.last(log)
                stamp_ms, looked_at = max(stamp_ms, last[1]), log
        stamp, changed = stamp_ms.to_bytes(STAMP_BYTES), self.changed
        for log, record in appends:
            number = logs[log][0]
            changed[log + number.to_bytes(INT64_BYTES)] = stamp + record
            logs[log] = (number + 1, stamp_ms)
            self.size_bytes += len(record)


def _refuse_growth(changes: Changes[Any], before: Mapping[bytes, bytes | None]) -> None:
    """Let what deletes pass, and puts of values that are not larger than those replaced.

    Raises StorageUnavailableError.
    """
    if changes.deletes:
        return
    after_bytes = sum(map(len, changes.puts.values()))
    before_bytes = sum(len(before.get(key) or b"") for key in changes.puts)
    if after_bytes > before_bytes:
        raise StorageUnavailableError("the disk is full: only what deletes is done")
