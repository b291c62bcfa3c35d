"""Carries out a group of works: one look, their decisions, one statement that compares."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from hashrange.clock import Clock
from hashrange.observe.counts import Durations
from hashrange.storage.contention import TRIES_MAX, draw, rest
from hashrange.storage.engine import ContendedError, StorageError
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.postgres.batch import Batch, batch_of
from hashrange.storage.postgres.fenced import FencedReader
from hashrange.storage.postgres.group import Group, Readiness
from hashrange.storage.postgres.pool import LostError, Pool
from hashrange.storage.postgres.schema import KEY_BYTES_MAX

COUNTER_SHARDS: Final = 16
SPLITS_FROM: Final = 2
"""Lost comparisons of a group, before who shares a key with another server goes by itself."""


class _Decided(msgspec.Struct, kw_only=True):
    """A group, decided on one look."""

    batch: Batch | None
    """None if nothing is to be written."""
    works: list[PendingWrite]
    """Told once the batch is written."""
    later: list[PendingWrite]


class GroupExecutor:
    """Carries out groups.

    Attributes:
        works: decided, refused ones included.
        lost: comparisons that failed because others were faster.
        writes: of statements that write.
    """

    def __init__(self, link: Pool, reader: FencedReader, clock: Clock) -> None:
        self.works = self.lost = 0
        self.writes = Durations()
        self._link = link
        self._reader = reader
        self._clock = clock

    async def carry(self, works: Sequence[PendingWrite]) -> Sequence[PendingWrite]:
        """Carry out works and tell them; those that do not go together with the others are left."""
        later: list[PendingWrite] = []
        try:
            await self._carry(works, 0, later)
        except asyncio.CancelledError:
            _fail(
                works,
                later,
                StorageError("the server is stopping; whether the write took place is unknown"),
            )
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must know
            _fail(works, later, error)
        return later

    async def _carry(
        self, works: Sequence[PendingWrite], tries: int, later: list[PendingWrite]
    ) -> None:
        """Until all are told, or in `later`. Raises ContendedError, StorageError."""
        while works:
            decided = await self._decide(works)
            later += decided.later
            works = decided.works
            if decided.batch is None or await self._apply(decided.batch):
                self._done(works)
                return
            tries += 1
            if tries == TRIES_MAX:
                raise ContendedError("the write lost to others too often")
            await rest(self._clock, tries - 1)
            if tries >= SPLITS_FROM and len(works) > 1:
                half = len(works) // 2
                for some in (works[:half], works[half:]):
                    await self._carry_apart(some, tries, later)
                return

    async def _carry_apart(
        self, works: Sequence[PendingWrite], tries: int, later: list[PendingWrite]
    ) -> None:
        try:
            await self._carry(works, tries, later)
        except StorageError as error:
            _fail(works, later, error)

    async def _decide(self, works: Sequence[PendingWrite]) -> _Decided:
        look = await self._reader.look(works)
        self._done(look.stale)
        stored = {row["k"]: (row["v"], row["ver"]) for row in look.rows}
        group = Group(stored, KEY_BYTES_MAX)
        told: dict[Readiness, list[PendingWrite]] = {when: [] for when in Readiness}
        for work in look.works:
            # Those behind one that waits, wait too: they may want to come after it.
            when = Readiness.LATER if told[Readiness.LATER] else group.take(work)
            told[when].append(work)
        self._done(told[Readiness.NOW])
        together = told[Readiness.WITH_GROUP]
        batch = None
        if together:
            batch = batch_of(
                group.keys,
                {key: stored[key] for key in group.keys & stored.keys()},
                group.changes(),
                fence_versions={key: look.versions[key] for key in group.fences},
                shard=draw(self._clock) % COUNTER_SHARDS,
            )
        return _Decided(batch=batch, works=together, later=told[Readiness.LATER])

    def _done(self, works: Iterable[PendingWrite]) -> None:
        for work in works:
            self.works += 1
            # Unless who waits has gone.
            if not work.waiter.done():
                work.waiter.set_result(None)

    async def _apply(self, batch: Batch) -> bool:
        """Whether all comparisons held and the changes are made, durably."""
        began_ns = self._clock.monotonic_ns()
        try:
            await self._link.write(*batch.statement())
        except LostError:
            self.lost += 1
            return False
        self.writes.add(self._clock.monotonic_ns() - began_ns)
        return True


def _fail(works: Iterable[PendingWrite], later: Sequence[PendingWrite], error: Exception) -> None:
    """Tell those that were not told yet, and do not go into another group."""
    for work in works:
        if not work.waiter.done() and work not in later:
            work.error = error
            work.waiter.set_result(None)
