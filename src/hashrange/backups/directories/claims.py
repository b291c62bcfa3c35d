"""Claims of places of backups, for servers and commands that share a database.

A row of the database has the generation of the newest backup at a place; it only grows.

Several processes can make backups of one database. A bucket has no lock, and a request to it may
take effect long after it was sent. So each backup claims a number, its generation, which is greater
than all before it, and everything that it stores has that number in its key. Before a step that
others rely on, it checks that no later backup has begun.
"""

from collections.abc import Callable
from typing import Final, Protocol

from hashrange.backups.directories.manifests import BackupError
from hashrange.storage.engine import Changes, Engine, Fences, StaleFenceError
from hashrange.tables.catalog.leases import NotLeadingError
from hashrange.tables.keys.system_keys import backup_claim_key

_NUMBER_BYTES: Final = 8


class BackupClaim:
    """A `backups.directories.claims.Claim` of a process that shares the database with others.

    Args:
        engine: of the database.
        key: the key of the row.
        generation: what the claim has stored there.
    """

    def __init__(self, engine: Engine, key: bytes, generation: int) -> None:
        self.generation = generation
        self._engine = engine
        self._key = key

    async def check(self) -> None:
        """As `Claim.check`."""
        if await self._engine.read([self._key]) != [_stored(self.generation)]:
            raise BackupError("a later backup has begun at the target; this one ends")


async def claimed(
    engine: Engine, place: str, seen: int, fences: Callable[[], Fences]
) -> BackupClaim:
    """Claim a place for a backup that begins now.

    Args:
        engine: of the database.
        place: the place of the backups, written in one way only.
        seen: a generation that was seen there: a restored database knows older ones only.
        fences: of the servers that make backups at intervals.

    Raises:
        BackupError: another server makes them now.
        StorageError: the claim may have been stored, and is not used.
    """
    key = backup_claim_key(place)

    def decide(stored: list[bytes | None]) -> Changes[int]:
        (value,) = stored
        before = 0 if value is None else int.from_bytes(value, "big")
        generation = max(before, seen) + 1
        return Changes(answer=generation, puts={key: _stored(generation)})

    try:
        generation = await engine.write([key], decide, fences=fences())
    except (NotLeadingError, StaleFenceError) as error:
        raise BackupError("another server makes the backups now") from error
    return BackupClaim(engine, key, generation)


def _stored(generation: int) -> bytes:
    return generation.to_bytes(_NUMBER_BYTES, "big")


class Claim(Protocol):
    """The right to store one backup at a target, until another one claims it."""

    @property
    def generation(self) -> int:
        """Greater than those of all backups of the target that were begun before."""

    async def check(self) -> None:
        """Raises BackupError: a later backup has begun; StorageError: that is not known."""


class SoleClaim:
    """The claim of a process that has the data for itself: nobody else makes backups of them."""

    def __init__(self, generation: int) -> None:
        self.generation = generation

    async def check(self) -> None:
        """There is no other one."""


async def sole(seen: int) -> Claim:
    """The claim of such a process; `seen` is the greatest generation at the target."""
    return SoleClaim(seen + 1)
