"""Leases: one of several servers, the leader, does the background work.

Each server reads the lease once a second. A server that finds the lease unchanged for some seconds
of its own clock takes it, in the next term. The leader renews the lease each second, and stops its
tasks when it could not renew it for so long that another server may soon take it. A server that
stops gives the lease up. Where the sessions at the database are known, a lease whose owner's
session is gone is taken at once.

Two servers may lead for a moment: a leader whose process or machine was suspended goes on until it
next checks the lease. So each task compares with what is stored, so that it may be done twice
without harm (`tests/model/test_work_done_twice.py`), or carries the term as a fence (`fences`).
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any, Final

import msgspec

from hashrange.background.tasks import BackgroundTask, BackgroundTasks
from hashrange.clock import Clock
from hashrange.storage.engine import NO_FENCES, Engine, Fences, StorageError
from hashrange.tables.catalog.leases import (
    NOBODY,
    OWNER_BYTES,
    Lease,
    NotLeadingError,
    Sessions,
    give_up_lease,
    read_lease,
    renew_lease,
    take_lease,
)

GIVE_UP_SECONDS_MAX: Final = 2.0
"""Time limit for giving up the lease at the end; otherwise others wait until it has expired."""
_NS: Final = 1_000_000_000

_log: Final = logging.getLogger(__name__)


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """The times of a lease.

    Attributes:
        look_seconds: interval in which servers read the lease, and the leader renews it.
        held_seconds: the leader stops its tasks this long after the last renewal.
        left_seconds: other servers take a lease that was unchanged for this long.
    """

    look_seconds: float = 1.0
    held_seconds: float = 5.0
    left_seconds: float = 6.0


class ObservedLease(msgspec.Struct, frozen=True):
    """A lease, and the time on this server's clock at which it was first read with this value."""

    lease: Lease
    since_ns: int


def observed(before: ObservedLease | None, found: Lease, now_ns: int) -> ObservedLease:
    """The observation after another read, which ended at `now_ns`. Pure."""
    if before is not None and before.lease == found:
        return before
    return ObservedLease(found, now_ns)


def may_take(last: ObservedLease, owner: bytes, now_ns: int, left_seconds: float) -> bool:
    """Whether a lease may be taken; `now_ns` is the beginning of the last read. Pure.

    A lease that is this server's already was taken by a write whose answer was lost.
    """
    if last.lease.owner in {NOBODY, owner}:
        return True
    return now_ns - last.since_ns >= left_seconds * _NS


class Leader:
    """Runs background tasks while this server holds a lease.

    Args:
        engine: holds the lease.
        clock: that of this server.
        name: the name of the lease.
        is_shared: other servers may use the same data; if not, there is no lease, and this server
            leads at once.
        pace: the times of the lease.
        sessions: at the database; None if there are none.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        name: str,
        *,
        is_shared: bool,
        pace: Pace | None = None,
        sessions: Sessions | None = None,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._name = name
        self.is_shared = is_shared
        self._pace = pace or Pace()
        self._sessions = sessions
        self._owner = clock.random_bytes(OWNER_BYTES)
        self._tasks: Sequence[BackgroundTask] = ()
        self._running = BackgroundTasks()
        self._election = BackgroundTasks()
        self._lease: Lease | None = None
        self._held_until_ns = 0

    @property
    def leads(self) -> bool:
        """Whether the tasks run on this server."""
        return self._lease is not None or not self.is_shared

    @property
    def failures(self) -> int:
        """How often a task has failed."""
        return self._election.failures + self._running.failures

    def fences(self) -> Fences:
        """Fences of a write that must not take effect once another server leads.

        Raises NotLeadingError.
        """
        if not self.is_shared:
            return NO_FENCES
        if self._lease is None:
            raise NotLeadingError
        return self._lease.fences

    def begin(self, tasks: Sequence[BackgroundTask]) -> None:
        """Run these tasks whenever this server leads."""
        self._tasks = tasks
        if self.is_shared:
            self._election.begin([self])
        else:
            self._running.begin(tasks)

    async def end(self) -> None:
        """Stop the tasks and give up the lease."""
        await self._election.end()
        await self._running.end()
        lease, self._lease = self._lease, None
        if lease is None:
            return
        try:
            await _within(GIVE_UP_SECONDS_MAX, give_up_lease(self._engine, lease))
        except (StorageError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            _log.warning("%s: others wait until the lease expires: %s", self._name, reason)

    async def run(self) -> None:
        """Lead whenever that is possible, until it is cancelled."""
        while True:
            # In this order: tasks that are ending carry the fences of the term in which they began.
            await self._running.end()
            self._lease = None
            self._lease = await self._take()
            _log.info("%s: this server has the lease (term %d)", self._name, self._lease.term)
            self._running.begin(self._tasks)
            try:
                reason = await self._hold(self._lease)
            except Exception:
                await self._running.end()
                raise
            _log.warning("%s: this server has lost the lease: %s", self._name, reason)

    async def _take(self) -> Lease:
        """Wait for the lease, and take it."""
        last: ObservedLease | None = None
        while True:
            began_ns = self._clock.monotonic_ns()
            try:
                found = await read_lease(self._engine, self._name)
                last = observed(last, found, self._clock.monotonic_ns())
                is_left = may_take(last, self._owner, began_ns, self._pace.left_seconds)
                if is_left or await self._is_orphaned(found):
                    session = await self._session()
                    lease = await take_lease(self._engine, found, self._owner, session)
                    if lease is not None:
                        self._extend(began_ns)
                        return lease
            except StorageError:
                _log.debug("%s: the lease cannot be read", self._name, exc_info=True)
            await asyncio.sleep(self._pace.look_seconds)

    async def _hold(self, lease: Lease) -> str:
        """Renew the lease while that is possible; returns why it no longer is."""
        while (left_seconds := self._left_seconds()) > 0:
            await asyncio.sleep(min(left_seconds, self._pace.look_seconds))
            began_ns = self._clock.monotonic_ns()
            try:
                await _within(max(0, self._left_seconds()), self._renew(lease))
            except NotLeadingError:
                return "another server has the lease"
            except TimeoutError:
                break
            except StorageError:
                _log.debug("%s: the lease cannot be renewed", self._name, exc_info=True)
            else:
                self._extend(began_ns)
        return "the lease was not renewed in time"

    async def _renew(self, lease: Lease) -> None:
        await renew_lease(self._engine, lease, await self._session())

    async def _session(self) -> bytes:
        return b"" if self._sessions is None else await self._sessions.own()

    async def _is_orphaned(self, lease: Lease) -> bool:
        """Whether the session of the owner is known to be gone: its process is, or soon follows."""
        if self._sessions is None or not lease.session:
            return False
        return await self._sessions.is_gone(lease.session)

    def _left_seconds(self) -> float:
        """How long this server may still act as the leader."""
        return (self._held_until_ns - self._clock.monotonic_ns()) / _NS

    def _extend(self, began_ns: int) -> None:
        """Count from before the lease was written; others count from after they have read it."""
        self._held_until_ns = began_ns + int(self._pace.held_seconds * _NS)


async def _within(seconds: float, coroutine: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine with a time limit. Raises TimeoutError.

    Returns although the cancelled coroutine has not ended: if the network drops all packets, the
    driver waits long for the end of a cancelled statement.
    """
    task = asyncio.create_task(coroutine)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()
        task.add_done_callback(_retrieve_exception)
    if not done:
        raise TimeoutError
    task.result()


def _retrieve_exception(task: asyncio.Task[None]) -> None:
    """Keep asyncio from logging an exception that no longer matters."""
    if not task.cancelled():
        task.exception()
