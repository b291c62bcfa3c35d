"""Replicates the changes in the log of one replica to another one, page by page.

Records are read in any order of shards, and may be replicated twice: the greater version wins.
Changes that the source itself has received are left out, since their regions replicate them.
"""

import logging
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.log import Shard
from hashrange.model.replication import Replica
from hashrange.replication.positions import ENDED, Link, Positions
from hashrange.storage.engine import Engine, Pair
from hashrange.tables import keyspace
from hashrange.tables.change_log import ChangeRecord, record_from, region_of, time_ms_of
from hashrange.tables.images import OWN_REGION
from hashrange.tables.keys import key_of_item
from hashrange.tables.log_keys import record_key, record_number
from hashrange.tables.opened import OpenTable
from hashrange.tables.replicated import replicated_write
from hashrange.tables.store import Store
from hashrange.tables.tombstones import GlobalVersion
from hashrange.tables.write_plans import ItemWrite, WriteResult
from hashrange.tables.writer import write_items

PAGE_RECORDS: Final = 100
PAGE_BYTES: Final = 1024 * 1024
_RECORDS_END: Final = 2**64 - 1

_log: Final = logging.getLogger(__name__)


class Progress(msgspec.Struct):
    """What was done for one replica.

    Attributes:
        records: records of the log that were passed.
        writes: changes that were sent.
        latency_ms: the age of the oldest of them.
        is_complete: all records that were there have been passed.
    """

    records: int = 0
    writes: int = 0
    latency_ms: int = 0
    is_complete: bool = True


class Charges(Protocol):
    """The charges of the writes to a replica."""

    async def takes(self, key: bytes) -> bool:
        """Take the least units of a write of an item by its key; whether there were as many."""

    def settle(self, keys: Sequence[bytes], results: Sequence[WriteResult[None]]) -> None:
        """Charge what the writes of items cost, and return what was taken for them."""


class Target(Protocol):
    """A replica that receives changes: of this server, or of another one."""

    @property
    def number(self) -> int:
        """What stands for it in positions."""

    async def take(self, changes: Sequence[ChangeRecord]) -> int:
        """Store changes of items, in the order of a shard. Raises if they are not stored.

        Returns how many of them, from the first on: the replica may lack units for the others.
        """


class LocalTarget:
    """A replica of this server.

    Args:
        store: the items.
        region: of the replica that was changed.
        table: the replica that receives the changes.
        charges: of the replica; None if nothing is charged.
    """

    def __init__(
        self, store: Store, region: str, table: OpenTable, charges: Charges | None = None
    ) -> None:
        self._store = store
        self._region = region
        self._table = table
        self._charges = charges
        self.number = table.number

    async def take(self, changes: Sequence[ChangeRecord]) -> int:
        """As `Target.take`. Raises StaleFenceError: the replica was changed."""
        writes: dict[bytes, ItemWrite[None]] = {}
        taken, charges = 0, self._charges
        for record in changes:
            write = write_of(record, self._region, self._table)
            if charges is not None and not await charges.takes(write.key):
                break
            writes[write.key] = write
            taken += 1
        done = await _write(self._store, list(writes.values()))
        if charges is not None:
            charges.settle([*done], [*done.values()])
        return taken


async def follow(
    store: Store,
    positions: Positions,
    source: OpenTable,
    target: Target,
    *,
    replica: Replica,
    until_ms: int | None,
) -> Progress:
    """Replicate a page of each shard.

    Args:
        store: the items, and the clock.
        positions: where to go on.
        source: the replica that was changed.
        target: receives the changes.
        replica: the target, as the source has it.
        until_ms: records with a later time are left for later; None if there is no delay. A clock
            that was set back is behind the times of records, and must not hold them up.

    Raises as `Target.take`.
    """
    progress = Progress()
    link = Link(source.number, target.number)
    for shard in source.table.log.shards:
        if shard.number < replica.first_shard:
            continue
        start = max(await positions.read(link, shard.number), shard.cleared_to)
        if start >= ENDED:
            continue
        log = keyspace.log_key(source.number, shard.number)
        page = await store.engine.scan(
            record_key(log, start), record_key(log, _RECORDS_END),
            limit=PAGE_RECORDS, bytes_max=PAGE_BYTES,
        )  # fmt: skip
        passed = await _replicate(store, page, target, until_ms=until_ms, progress=progress)
        if passed:
            await positions.write(link, shard.number, record_number(page[passed - 1][0]) + 1)
        if passed < len(page) or len(page) == PAGE_RECORDS:
            progress.is_complete = False
        elif not page and _is_over(shard):
            await positions.write(link, shard.number, ENDED)
        elif page:
            progress.is_complete = False
    return progress


async def first_unsent(
    positions: Positions, engine: Engine, source: OpenTable, *, number: int, replica: Replica
) -> int | None:
    """The time of the oldest record that a replica, which has a number, has not been sent.

    None if it has been sent all.
    """
    oldest: int | None = None
    for shard in source.table.log.shards:
        if shard.number < replica.first_shard:
            continue
        start = max(await positions.read(Link(source.number, number), shard.number), 1)
        if start >= ENDED:
            continue
        log = keyspace.log_key(source.number, shard.number)
        page = await engine.scan(
            record_key(log, max(start, shard.cleared_to)), record_key(log, _RECORDS_END),
            limit=1, bytes_max=1,
        )  # fmt: skip
        for _, value in page:
            time_ms = time_ms_of(value)
            oldest = time_ms if oldest is None else min(oldest, time_ms)
    return oldest


def until_of(now_ms: int, delay_ms: int) -> int | None:
    """The `until_ms` of a delay."""
    return now_ms - delay_ms if delay_ms else None


def _is_over(shard: Shard) -> bool:
    return shard.closed_ms is not None


async def _replicate(
    store: Store, page: list[Pair], target: Target, *, until_ms: int | None, progress: Progress
) -> int:
    """Send the changes of a page to the target; the number of records that were passed."""
    changes: list[ChangeRecord] = []
    places: list[int] = []
    passed = len(page)
    for place, (_, value) in enumerate(page):
        if until_ms is not None and time_ms_of(value) > until_ms:
            passed = place
            break
        if region_of(value) == OWN_REGION:
            changes.append(record_from(value))
            places.append(place)
    if changes:
        age_ms = store.clock.now_ms() - changes[0].time_ms
        progress.latency_ms = max(progress.latency_ms, age_ms)
        taken = await target.take(changes)
        progress.writes += taken
        if taken < len(changes):
            passed = places[taken]
    progress.records += passed
    return passed


def write_of(record: ChangeRecord, region: str, target: OpenTable) -> ItemWrite[None]:
    """The write of a change of a region to another replica."""
    image = record.before if record.after is None else record.after
    assert image is not None, "a change has an old or a new image"
    key = key_of_item(target, image.item())
    return replicated_write(target, key, record.after, GlobalVersion(record.version, region))


async def _write(store: Store, writes: list[ItemWrite[None]]) -> dict[bytes, WriteResult[None]]:
    """Write the changes; one that the target refuses is left out, and logged."""
    done: dict[bytes, WriteResult[None]] = {}
    try:
        results = await write_items(store, writes)
        done.update(zip((write.key for write in writes), results, strict=True))
    except DynamoError:
        for write in writes:
            try:
                (done[write.key],) = await write_items(store, [write])
            except DynamoError as error:
                name = write.table.table.arn
                _log.error("a change of an item is not replicated to %s: %s", name, error)
    return done
