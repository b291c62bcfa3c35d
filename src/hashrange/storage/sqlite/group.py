"""Writes that are committed together: decided one after the other, applied at once."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import apsw
import msgspec

from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    STAMP_BYTES,
    Changes,
    StorageError,
    StorageUnavailableError,
    check_lengths,
)
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.lookups import KEYS_MAX, many_values, values
from hashrange.storage.sqlite.schema import INLINE_BYTES_MAX

SET_BACK_MS_MAX: Final = 60_000
"""By how much a clock is set back when it is corrected."""
_INT64_BYTES: Final = 8
_ABSENT: Final = bytes(_INT64_BYTES)
_INT64_MIN: Final = -(2**63)
_INT64_MAX: Final = 2**63 - 1


class Group(msgspec.Struct, eq=False):
    """What the works of one transaction change, kept in memory until all have decided.

    So a work that is refused leaves no trace to undo, and a counter or an item that many works of
    a group change is written once.

    Attributes:
        database: in a transaction.
        fences: of the committed state.
        now_ms: the clock of stamps.
        works: the writes, decided or about to be.
        changes: values by key, None for what is deleted; once applied, counters too.
        logs: those that got records: the number of the next one, the stamp of the last one.
        size_bytes: of the values put, those put over again included.
        shrinking: the disk is full; works that would store more and delete nothing are refused.
        is_committed: whether the transaction has ended.
        written_ns: how long it took to apply the changes and to commit them.
        sync_ns: how long it took to make them durable; part of `written_ns` if COMMIT does.
        ended_ns: the time at which they were durable.
    """

    database: Database
    fences: FenceCache
    now_ms: Callable[[], int]
    works: list[PendingWrite] = []
    changes: dict[bytes, bytes | None] = {}
    logs: dict[bytes, tuple[int, int]] = {}
    size_bytes: int = 0
    shrinking: bool = False
    is_committed: bool = False
    written_ns: int = 0
    sync_ns: int = 0
    ended_ns: int = 0
    _earliest_ms: int = 0
    """The least stamp of a record; 0 until there is one."""
    _totals: dict[bytes, int] = {}
    """Of the counters that were added to."""
    _doubtful: set[bytes] = set()
    """The keys put or deleted whose value in the database is not known to be small."""

    def run(self, work: PendingWrite) -> None:
        """Decide one work, on top of those before it, and note its answer or error.

        Raises apsw.Error only if the transaction is lost and cannot be begun again, and with it
        the whole group.
        """
        self.works.append(work)
        try:
            keys, fences, changed = work.keys, work.fences, self.changes.keys()
            if not (fences.items() <= self.fences.values.items() and changed.isdisjoint(fences)):
                self.fences.check_within(fences, self.changes)
            if changed.isdisjoint(keys):
                database = self.database
                if len(keys) <= KEYS_MAX:
                    before = values(database.write, keys)
                else:
                    before = many_values(database.write_many, keys)
            else:
                before = [self._value(key) for key in keys]
            changes = work.decide(before)
            # Few keys are so long together that one of them could be too long.
            if sum(map(len, chain(keys, changes.puts))) > KEY_BYTES_MAX:
                check_lengths(chain(keys, changes.puts), KEY_BYTES_MAX)
            if self.shrinking:
                _refuse_growth(changes, dict(zip(keys, before, strict=True)))
            self._merge(changes)
            if self.database.rows.has_large:
                self._doubt(changes, keys, before)
            work.answer = changes.answer
        except apsw.Error as error:
            work.error = StorageError(f"cannot read: {error}")
            if not self.database.connection.in_transaction:
                self.database.begin()  # nothing was written in it, and nobody else writes
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the caller's
            work.error = error

    def apply(self) -> None:
        """Write the changes into the transaction."""
        changes, rows = self.changes, self.database.rows
        for key, total in self._totals.items():
            changes[key] = total.to_bytes(_INT64_BYTES, signed=True)
        if changes:
            rows.change(changes, self._doubtful)
        if self.logs:
            rows.set_last(self.logs)

    def commit(self, monotonic_ns: Callable[[], int]) -> None:
        """End the transaction; may run beside the loop."""
        begun_ns = monotonic_ns()
        self.database.commit()
        self.is_committed = True
        self.ended_ns = ended_ns = monotonic_ns()
        self.sync_ns = ended_ns - begun_ns
        self.written_ns += self.sync_ns

    def _value(self, key: bytes) -> bytes | None:
        if key in self.changes:
            return self.changes[key]
        return values(self.database.write, (key,))[0]

    def _doubt(
        self, changes: Changes[Any], keys: Sequence[bytes], before: Sequence[bytes | None]
    ) -> None:
        """Note the keys whose value may be large: those that were not read, or are large.

        Records that are appended are new, and counters are small.
        """
        puts, deletes = changes.puts, changes.deletes
        self._doubtful |= puts.keys() - keys
        if deletes:
            self._doubtful.update(set(deletes).difference(keys))
        for key, value in zip(keys, before, strict=True):
            is_large = value is not None and len(key) + len(value) > INLINE_BYTES_MAX
            if is_large and (key in puts or key in deletes):
                self._doubtful.add(key)

    def _merge(self, changes: Changes[Any]) -> None:
        """All that can fail comes first, and fails the work alone."""
        puts, adds = changes.puts, changes.adds
        totals = None
        if adds:
            assert puts.keys().isdisjoint(adds), "a counter is only ever added to"
            totals = self._added(adds)
        if changes.deletes or changes.appends:
            self._stage(changes)
        else:
            self.changes.update(puts)
        if totals is not None:
            self._totals.update(totals)
        self.size_bytes += sum(map(len, puts.values()))

    def _added(self, adds: Mapping[bytes, int]) -> Mapping[bytes, int]:
        """Counters with what is added to them."""
        totals: dict[bytes, int] = {}
        for key, amount in adds.items():
            total = self._totals.get(key)
            if total is None:
                value = self._value(key) or _ABSENT
                assert len(value) == _INT64_BYTES, "a counter is never put"
                total = int.from_bytes(value, signed=True)
            total += amount
            if not _INT64_MIN <= total <= _INT64_MAX:
                raise OverflowError("a counter has no more than 64 bits")
            totals[key] = total
        return totals

    def _stage(self, changes: Changes[Any]) -> None:
        """Take over what is put, deleted and appended."""
        deletes, appends = changes.deletes, changes.appends
        staged: dict[bytes, bytes | None] = {**changes.puts}
        if deletes:
            assert changes.puts.keys().isdisjoint(deletes), "put and deleted at once"
            assert changes.adds.keys().isdisjoint(deletes), "a counter is only ever added to"
            staged.update(dict.fromkeys(deletes))
        if appends:
            self.logs.update(self._append(appends, staged))
            for _, record in appends:
                self.size_bytes += len(record)
        for key in deletes:
            self._totals.pop(key, None)
        self.changes.update(staged)

    def _append(
        self, appends: Sequence[tuple[bytes, bytes]], staged: dict[bytes, bytes | None]
    ) -> dict[bytes, tuple[int, int]]:
        """Stage the records of one write, with one stamp; its logs after them."""
        rows, logs = self.database.rows, self.logs
        if not self._earliest_ms:
            self._earliest_ms = _earliest_stamp(self.now_ms(), rows.last_stamp)
        stamp_ms = self._earliest_ms
        found: dict[bytes, tuple[int, int]] = {}
        for log, _ in appends:
            if log not in found:
                last = found[log] = logs.get(log) or rows.last(log)
                stamp_ms = max(stamp_ms, last[1])
        stamp = stamp_ms.to_bytes(STAMP_BYTES)
        for log, record in appends:
            number = found[log][0]
            staged[log + number.to_bytes(_INT64_BYTES)] = stamp + record
            found[log] = (number + 1, stamp_ms)
        return found


def _earliest_stamp(now_ms: int, last_ms: int) -> int:
    """The time, or the newest stamp of all logs if the clock was set back by a little.

    So the stamps of different logs follow each other, too. A clock that was set back by more was
    wrong before, and its stamps must not last.
    """
    return last_ms if now_ms < last_ms <= now_ms + SET_BACK_MS_MAX else now_ms


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
