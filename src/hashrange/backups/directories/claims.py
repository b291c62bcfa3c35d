"""Claims: which backup of a target is the newest, so that an older one changes nothing any more.

Several processes can make backups of one database. A bucket has no lock, and a request to it may
take effect long after it was sent. So each backup claims a number, its generation, which is greater
than all before it, and everything that it stores has that number in its key. Before a step that
others rely on, it checks that no later backup has begun.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias


class Claim(Protocol):
    """The right to store one backup at a target, until another one claims it."""

    @property
    def generation(self) -> int:
        """Greater than those of all backups of the target that were begun before."""

    async def check(self) -> None:
        """Raises BackupError: a later backup has begun; StorageError: that is not known."""


Take: TypeAlias = Callable[[int], Awaitable[Claim]]
"""Claims a generation greater than one that was seen at the target."""


class SoleClaim:
    """The claim of a process that has the data for itself: nobody else makes backups of them."""

    def __init__(self, generation: int) -> None:
        self.generation = generation

    async def check(self) -> None:
        """There is no other one."""


async def sole(seen: int) -> Claim:
    """A `Take` of such a process."""
    return SoleClaim(seen + 1)
