"""The admission of a server with `--throttle on`, on the model of `hashrange.capacity`.

A request with one charge takes its units at once. All others go through `admit_slowly`: batches,
whose items are admitted one by one; transactions, which are cancelled as a whole; and requests that
lack units, for which a server that shares its tables may still get some.

Reads of a shard of a stream have the limits of the Developer Guide, "Best practices for DynamoDB
Streams"; which exception refuses a read is our choice. Each process of a server limits the reads
that it answers.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.api.admission.capacities import Capacities
from hashrange.api.steps.admission import Admitted
from hashrange.api.steps.operation import AnyOperation, Cost, no_charges
from hashrange.capacity.bucket_keys import BucketKey
from hashrange.capacity.buckets import Bucket
from hashrange.capacity.limiter import Limiter
from hashrange.capacity.resources import TableCapacity
from hashrange.capacity.table_limiter import TableLimiter
from hashrange.capacity.throttling import Throttling
from hashrange.capacity.units import Charge
from hashrange.errors import DynamoError, Fault
from hashrange.limits.tables import (
    STREAM_READ_BYTES_PER_SECOND_MAX,
    STREAM_READS_PER_SECOND_MAX,
    STREAM_SHARD_READERS_MAX,
)
from hashrange.messages.items.throttling import stream_reads
from hashrange.tables.keys.keyspace import hash16
from hashrange.tables.opened.open_table import OpenTable

StreamShard: TypeAlias = tuple[str, int]
"""The ARN of a stream, and the number of a shard."""


class _Reads(msgspec.Struct):
    requests: Bucket
    read_bytes: Bucket


class StreamReads:
    """Counts the reads of shards."""

    def __init__(self) -> None:
        self._shards: dict[StreamShard, _Reads] = {}

    def admit(self, shard: StreamShard, now_ms: float) -> None:
        """Count a read. Raises DynamoError if there were too many, or too large ones."""
        reads = self._reads(shard, now_ms)
        if reads.read_bytes.refill(now_ms) < 0 or not reads.requests.take(1.0, now_ms):
            raise DynamoError(Fault.THROTTLED, stream_reads())

    def charge(self, shard: StreamShard, read_bytes: int, now_ms: float) -> None:
        """Count what a read has returned."""
        self._reads(shard, now_ms).read_bytes.charge(float(read_bytes), now_ms)

    def _reads(self, shard: StreamShard, now_ms: float) -> _Reads:
        found = self._shards.get(shard)
        if found is None:
            if len(self._shards) >= STREAM_SHARD_READERS_MAX:
                del self._shards[next(iter(self._shards))]
            requests, size = _PER_SECOND
            found = self._shards[shard] = _Reads(
                Bucket(rate=requests, capacity=requests, level=requests, at_ms=now_ms),
                Bucket(rate=size, capacity=size, level=size, at_ms=now_ms),
            )
        return found


_PER_SECOND: Final = (float(STREAM_READS_PER_SECOND_MAX), float(STREAM_READ_BYTES_PER_SECOND_MAX))


ROUNDS_MAX: Final = 3
"""How often a request waits for units before it is throttled."""

Count: TypeAlias = Callable[[Sequence[Throttling]], None]
"""Counts why a request, or items of a batch or transaction, are throttled."""
Refused: TypeAlias = Callable[[AnyOperation, Any, Limiter, Sequence[Throttling | None]], None]
"""Takes note of a plan that is throttled, in part or as a whole: a reason for each of its charges,
or one for all."""


class Gate:
    """Admits requests, and charges them.

    Attributes:
        refused: takes note of throttled plans; None if nobody does.

    Args:
        capacities: those of the tables.
        now_ms: the time.
        count: counts throttled requests and items, for metrics.
    """

    def __init__(self, capacities: Capacities, now_ms: Callable[[], int], count: Count) -> None:
        self.capacities = capacities
        self._now_ms = now_ms
        self._count = count
        self._stream_reads = StreamReads()
        self.refused: Refused | None = None

    def admit(self, operation: AnyOperation, plan: Any, tables: Sequence[Any]) -> Admitted | None:
        """Take the least cost of a plan with one charge; None if it is not that simple."""
        spot = operation.spot
        if spot is None:
            return None
        limiter = tables[0].limiter
        if limiter is None:
            return None
        charge = spot(plan)
        if charge is None:
            return None
        taken = limiter.take(charge, self._now_ms)
        return Admitted(plan, (charge,), limiter, taken) if taken else None

    async def admit_slowly(
        self, operation: AnyOperation, plan: Any, names: Sequence[str], tables: Sequence[Any]
    ) -> Admitted:
        """Take the least cost of a plan. Raises DynamoError if there is no capacity."""
        if operation.shard_of is not None:
            shard = operation.shard_of(plan)
            self._stream_reads.admit(shard, self._now_ms())
            return Admitted(plan, shard=shard)
        if operation.charges is no_charges:
            return Admitted(plan)
        opened = {
            name: table
            for name, table in zip(names, tables, strict=True)
            if isinstance(table, OpenTable)
        }
        limiter = await self._limiter(opened)
        # Only now, since the charges of a scan are those of the table's partitions.
        charges = operation.charges(plan)
        if self.capacities.is_shared:
            for _ in range(ROUNDS_MAX):
                if not any(self._take(operation, charges, limiter)):
                    return Admitted(plan, charges, limiter)
                in_parts = operation.without is not None
                found = await self._more(opened, charges, limiter, in_parts=in_parts)
                if in_parts or not found:
                    break
        return self._decided(operation, plan, charges, limiter)

    async def _limiter(self, opened: dict[str, OpenTable]) -> Limiter:
        """A limiter of the tables by their names as sent."""
        capacities: dict[str, TableCapacity] = {}
        for name, table in opened.items():
            if table.limiter is None:
                table.limiter = await self.capacities.limiter(table)
                table.wants_places = True
            capacities[name] = table.limiter.capacity_of(table.table.name)
        if len(opened) == 1:
            (table,) = opened.values()
            assert table.limiter is not None, "it was set above"
            return table.limiter
        return Limiter(capacities, hash16)

    def _take(
        self, operation: AnyOperation, charges: Sequence[Charge], limiter: Limiter
    ) -> list[Throttling | None]:
        """Take all charges, or none; returns the reasons, which do not count as throttled."""
        now_ms = self._now_ms()
        if operation.without is None:
            return [limiter.admit(charges, now_ms, counts=False)]
        refusals = [limiter.admit((charge,), now_ms, counts=False) for charge in charges]
        if any(refusals):
            limiter.charge((), now_ms, _taken(charges, refusals))
        return refusals

    async def _more(
        self,
        opened: dict[str, OpenTable],
        charges: Sequence[Charge],
        limiter: Limiter,
        *,
        in_parts: bool,
    ) -> bool:
        """Wait for units; whether there are some. A batch has use for those of one item too."""
        wishes, needs = limiter.needs(charges), dict[BucketKey, float]()
        for charge in charges if in_parts else ():
            for key, units in limiter.needs([charge]).items():
                needs[key] = max(needs.get(key, 0.0), units)
        found = False
        for table in opened.values():
            name = table.table.name
            wished = {key: units for key, units in wishes.items() if key.table == name}
            needed = {key: units for key, units in needs.items() if key.table == name}
            if wished and await self.capacities.more(table, needed or wished, wished):
                found = True
        return found

    def _decided(
        self, operation: AnyOperation, plan: Any, charges: Sequence[Charge], limiter: Limiter
    ) -> Admitted:
        """Take what can be taken, and refuse the rest."""
        now_ms = self._now_ms()
        if operation.without is None:
            refused = limiter.admit(charges, now_ms)
            if refused is None:
                return Admitted(plan, charges, limiter)
            self._note(operation, plan, limiter, [refused])
            raise refused.error()
        refusals = [limiter.admit((charge,), now_ms) for charge in charges]
        if not any(refusals):
            return Admitted(plan, charges, limiter)
        self._note(operation, plan, limiter, refusals)
        errors = [None if refused is None else refused.error() for refused in refusals]
        taken = _taken(charges, refusals)
        try:
            return Admitted(operation.without(plan, errors), taken, limiter)
        except DynamoError:
            limiter.charge((), now_ms, taken)
            raise

    def _note(
        self,
        operation: AnyOperation,
        plan: Any,
        limiter: Limiter,
        refusals: Sequence[Throttling | None],
    ) -> None:
        """Count what is throttled."""
        self._count([refused for refused in refusals if refused is not None])
        if self.refused is not None:
            self.refused(operation, plan, limiter, refusals)

    def charge(self, admitted: Admitted, cost: Cost | None) -> None:
        """Charge the actual cost; None returns what was taken."""
        taken_units = admitted.consumed
        if taken_units and cost is not None and not cost.charges:
            units = cost.write_units or cost.read_units
            if units == taken_units:
                return
        limiter = admitted.limiter
        if limiter is None:
            if cost is not None and cost.stream_bytes:
                self._stream_reads.charge(admitted.shard, cost.stream_bytes, self._now_ms())
            return
        taken = admitted.charges
        if taken_units:
            assert isinstance(limiter, TableLimiter), "it has taken the units"
            now_ms = self._now_ms()
            if cost is None or cost.charges:
                limiter.charge_difference(taken[0], 0.0, now_ms)
                limiter.charge(() if cost is None else cost.charges, now_ms)
            else:
                limiter.charge_difference(taken[0], cost.write_units or cost.read_units, now_ms)
            return
        limiter.charge(_costs(taken, cost), self._now_ms(), taken)


def _taken(charges: Sequence[Charge], refusals: Sequence[object]) -> list[Charge]:
    """The charges without those that were refused."""
    return [charge for charge, refused in zip(charges, refusals, strict=True) if refused is None]


def _costs(taken: Sequence[Charge], cost: Cost | None) -> Sequence[Charge]:
    """The actual cost; that of a plan with one charge has its place."""
    if cost is None:
        return ()
    if cost.charges or not (cost.read_units or cost.write_units):
        return cost.charges
    first = taken[0]
    if len(taken) == 1:
        return (replace(first, read_units=cost.read_units, write_units=cost.write_units),)
    return (Charge(first.table, read_units=cost.read_units, write_units=cost.write_units),)


replace: Final = msgspec.structs.replace
