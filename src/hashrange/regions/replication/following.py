"""Replicates the changes in the log of one replica to another one, page by page.

Records are read in any order of shards, and may be replicated twice: the greater version wins.
Changes that the source itself has received are left out, since their regions replicate them.
"""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Final, Protocol, Self

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.log import Shard
from hashrange.model.replication import Replica
from hashrange.regions.replication.positions import ENDED, Link, Positions
from hashrange.storage.engine import Engine, Pair
from hashrange.tables.items.images import OWN_REGION
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import record_key, record_number
from hashrange.tables.log.change_log import ChangeRecord, newest_from, region_of, time_ms_of
from hashrange.tables.log.tombstones import GlobalVersion
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import (
    ItemWrite,
    WriteResult,
    latest_writes,
    replicated_write,
)
from hashrange.tables.writing.writer import write_items

RUN_RECORDS: Final = 100
"""Of one shard in a page, more if there are few shards."""
PAGE_RECORDS: Final = 400
PAGE_BYTES: Final = 1024 * 1024
PAGES_MAX: Final = 8
"""Of one replica, before others have their turn."""
WRITE_CHANGES: Final = 100
"""In one write, so that requests wait for no more; about 5 ms of work."""
_RECORDS_END: Final = 2**64 - 1

_log: Final = logging.getLogger(__name__)


class Found(IntEnum):
    """The work that a turn has found."""

    NOTHING = 0
    """Nothing was left."""
    SOME = 1
    """Some, and it was done; what has come meanwhile is left for the next turn."""
    MORE = 2
    """More than was done."""


class Progress(msgspec.Struct):
    """The progress for one replica.

    Attributes:
        records: records of the log that were passed.
        writes: changes that were sent.
        latency_ms: the age of the oldest of them when they were stored.
        is_complete: all records that were there at the beginning have been passed, but for those
            that are left for later.
    """

    records: int = 0
    writes: int = 0
    latency_ms: int = 0
    is_complete: bool = True

    @property
    def found(self) -> Found:
        """The work that was found."""
        if not self.records:
            return Found.NOTHING
        return Found.SOME if self.is_complete else Found.MORE


class Until(msgspec.Struct, frozen=True):
    """How far the log is replicated.

    Attributes:
        time_ms: records with a later time are left for later; None if there is no delay. A clock
            that was set back is behind the times of records, and must not hold them up.
        ends: by the number of a shard, the number of the first record that is not replicated; none
            of other shards is. None for all records.
    """

    time_ms: int | None = None
    ends: Mapping[int, int] | None = None

    def includes(self, shard: int) -> bool:
        """Whether a shard may have such records."""
        return self.ends is None or shard in self.ends

    def end_of(self, shard: int) -> int:
        """Before which record it ends."""
        return _RECORDS_END if self.ends is None else self.ends[shard]

    def ripe(self, rows: Sequence[Pair]) -> int:
        """How many records of a shard, from the first one on, are not left for later."""
        until_ms = self.time_ms
        if until_ms is None:
            return len(rows)
        late = (place for place, (_, value) in enumerate(rows) if time_ms_of(value) > until_ms)
        return next(late, len(rows))

    @classmethod
    def delayed(cls, now_ms: int, delay_ms: int) -> Self:
        """Until a time before now, if there is a delay."""
        return cls(now_ms - delay_ms if delay_ms else None)


class Charges(Protocol):
    """The charges of the writes to a replica."""

    async def takes(self, key: bytes) -> bool:
        """Take the least units of a write of an item by its key; whether there were as many."""

    def charge(self, keys: Sequence[bytes], results: Sequence[WriteResult[None]]) -> None:
        """Charge what the writes of items cost, and return what was taken for them."""


