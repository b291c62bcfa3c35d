"""Puts the changes of a table into its destination, a Kinesis data stream.

The records of a shard of the change log are put page by page, those of a child after all of its
parent's, so that the changes of an item are in their order. A record that the stream does not take
is put later, with all that follow. One that is larger than records of streams may be is left out,
and counted.
"""

import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.background.destination_targets import Change, Put, Receiver, Target
from hashrange.limits.kinesis import RECORD_BYTES_MAX
from hashrange.model.log import ALL_RECORDS, Shard
from hashrange.model.table import Table
from hashrange.model.table_features import Destination
from hashrange.regions.replication.following import Found
from hashrange.storage.engine import Pair, StaleFenceError
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import Range
from hashrange.tables.keys.log_keys import record_key, record_number
from hashrange.tables.kinesis.destinations import shards_for
from hashrange.tables.kinesis.envelopes import enveloped, units_of
from hashrange.tables.kinesis.positions import ENDED
from hashrange.tables.log.change_log import is_change, record_from, time_ms_of
from hashrange.tables.streams.names import Position

PAGE_BYTES: Final = 1024 * 1024
"""Of a shard, in one write of the engine: some milliseconds of work."""
PAGES_MAX: Final = 8
"""Of one table, before others have their turn."""
_RECORDS_END: Final = 2**64 - 1

_log: Final = logging.getLogger(__name__)


class Delivered(msgspec.Struct):
    """The work of a turn for a table.

    Attributes:
        passed: records of the log that were put or left out.
        throttled: records that the stream did not take for their rate.
        failed: records that were left out, or expired before they could be put.
        units: change data capture units of those that were put.
        oldest_ms: the time of the oldest record that waits; None if none does.
        is_ended: all records have been put that the destination is to get.
        is_full: there may be more that can be put at once.
        failure: why the server of the stream has not taken the rest; None if it has.
    """

    passed: int = 0
    throttled: int = 0
    failed: int = 0
    units: int = 0
    oldest_ms: int | None = None
    is_ended: bool = False
    is_full: bool = False
    failure: str | None = None

    @property
    def found(self) -> Found:
        """The work that the turn has found."""
        if self.is_ended or self.is_full:
            return Found.MORE
        return Found.SOME if self.passed else Found.NOTHING


async def deliver(
    receiver: Receiver, table: Table, destination: Destination, target: Target | None
) -> Delivered:
    """Put some pages of each shard; ends early if the stream or a position is changed meanwhile.

    `target`: None if there is no such stream.
    """
    # Without its stream a destination that was disabled gets nothing any more.
    done = Delivered(is_ended=destination.end_shard is not None and target is None)
    turn = _Turn(receiver=receiver, table=table, destination=destination, target=target, done=done)
    waiting = {
        each.number: each
        for each in shards_for(table, destination)
        if await receiver.positions.read(table.number, each.number) < ENDED
    }
    try:
        await turn.pages(waiting)
    except StaleFenceError:
        receiver.positions.forget()
        done.is_full = True
    if destination.end_shard is not None and not waiting:
        done.is_ended = True
    return done


class _Turn(msgspec.Struct, kw_only=True):
    """One call of `deliver`, for its arguments."""

    receiver: Receiver
    table: Table
    destination: Destination
    target: Target | None
    done: Delivered

    async def pages(self, waiting: dict[int, Shard]) -> None:
        """Put pages of shards, which are removed from `waiting` once they have been put."""
        for _ in range(PAGES_MAX):
            due = [each for each in waiting.values() if each.parent not in waiting]
            self.done.is_full = False
            for shard in due:
                if await self.page(shard):
                    del waiting[shard.number]
                    self.done.is_full = True  # its children may have some
                if self.done.failure is not None:
                    self.done.is_full = False
                    return
            if not self.done.is_full:
                return

    async def page(self, shard: Shard) -> bool:
        """Put a page of a shard of the log; whether all its records have been put."""
        positions, table = self.receiver.positions, self.table.number
        position = await positions.read(table, shard.number)
        start = await self._untrimmed(shard, position)
        rows = [] if start is None else await self._rows(shard, start)
        if not rows:
            is_over = shard.closed_ms is not None
            if is_over:
                positions.note(table, shard.number, ENDED)
            return is_over
        if self.target is None:
            self._waits(rows[0])
            return False
        changes = [self._change(shard, key, value) for key, value in rows]
        put = await self.target.put(shard, changes)
        self._count(put, changes[: put.taken])
        if put.taken < len(rows):
            self._waits(rows[put.taken])
        else:
            is_whole = len(rows) == self.target.page_records
            self.done.is_full |= is_whole or shard.closed_ms is not None
        return False

    async def _untrimmed(self, shard: Shard, position: int) -> int | None:
        """Where to go on; None if nothing is kept. Counts what expired before it was put."""
        is_gone = shard.cleared_to == ALL_RECORDS
        first = await self._end_of(shard) if is_gone else shard.cleared_to
        lost = first - max(position, 1)
        if lost > 0:
            self.done.failed += lost
            text = "%d changes of table %s expired before they were put into %s"
            _log.error(text, lost, self.table.name, self.destination.stream_arn)
            receiver = self.receiver
            await receiver.positions.store(self.table.number, shard.number, first, receiver.fences)
        return None if is_gone else max(position, first)

    async def _end_of(self, shard: Shard) -> int:
        """The number after that of the last record that is still there; 0 if none is."""
        rows = await self.receiver.engine.scan(
            *self._range(shard, 0), limit=1, bytes_max=1, reverse=True
        )
        return record_number(rows[0][0]) + 1 if rows else 0

    async def _rows(self, shard: Shard, start: int) -> list[Pair]:
        limit = 1 if self.target is None else self.target.page_records
        return await self.receiver.engine.scan(
            *self._range(shard, start), limit=limit, bytes_max=PAGE_BYTES
        )

    def _range(self, shard: Shard, start: int) -> Range:
        log = keyspace.log_key(self.table.number, shard.number)
        return record_key(log, start), record_key(log, _RECORDS_END)

    def _change(self, shard: Shard, key: bytes, value: bytes) -> Change:
        number, record = record_number(key), record_from(value)
        # Replicas must know of a write that does not change its item, but it is no change.
        if not is_change(record.before, record.after):
            return Change(number=number)
        position = Position(shard.number, number)
        new = enveloped(self.table, position, record, self.destination.precision)
        if new.size > RECORD_BYTES_MAX:
            return Change(number=number, is_large=True)
        return Change(number=number, new=new, units=units_of(record))

    def _count(self, put: Put, taken: Sequence[Change]) -> None:
        self.done.passed += put.taken
        self.done.throttled += put.throttled
        self.done.failure = put.failure
        self.done.units += sum(each.units for each in taken)
        large = sum(each.is_large for each in taken)
        if large:
            self.done.failed += large
            text = "%d changes of table %s are larger than records of Kinesis, and are left out"
            _log.error(text, large, self.table.name)

    def _waits(self, row: Pair) -> None:
        time_ms, oldest_ms = time_ms_of(row[1]), self.done.oldest_ms
        self.done.oldest_ms = time_ms if oldest_ms is None else min(oldest_ms, time_ms)
