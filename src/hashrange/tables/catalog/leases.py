"""Leases: the right of one of several processes to do some work.

A lease consists of three rows. One has the owner and the term; it changes only with the owner, so
writes of the owner can have it as a fence. Another is a heartbeat counter that the owner
increments. Neither has a time, since the clocks of servers differ: a process that waits for a lease
measures with its own clock for how long the counter has not changed. The third has the owner, and
its session at the database if that is known: when that is gone, nobody has to wait.

    owner (16)      random, new with each process; zeros after the lease was released
    term (8)        incremented with each owner

    owner (16)      an owner of another build may have no such row
    session         as `Sessions` names it
"""

from typing import Final, Protocol

import msgspec

from hashrange.storage.engine import Changes, Engine, Fences, StaleFenceError
from hashrange.tables.keys import system_keys

OWNER_BYTES: Final = 16
NOBODY: Final = bytes(OWNER_BYTES)
_NUMBER_BYTES: Final = 8


class NotLeadingError(Exception):
    """Another process owns the lease now; nothing was written."""


class Sessions(Protocol):
    """The sessions of processes at the database."""

    async def own(self) -> bytes:
        """The session of this process; empty if it is not known."""

    async def is_gone(self, session: bytes) -> bool:
        """Whether a session has ended; False if that is not known."""


class Lease(msgspec.Struct, frozen=True):
    """A lease as it was read.

    Attributes:
        work: the work.
        owner: the owner.
        term: the term.
        beat: the heartbeat counter.
        session: that of the owner; empty if it is not known.
    """

    work: str
    owner: bytes
    term: int
    beat: int
    session: bytes = b""

    @property
    def fences(self) -> Fences:
        """The fences of the owner's writes, which fail once another process owns the lease."""
        return {system_keys.lease_key(self.work): self._row()}

    def _row(self) -> bytes:
        return self.owner + _stored(self.term)

    def taken(self, owner: bytes, session: bytes = b"") -> "Lease":
        """The lease with a new owner, in the next term."""
        return Lease(self.work, owner, self.term + 1, self.beat + 1, session)


async def read_lease(engine: Engine, work: str) -> Lease:
    """Read a lease; its term is 0 if it never had an owner."""
    return _lease(work, await engine.read(_keys(work)))


async def take_lease(
    engine: Engine, current: Lease, owner: bytes, session: bytes = b""
) -> Lease | None:
    """Take a lease over; None if it has changed since it was read."""
    lease_key, beat_key, session_key = keys = _keys(current.work)
    lease = current.taken(owner, session)
    puts = {
        lease_key: lease._row(),  # noqa: SLF001 - its own module
        beat_key: _stored(lease.beat),
        session_key: owner + session,
    }

    def decide(stored: list[bytes | None]) -> Changes[Lease | None]:
        if _lease(current.work, stored) != current:
            return Changes(answer=None)
        return Changes(answer=lease, puts=puts)

    return await engine.write(keys, decide)


async def renew_lease(engine: Engine, lease: Lease, session: bytes = b"") -> None:
    """Increment the heartbeat counter, and name the session. Raises NotLeadingError."""
    _, beat_key, session_key = _keys(lease.work)
    row = lease.owner + session

    def decide(stored: list[bytes | None]) -> Changes[None]:
        beat, named = stored
        puts = {beat_key: _stored(_number(beat) + 1)}
        return Changes(answer=None, puts=puts if named == row else {**puts, session_key: row})

    try:
        await engine.write([beat_key, session_key], decide, fences=lease.fences)
    except StaleFenceError as error:
        raise NotLeadingError from error


async def give_up_lease(engine: Engine, lease: Lease) -> None:
    """Release a lease, so that another process can take it at once; nothing if one already has."""
    key = system_keys.lease_key(lease.work)
    puts = {key: NOBODY + _stored(lease.term)}

    def decide(stored: list[bytes | None]) -> Changes[None]:
        is_ours = stored[0] == lease._row()  # noqa: SLF001 - its own module
        return Changes(answer=None, puts=puts if is_ours else {})

    await engine.write([key], decide)


def _keys(work: str) -> list[bytes]:
    key, beat = system_keys.lease_key(work), system_keys.beat_key(work)
    return [key, beat, system_keys.lease_session_key(work)]


def _lease(work: str, stored: list[bytes | None]) -> Lease:
    row, beat, named = stored
    if row is None:
        return Lease(work, NOBODY, 0, _number(beat))
    owner = row[:OWNER_BYTES]
    session = named[OWNER_BYTES:] if named is not None and named[:OWNER_BYTES] == owner else b""
    return Lease(work, owner, _number(row[OWNER_BYTES:]), _number(beat), session)


def _number(stored: bytes | None) -> int:
    return 0 if stored is None else int.from_bytes(stored, "big")


def _stored(number: int) -> bytes:
    return number.to_bytes(_NUMBER_BYTES, "big")
