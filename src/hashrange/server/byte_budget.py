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
        while self._bytes > self._bytes_max and held:
            oldest = next(iter(held))
            self._bytes -= held.pop(oldest)
            self._give_up(oldest)
        return holder in held

    def pin(self, holder: H) -> None:
        """Never give up a holder, until `forget`; its bytes are counted until then."""
        assert holder not in self._pinned, "it would be counted twice"
        self._pinned[holder] = self._held.pop(holder, 0)

    def forget(self, holder: H) -> None:
        """Count the bytes of a holder no longer; of one without bytes no effect."""
        self._bytes -= self._held.pop(holder, 0) + self._pinned.pop(holder, 0)
