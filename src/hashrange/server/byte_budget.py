"""Bounds the memory that all connections of an endpoint take together."""

from collections.abc import Callable
from typing import Generic, TypeVar

H = TypeVar("H")


class ByteBudget(Generic[H]):
    """Bytes that connections hold; beyond a maximum the oldest holders are given up.

    So a client that is slow, or means harm, makes room for others, and nobody waits.

    Args:
        bytes_max: of all holders.
        give_up: ends what a holder does with its bytes, which are no longer counted.
    """

    def __init__(self, bytes_max: int, give_up: Callable[[H], object]) -> None:
        self._bytes_max = bytes_max
        self._give_up = give_up
        self._held: dict[H, int] = {}
        self._pinned: dict[H, int] = {}
        self._bytes = 0

    def count(self, holder: H, size: int) -> bool:
        """Count so many bytes of a holder in all; False if it was given up itself."""
        held = self._held
        self._bytes += size - held.get(holder, 0)
        held[holder] = size
        self._make_room(0)
        return holder in held

    def _make_room(self, size: int) -> None:
        held = self._held
        while self._bytes + size > self._bytes_max and held:
            oldest = next(iter(held))
            self._bytes -= held.pop(oldest)
            self._give_up(oldest)

    def pin(self, holder: H) -> None:
        """Never give up a holder, until `forget`; its bytes are counted until then."""
        if holder in self._held:
            self._pinned[holder] = self._held.pop(holder)

    def reserve(self, holder: H, size: int) -> bool:
        """Pin a holder with so many bytes in all; False if there is no room for them.

        Then what it had before is counted on.
        """
        before = self._held.pop(holder, 0) + self._pinned.get(holder, 0)
        self._pinned[holder] = before
        self._make_room(size - before)
        has_room = self._bytes + size - before <= self._bytes_max
        if has_room:
            self._pinned[holder] = size
            self._bytes += size - before
        return has_room

    def forget(self, holder: H) -> None:
        """Count the bytes of a holder no longer; of one without bytes no effect."""
        self._bytes -= self._held.pop(holder, 0) + self._pinned.pop(holder, 0)
