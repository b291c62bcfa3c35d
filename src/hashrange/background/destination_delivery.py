"""Puts the changes of a table into its destination, a Kinesis data stream of this server.

The records of a shard of the change log are put page by page, those of a child after all of its
parent's, so that the changes of an item are in their order. A record that the shard of the stream
does not take for its rate is put later, with all that follow. One that is larger than records of
streams may be is left out, and counted.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.api.kinesis.rates import ShardRates
from hashrange.api.kinesis.requests import resource_in
from hashrange.limits.kinesis import RECORD_BYTES_MAX
from hashrange.model.log import ALL_RECORDS, Shard
from hashrange.model.table import Table
from hashrange.model.table_features import Destination
from hashrange.storage.engine import Engine, Fences, Pair, StaleFenceError
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import Range
from hashrange.tables.keys.log_keys import record_key, record_number
from hashrange.tables.kinesis.destinations import shards_for
from hashrange.tables.kinesis.envelopes import enveloped, units_of
from hashrange.tables.kinesis.positions import ENDED, DestinationPositions, move, moved
from hashrange.tables.kinesis.records import NewRecord, Replaced, append
from hashrange.tables.kinesis.rows import OpenStream, StreamRows
from hashrange.tables.kinesis.streams import hash_of
from hashrange.tables.log.change_log import is_change, record_from, time_ms_of
from hashrange.tables.streams.names import Position

PAGE_RECORDS: Final = 100
PAGE_BYTES: Final = 1024 * 1024
"""Of a shard, in one write of the engine: some milliseconds of work."""
PAGES_MAX: Final = 8
"""Of one table, before others have their turn."""
_RECORDS_END: Final = 2**64 - 1

_log: Final = logging.getLogger(__name__)


class Receiver(msgspec.Struct, frozen=True, kw_only=True):
    """The parts that all deliveries share.

    Attributes:
        engine: holds the logs and the streams.
        positions: where to go on.
        rates: what shards of streams take; None without limits of capacity.
        fences: of the leader's lease.
        separate: each account and region has streams of its own.
    """

    engine: Engine
    positions: DestinationPositions
    rates: ShardRates | None
    fences: Callable[[], Fences]
    separate: bool

    async def stream_of(self, table: Table, stream_arn: str) -> OpenStream | None:
        """The stream of a destination; None if it is not there."""
        named = resource_in(stream_arn)
        if named is None:
            return None
        scope = f"{table.account}:{table.region}" if self.separate else ""
        return await StreamRows(self.engine).get(scope, named.stream)


class Delivered(msgspec.Struct):
    """The work of a turn for a table.

    Attributes:
        passed: records of the log that were put or left out.
        throttled: records that a shard of the stream did not take.
        failed: records that were left out, or expired before they could be put.
        units: change data capture units of those that were put.
        oldest_ms: the time of the oldest record that waits; None if none does.
        is_ended: all records have been put that the destination is to get.
        is_full: there may be more that can be put at once.
    """

    passed: int = 0
    throttled: int = 0
    failed: int = 0
    units: int = 0
    oldest_ms: int | None = None
    is_ended: bool = False
    is_full: bool = False


async def deliver(
    receiver: Receiver, table: Table, destination: Destination, now_ms: int
) -> Delivered:
    """Put some pages of each shard; ends early if the stream or a position is changed meanwhile."""
    stream = await receiver.stream_of(table, destination.stream_arn)
    # Without its stream a destination that was disabled gets nothing any more.
    done = Delivered(is_ended=destination.end_shard is not None and stream is None)
    turn = _Turn(
        receiver=receiver,
        table=table,
        destination=destination,
        stream=stream,
        now_ms=now_ms,
        done=done,
    )
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
    stream: OpenStream | None
    now_ms: int
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
        if self.stream is None:
            self._waits(rows[0])
            return False
        taken = await self._put(self.stream, shard, rows)
        self.done.passed += taken
        if taken < len(rows):
            self._waits(rows[taken])
        else:
            self.done.is_full |= len(rows) == PAGE_RECORDS or shard.closed_ms is not None
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
            await self._store(shard, first)
        return None if is_gone else max(position, first)

    async def _end_of(self, shard: Shard) -> int:
        """The number after that of the last record that is still there; 0 if none is."""
        rows = await self.receiver.engine.scan(
            *self._range(shard, 0), limit=1, bytes_max=1, reverse=True
        )
        return record_number(rows[0][0]) + 1 if rows else 0

    async def _rows(self, shard: Shard, start: int) -> list[Pair]:
        limit = 1 if self.stream is None else PAGE_RECORDS
        return await self.receiver.engine.scan(
            *self._range(shard, start), limit=limit, bytes_max=PAGE_BYTES
        )

    def _range(self, shard: Shard, start: int) -> Range:
        log = keyspace.log_key(self.table.number, shard.number)
        return record_key(log, start), record_key(log, _RECORDS_END)

    async def _put(self, stream: OpenStream, shard: Shard, rows: Sequence[Pair]) -> int:
        """Put records of a shard; how many of the rows, from the first on, are done."""
        records: list[NewRecord] = []
        passed = failed = units = 0
        for key, value in rows:
            record = record_from(value)
            # Replicas must know of a write that does not change its item, but it is no change.
            if is_change(record.before, record.after):
                position = Position(shard.number, record_number(key))
                new = enveloped(self.table, position, record, self.destination.precision)
                size = len(new.data) + len(new.partition_key)
                if size > RECORD_BYTES_MAX:
                    failed += 1
                else:
                    into = stream.shard_of(hash_of(new.partition_key)).number
                    if not self._is_taken(stream, into, size):
                        self.done.throttled += 1
                        break
                    records.append(NewRecord(into, new.partition_key, new.data))
                    units += units_of(record)
            passed += 1
        if not passed:
            return 0
        following = record_number(rows[passed - 1][0]) + 1
        if records:
            await append(
                self.receiver.engine,
                stream.stream.number,
                records,
                self.now_ms,
                fences={**stream.fences, **self.receiver.fences()},
                beside=await self._moved(shard, following),
            )
            self.receiver.positions.note(self.table.number, shard.number, following)
        else:
            await self._store(shard, following)
        self.done.units += units
        self._count_large(failed)
        return passed

    def _is_taken(self, stream: OpenStream, shard: int, size: int) -> bool:
        rates = self.receiver.rates
        return rates is None or rates.put((stream.stream.number, shard), size, self.now_ms)

    def _count_large(self, failed: int) -> None:
        if failed:
            self.done.failed += failed
            text = "%d changes of table %s are larger than records of Kinesis, and are left out"
            _log.error(text, failed, self.table.name)

    async def _store(self, shard: Shard, position: int) -> None:
        """Store a position without records."""
        rows = await self._moved(shard, position)
        await move(self.receiver.engine, rows, self.receiver.fences)
        self.receiver.positions.note(self.table.number, shard.number, position)

    async def _moved(self, shard: Shard, record: int) -> Mapping[bytes, Replaced]:
        number = self.table.number
        position = await self.receiver.positions.read(number, shard.number)
        return moved(number, shard.number, position, record)

    def _waits(self, row: Pair) -> None:
        time_ms, oldest_ms = time_ms_of(row[1]), self.done.oldest_ms
        self.done.oldest_ms = time_ms if oldest_ms is None else min(oldest_ms, time_ms)
