"""Writes that are committed together: decided one after the other, applied at once."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import apsw

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
from hashrange.storage.sqlite.lookups import values

_INT64_BYTES: Final = 8
_ABSENT: Final = bytes(_INT64_BYTES)
_INT64_MIN: Final = -(2**63)
_INT64_MAX: Final = 2**63 - 1


class Group:
    """What the works of one transaction change, kept in memory until all have decided.

    So a work that is refused leaves no trace to undo, and a counter or an item that many works of
    a group change is written once.

    Args:
        database: in a transaction.
        fences: of the committed state.
        now_ms: the clock of stamps.
        shrinking: the disk is full; refuse works that would store more and delete nothing.
    """

    def __init__(
        self,
        database: Database,
        fences: FenceCache,
        *,
        now_ms: Callable[[], int],
        shrinking: bool,
    ) -> None:
        self._database = database
        self._fences = fences
        self._now_ms = now_ms
        self._stamp_ms = 0
        """Of all records of the group; 0 until the first."""
        self._shrinking = shrinking
        self._next_numbers: dict[bytes, int] = {}
        self._totals: dict[bytes, int] = {}
        """Of the counters that were added to."""
        self.changes: dict[bytes, bytes | None] = {}
        """Values by key, None for what is deleted; once applied, counters too."""
        self.bytes = 0
        """Of the values put, those put over again included."""

    def run(self, work: PendingWrite) -> None:
        """Decide one work, on top of those before it, and note its answer or error.

        Raises apsw.Error only if the transaction is lost and cannot be begun again, and with it
        the whole group.
        """
        try:
            if work.fences:
                self._fences.check_within(work.fences, self.changes)
            keys = work.keys
            if self.changes.keys().isdisjoint(keys):
                before = values(self._database.write, keys)
            else:
                before = [self._value(key) for key in keys]
            changes = work.decide(before)
            # Few keys are so long together that one of them could be too long.
            if sum(map(len, chain(keys, changes.puts))) > KEY_BYTES_MAX:
                check_lengths(chain(keys, changes.puts), KEY_BYTES_MAX)
            if self._shrinking:
                _refuse_growth(changes, dict(zip(keys, before, strict=True)))
            self._merge(changes)
            work.answer = changes.answer
        except apsw.Error as error:
            work.error = StorageError(f"cannot read: {error}")
            if not self._database.in_transaction:
                self._database.begin()  # nothing was written in it, and nobody else writes
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the caller's
            work.error = error

    def apply(self) -> bool:
        """Write the changes into the transaction; whether there were any."""
        for key, total in self._totals.items():
            self.changes[key] = total.to_bytes(_INT64_BYTES, signed=True)
        if not self.changes:
            return False
        self._database.apply(self.changes, self._next_numbers, self._stamp_ms)
        return True

    def _value(self, key: bytes) -> bytes | None:
        if key in self.changes:
            return self.changes[key]
        return values(self._database.write, (key,))[0]

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
        self.bytes += sum(map(len, puts.values()))

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
        deletes = changes.deletes
        assert changes.puts.keys().isdisjoint(deletes), "put and deleted at once"
        assert changes.adds.keys().isdisjoint(deletes), "a counter is only ever added to"
        staged: dict[bytes, bytes | None] = {**changes.puts, **dict.fromkeys(deletes)}
        self._next_numbers.update(self._append(changes.appends, staged))
        for key in deletes:
            self._totals.pop(key, None)
        self.changes.update(staged)
        self.bytes += sum(len(record) for _, record in changes.appends)

    def _append(
        self, appends: Sequence[tuple[bytes, bytes]], staged: dict[bytes, bytes | None]
    ) -> dict[bytes, int]:
        """Stage the records; the logs' next numbers after them."""
        numbers: dict[bytes, int] = {}
        if appends and not self._stamp_ms:
            # The clock may have been set back.
            self._stamp_ms = max(self._database.rows.last_stamp, self._now_ms())
        stamp = self._stamp_ms.to_bytes(STAMP_BYTES)
        for log, record in appends:
            number = numbers.get(log) or self._next_numbers.get(log)
            if number is None:
                number = self._database.rows.next_number(log)
            staged[log + number.to_bytes(_INT64_BYTES)] = stamp + record
            numbers[log] = number + 1
        return numbers


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
