"""Several engines on the same data, used in turn, as by the clients of several servers."""

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import TypeVar

from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair

T = TypeVar("T")


class RoundRobin:
    """An engine that passes each call to the next of several engines."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self.key_bytes_max = engines[0].key_bytes_max
        self._next = cycle(engines)

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """Read from the next engine."""
        return await next(self._next).read(keys, fences=fences)

    async def scan(
        self,
        start: bytes,
        end: bytes,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool = False,
        fences: Fences = NO_FENCES,
    ) -> list[Pair]:
        """Scan the next engine."""
        return await next(self._next).scan(
            start, end, limit=limit, bytes_max=bytes_max, reverse=reverse, fences=fences
        )

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """Write to the next engine."""
        return await next(self._next).write(keys, decide, fences=fences)