class Target(Protocol):
    """A replica that receives changes: of this server, or of another one."""

    @property
    def number(self) -> int:
        """Its number in positions."""

    async def take(self, changes: Sequence[ChangeRecord]) -> int:
        """Store changes of items, in any order. Raises if they are not stored.

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
        writes: list[ItemWrite[None]] = []
        charges = self._charges
        for record in changes:
            write = write_of(record, self._region, self._table)
            if charges is not None and not await charges.takes(write.key):
                break
            writes.append(write)
        latest = latest_writes(writes)
        done: dict[bytes, WriteResult[None]] = {}
        for first in range(0, len(latest), WRITE_CHANGES):
            done |= await write_changes(self._store, latest[first : first + WRITE_CHANGES])
        if charges is not None:
            charges.charge([*done], [*done.values()])
        return len(writes)


async def follow(
    store: Store,
    positions: Positions,
    source: OpenTable,
    target: Target,
    *,
    replica: Replica,
    until: Until,
) -> Progress:
    """Replicate the records of all shards, in pages of several shards.

    A shard that has many is behind the others again after each page. At most PAGES_MAX pages are
    replicated, or as many as there are shards.

    Args:
        store: the items, and the clock.
        positions: where to go on.
        source: the replica that was changed.
        target: receives the changes.
        replica: the target, as the source has it.
        until: how far.

    Raises as `Target.take`.
    """
    link, progress = Link(source.number, target.number), Progress()
    following = _Following(store, positions, link, until, progress)
    waiting = deque(
        shard
        for shard in source.table.log.shards
        if replica.gets(shard.number) and until.includes(shard.number)
    )
    for _ in range(max(PAGES_MAX, len(waiting))):
        if not waiting:
            break
        runs = await following.page(waiting)
        if not await following.deliver(runs, target):
            break
        waiting.extend(run.shard for run in runs if run.is_full)
    progress.is_complete = progress.is_complete and not waiting
    if progress.records:
        await positions.store_due(store.clock.now_ms())
    else:
        await positions.store()
    return progress


class _Run(msgspec.Struct):
    """The next records of one shard.

    Attributes:
        shard: the shard.
        rows: the records that may be replicated now.
        bytes: of their values.
        is_full: there may be more.
    """

    shard: Shard
    rows: list[Pair]
    bytes: int
    is_full: bool


class _Following(msgspec.Struct):
    """One call of `follow`, for its arguments."""

    store: Store
    positions: Positions
    link: Link
    until: Until
    progress: Progress

    async def page(self, waiting: deque[Shard]) -> list[_Run]:
        """Take shards from those that wait, and their next records, until a page is full."""
        runs: list[_Run] = []
        records, room = PAGE_RECORDS, PAGE_BYTES
        share = max(RUN_RECORDS, PAGE_RECORDS // len(waiting))
        while waiting and records > 0 and room > 0:
            shard = waiting.popleft()
            run = await self._run(shard, min(records, share), room)
            if run is not None:
                runs.append(run)
                records -= len(run.rows)
                room -= run.bytes
        return runs

    async def _run(self, shard: Shard, limit: int, room: int) -> _Run | None:
        """The next records of a shard; None if there are none."""
        stored = await self.positions.read(self.link, shard.number)
        start = max(stored, shard.cleared_to)
        if start >= ENDED:
            return None
        log = keyspace.log_key(self.link.source, shard.number)
        end = record_key(log, self.until.end_of(shard.number))
        rows = await self.store.engine.scan(
            record_key(log, start), end, limit=limit, bytes_max=room
        )
        if not rows:
            if _is_over(shard) and self.until.ends is None:
                self._note(shard, ENDED)
            return None
        ripe = self.until.ripe(rows)
        if ripe < len(rows):
            rows, limit = rows[:ripe], PAGE_RECORDS
            if not rows:
                return None
        size = sum([len(value) for _, value in rows])
        return _Run(shard, rows, size, is_full=len(rows) == limit or size >= room)

    async def deliver(self, runs: Sequence[_Run], target: Target) -> bool:
        """Send the changes of a page; False if the target takes no more for now."""
        own = [[value for _, value in run.rows if region_of(value) == OWN_REGION] for run in runs]
        changes = [newest_from(value) for values in own for value in values]
        taken = await target.take(changes) if changes else 0
        progress = self.progress
        if changes:
            oldest_ms = min(change.time_ms for change in changes)
            age_ms = max(self.store.clock.now_ms() - oldest_ms, 0)
            progress.latency_ms = max(progress.latency_ms, age_ms)
            progress.writes += taken
        left = taken
        for run, values in zip(runs, own, strict=True):
            passed = len(run.rows)
            if left < len(values):
                passed = next(
                    place for place, (_, value) in enumerate(run.rows) if value is values[left]
                )
            left -= min(left, len(values))
            if passed:
                progress.records += passed
                self._note(run.shard, record_number(run.rows[passed - 1][0]) + 1)
        if taken < len(changes):
            progress.is_complete = False
        return taken == len(changes)

    def _note(self, shard: Shard, record: int) -> None:
        now_ms = self.store.clock.now_ms()
        self.positions.note(self.link, shard.number, record, now_ms)


async def first_unsent(
    positions: Positions,
    engine: Engine,
    source: OpenTable,
    *,
    number: int,
    replica: Replica,
    until: Until | None = None,
) -> int | None:
    """The time of the oldest record that a replica, which has a number, has not been sent.

    None if it has been sent all, or all `until` there.
    """
    until = Until() if until is None else until
    oldest: int | None = None
    for shard in source.table.log.shards:
        if not (replica.gets(shard.number) and until.includes(shard.number)):
            continue
        start = max(await positions.read(Link(source.number, number), shard.number), 1)
        if start >= ENDED:
            continue
        log = keyspace.log_key(source.number, shard.number)
        page = await engine.scan(
            record_key(log, max(start, shard.cleared_to)),
            record_key(log, until.end_of(shard.number)), limit=1, bytes_max=1,
        )  # fmt: skip
        for _, value in page:
            time_ms = time_ms_of(value)
            oldest = time_ms if oldest is None else min(oldest, time_ms)
    return oldest


async def written_so_far(engine: Engine, source: OpenTable) -> dict[int, int]:
    """By the number of a shard, the number after that of its newest record: `Until.ends`."""
    ends: dict[int, int] = {}
    for shard in source.table.log.shards:
        log = keyspace.log_key(source.number, shard.number)
        newest = await engine.scan(
            record_key(log, 0), record_key(log, _RECORDS_END),
            limit=1, bytes_max=1, reverse=True,
        )  # fmt: skip
        ends.update((shard.number, record_number(key) + 1) for key, _ in newest)
    return ends


def _is_over(shard: Shard) -> bool:
    return shard.closed_ms is not None


def write_of(record: ChangeRecord, region: str, target: OpenTable) -> ItemWrite[None]:
    """The write of a change of a region to another replica."""
    image = record.before if record.after is None else record.after
    assert image is not None, "a change has an old or a new image"
    key = key_of_item(target, image.item())
    return replicated_write(target, key, record.after, GlobalVersion(record.version, region))


async def write_changes(
    store: Store, writes: Sequence[ItemWrite[None]]
) -> dict[bytes, WriteResult[None]]:
    """Write changes of other regions; one that the table refuses is left out, and logged.

    Raises StaleFenceError.
    """
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
    store.conflicts_total += sum(each.has_lost for each in done.values())
    return done
