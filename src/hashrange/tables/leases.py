"""Leases: which of several processes does some work that one of them is to do.

A lease is two rows. One says who has it, and in which term: it changes with its owner alone, so
that what the owner writes can carry it as a fence. The other one is a count that the owner moves
on, which is how it says that it lives. No time stands in either: the clocks of servers differ, and
who waits for a lease judges by its own how long the count has stood still.

    owner (16)      random, new with each process; zeros once the lease was given up
    term (8)        one more with each owner
"""

from typing import Final

import msgspec

from hashrange.storage.engine import Changes, Engine, Fences, StaleFenceError
from hashrange.tables import keyspace

OWNER_BYTES: Final = 16
NOBODY: Final = bytes(OWNER_BYTES)
_NUMBER_BYTES: Final = 8


class NotLeadingError(Exception):
    """Another process has the lease now; nothing was written."""


class Lease(msgspec.Struct, frozen=True):
    """A lease as it was read: who has some work, in which term, and its count."""

    work: str
    owner: bytes
    term: int
    beat: int

    @property
    def fences(self) -> Fences:
        """What its owner's writes carry: they fail once another one has it."""
        return {keyspace.lease_key(self.work): self._row()}

    def _row(self) -> bytes:
        return self.owner + _stored(self.term)

    def taken(self, owner: bytes) -> "Lease":
        """The same one in the next term."""
        return Lease(self.work, owner, self.term + 1, self.beat + 1)


async def read_lease(engine: Engine, work: str) -> Lease:
    """The lease as it is now; in term 0 if nobody ever had it."""
    return _lease(work, await engine.read(_keys(work)))


async def take_lease(engine: Engine, found: Lease, owner: bytes) -> Lease | None:
    """Take a lease over, unless it has changed since it was found; then None."""
    lease_key, beat_key = keys = _keys(found.work)
    lease = found.taken(owner)
    puts = {lease_key: lease._row(), beat_key: _stored(lease.beat)}  # noqa: SLF001 - its own module

    def decide(stored: list[bytes | None]) -> Changes[Lease | None]:
        if _lease(found.work, stored) != found:
            return Changes(answer=None)
        return Changes(answer=lease, puts=puts)

    return await engine.write(keys, decide)


async def renew_lease(engine: Engine, lease: Lease) -> None:
    """Say that its owner lives. Raises NotLeadingError."""
    beat_key = keyspace.beat_key(lease.work)

    def decide(stored: list[bytes | None]) -> Changes[None]:
        return Changes(answer=None, puts={beat_key: _stored(_number(stored[0]) + 1)})

    try:
        await engine.write([beat_key], decide, fences=lease.fences)
    except StaleFenceError as error:
        raise NotLeadingError from error


async def give_up_lease(engine: Engine, lease: Lease) -> None:
    """Let the next one take it at once; nothing happens if somebody has."""
    key = keyspace.lease_key(lease.work)
    puts = {key: NOBODY + _stored(lease.term)}

    def decide(stored: list[bytes | None]) -> Changes[None]:
        is_ours = stored[0] == lease._row()  # noqa: SLF001 - its own module
        return Changes(answer=None, puts=puts if is_ours else {})

    await engine.write([key], decide)


def _keys(work: str) -> list[bytes]:
    return [keyspace.lease_key(work), keyspace.beat_key(work)]


def _lease(work: str, stored: list[bytes | None]) -> Lease:
    row, beat = stored
    if row is None:
        return Lease(work, NOBODY, 0, _number(beat))
    return Lease(work, row[:OWNER_BYTES], _number(row[OWNER_BYTES:]), _number(beat))


def _number(stored: bytes | None) -> int:
    return 0 if stored is None else int.from_bytes(stored, "big")


def _stored(number: int) -> bytes:
    return number.to_bytes(_NUMBER_BYTES, "big")
