"""Streams that get the changes of tables: what they are given, and those of this server."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec

from hashrange.api.aws_services.kinesis.rates import ShardRates
from hashrange.api.aws_services.kinesis.requests import resource_in
from hashrange.model.log import Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Engine, Fences
from hashrange.tables.kinesis.envelopes import Enveloped
from hashrange.tables.kinesis.positions import DestinationPositions
from hashrange.tables.kinesis.records import NewRecord, append
from hashrange.tables.kinesis.rows import OpenStream, StreamRows
from hashrange.tables.kinesis.streams import hash_of

LOCAL_PAGE_RECORDS: Final = 100


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


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the log, as a stream gets it.

    Attributes:
        number: of the record.
        new: the record of the stream; None if none is put.
        units: change data capture units.
        is_large: it is larger than records of streams may be.
    """

    number: int
    new: Enveloped | None = None
    units: int = 0
    is_large: bool = False


class Put(msgspec.Struct, frozen=True):
    """The outcome of putting some changes.

    Attributes:
        taken: how many of them, from the first on, are done.
        throttled: records that the stream did not take for their rate.
        failure: why the rest is not done; None if only the rate is in the way.
    """

    taken: int
    throttled: int = 0
    failure: str | None = None


class Target(Protocol):
    """A stream."""

    @property
    def page_records(self) -> int:
        """The most changes of one call."""

    async def put(self, shard: Shard, changes: Sequence[Change]) -> Put:
        """Put changes of a shard of the log, and store the position behind them.

        Raises StaleFenceError: others have put records, or the stream was changed.
        """


class LocalStream(msgspec.Struct, frozen=True, kw_only=True):
    """A stream of this server, which gets records in the same write as the position moves.

    Attributes:
        receiver: has the engine.
        table: the number of the table.
        stream: the stream.
        now_ms: the time.
    """

    receiver: Receiver
    table: int
    stream: OpenStream
    now_ms: int
    page_records: int = LOCAL_PAGE_RECORDS

    async def put(self, shard: Shard, changes: Sequence[Change]) -> Put:
        """As of `Target`."""
        records: list[NewRecord] = []
        taken = 0
        for each in changes:
            if each.new is not None:
                into = self.stream.shard_of(hash_of(each.new.partition_key)).number
                if not self._is_taken(into, each.new.size):
                    break
                records.append(NewRecord(into, each.new.partition_key, each.new.data))
            taken += 1
        if taken:
            await self._write(shard, changes[taken - 1].number + 1, records)
        return Put(taken, throttled=int(taken < len(changes)))

    async def _write(self, shard: Shard, following: int, records: Sequence[NewRecord]) -> None:
        positions, receiver = self.receiver.positions, self.receiver
        if not records:
            await positions.store(self.table, shard.number, following, receiver.fences)
            return
        await append(
            receiver.engine,
            self.stream.stream.number,
            records,
            self.now_ms,
            fences={**self.stream.fences, **receiver.fences()},
            beside=await positions.moved(self.table, shard.number, following),
        )
        positions.note(self.table, shard.number, following)

    def _is_taken(self, shard: int, size: int) -> bool:
        rates = self.receiver.rates
        return rates is None or rates.put((self.stream.stream.number, shard), size, self.now_ms)


async def local_stream(
    receiver: Receiver, table: Table, stream_arn: str, now_ms: int
) -> LocalStream | None:
    """The stream of a destination, of this server; None if it is not there."""
    named = resource_in(stream_arn)
    if named is None:
        return None
    scope = f"{table.account}:{table.region}" if receiver.separate else ""
    stream = await StreamRows(receiver.engine).get(scope, named.stream)
    if stream is None:
        return None
    return LocalStream(receiver=receiver, table=table.number, stream=stream, now_ms=now_ms)
