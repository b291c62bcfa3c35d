"""Work that one server of several does: who leads, and when that ends.

Every server looks at the lease once a second. Whoever finds that it has not moved for some seconds
of its own clock takes it over, in the next term; whoever has it moves it on each second, and stops
its work if it could not for so long that another one may take over. A server that ends gives it up.

Two may believe for a moment that they lead: one that stood still, or whose machine did, wakes and
goes on until it looks at the lease. So all work is such that doing it twice does no harm, compared
with what is stored, or carries the term as a fence, which is what `fences` is for.
`tests/model/test_work_done_twice.py` holds the first to it.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any, Final

import msgspec

from hashrange.background.tasks import BackgroundTask, BackgroundTasks
from hashrange.clock import Clock
from hashrange.storage.engine import NO_FENCES, Engine, Fences, StorageError
from hashrange.tables.leases import (
    NOBODY,
    OWNER_BYTES,
    Lease,
    NotLeadingError,
    give_up_lease,
    read_lease,
    renew_lease,
    take_lease,
)

GIVE_UP_SECONDS_MAX: Final = 2.0
"""At the end; then another one waits until the lease is left."""
_NS: Final = 1_000_000_000

_log: Final = logging.getLogger(__name__)


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How fast leadership passes on.

    Attributes:
        look_seconds: between two looks at a lease, and two moves of one that is ours.
        held_seconds: after it was last moved, its owner stops its work.
        left_seconds: once it has stood still for so long, others take it.
    """

    look_seconds: float = 1.0
    held_seconds: float = 5.0
    left_seconds: float = 6.0


class Watched(msgspec.Struct, frozen=True):
    """A lease, and since when it is known to be so, by our own clock."""

    lease: Lease
    since_ns: int


def watched(before: Watched | None, found: Lease, now_ns: int) -> Watched:
    """What is known after another look; `now_ns` is the end of that look. Pure."""
    if before is not None and before.lease == found:
        return before
    return Watched(found, now_ns)


def may_take(seen: Watched, owner: bytes, now_ns: int, left_seconds: float) -> bool:
    """Whether a lease may be taken over; `now_ns` is the beginning of the last look. Pure.

    One that is ours already was taken by a write that was not answered.
    """
    if seen.lease.owner in {NOBODY, owner}:
        return True
    return now_ns - seen.since_ns >= left_seconds * _NS


class Leader:
    """Has work done while this server holds the lease of it.

    Args:
        engine: holds the lease.
        clock: of this server.
        work: the name of the lease.
        is_shared: there may be other servers; if not, there is no lease, and it leads at once.
        pace: how fast leadership passes on.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        work: str,
        *,
        is_shared: bool,
        pace: Pace | None = None,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._work = work
        self.is_shared = is_shared
        self._pace = pace or Pace()
        self._owner = clock.random_bytes(OWNER_BYTES)
        self._works: Sequence[BackgroundTask] = ()
        self._crew = BackgroundTasks()
        self._itself = BackgroundTasks()
        self._lease: Lease | None = None
        self._held_until_ns = 0

    @property
    def leads(self) -> bool:
        """Whether it has the work done here."""
        return self._lease is not None or not self.is_shared

    @property
    def failures(self) -> int:
        """How often a task ended that should not have."""
        return self._itself.failures + self._crew.failures

    def fences(self) -> Fences:
        """What a write carries that must not be made once another server leads.

        Raises NotLeadingError.
        """
        if not self.is_shared:
            return NO_FENCES
        if self._lease is None:
            raise NotLeadingError
        return self._lease.fences

    def begin(self, works: Sequence[BackgroundTask]) -> None:
        """Have these done, from when this server leads."""
        self._works = works
        if self.is_shared:
            self._itself.begin([self])
        else:
            self._crew.begin(works)

    async def end(self) -> None:
        """Stop the work, and let another server have it."""
        await self._itself.end()
        await self._crew.end()
        lease, self._lease = self._lease, None
        if lease is None:
            return
        try:
            await _within(GIVE_UP_SECONDS_MAX, give_up_lease(self._engine, lease))
        except (StorageError, TimeoutError):
            _log.warning("%s: others wait until the lease is left", self._work, exc_info=True)

    async def run(self) -> None:
        """Lead whenever that is possible; ends when it is cancelled."""
        while True:
            # In this order: what still ends is fenced by the term that it began in.
            await self._crew.end()
            self._lease = None
            self._lease = await self._take()
            text = "%s: this server leads (term %d)"
            _log.info(text, self._work, self._lease.term)
            self._crew.begin(self._works)
            try:
                reason = await self._hold(self._lease)
            except Exception:
                await self._crew.end()
                raise
            _log.warning("%s: this server no longer leads: %s", self._work, reason)

    async def _take(self) -> Lease:
        """Wait for the lease."""
        seen: Watched | None = None
        while True:
            began_ns = self._clock.monotonic_ns()
            try:
                found = await read_lease(self._engine, self._work)
                seen = watched(seen, found, self._clock.monotonic_ns())
                if may_take(seen, self._owner, began_ns, self._pace.left_seconds):
                    lease = await take_lease(self._engine, found, self._owner)
                    if lease is not None:
                        self._extend(began_ns)
                        return lease
            except StorageError:
                _log.debug("%s: the lease cannot be read", self._work, exc_info=True)
            await asyncio.sleep(self._pace.look_seconds)

    async def _hold(self, lease: Lease) -> str:
        """Move the lease on for as long as that is possible; why it is not any more."""
        while (left_seconds := self._left_seconds()) > 0:
            await asyncio.sleep(min(left_seconds, self._pace.look_seconds))
            began_ns = self._clock.monotonic_ns()
            try:
                await _within(max(0, self._left_seconds()), renew_lease(self._engine, lease))
            except NotLeadingError:
                return "another server has the lease"
            except TimeoutError:
                break
            except StorageError:
                _log.debug("%s: the lease cannot be renewed", self._work, exc_info=True)
            else:
                self._extend(began_ns)
        return "the lease was not renewed in time"

    def _left_seconds(self) -> float:
        """For how long nobody else takes it."""
        return (self._held_until_ns - self._clock.monotonic_ns()) / _NS

    def _extend(self, began_ns: int) -> None:
        """From before the row was written: others count from after they have seen it."""
        self._held_until_ns = began_ns + int(self._pace.held_seconds * _NS)


async def _within(seconds: float, work: Coroutine[Any, Any, None]) -> None:
    """Wait for it for so long. Raises TimeoutError.

    Whoever waits goes on then, though the work has not ended: with a network that swallows
    everything, the driver waits long for the end of what was cancelled.
    """
    task = asyncio.create_task(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()
        task.add_done_callback(_seen)
    if not done:
        raise TimeoutError
    task.result()


def _seen(task: asyncio.Task[None]) -> None:
    """What became of it was told, or does not matter any more."""
    if not task.cancelled():
        task.exception()
