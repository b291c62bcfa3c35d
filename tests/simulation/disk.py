"""The storage of a simulated world: one disk, which each server reaches with faults of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    Fences,
    Pair,
    StorageError,
    StorageUnavailableError,
)
from tests.engines.passing import PassingEngine
from tests.simulation.loop import passes
from tests.simulation.trace import Trace

T = TypeVar("T")

_SLOW_SECONDS = 3.0
_QUICK_SECONDS = 0.004


@dataclass
class Troubles:
    """Probabilities of what goes wrong in a call of the engine; all 0 when the world is healed."""

    refused: float = 0.0
    """Nothing was tried."""
    failed: float = 0.0
    """Nothing happened, and nobody knows that."""
    unknown: float = 0.0
    """A write took effect, and its outcome is an error."""
    slow: float = 0.0
    """The call takes seconds."""


class FaultyEngine(PassingEngine):
    """The disk as one server sees it.

    Args:
        disk: what all servers share; a call takes effect there at one moment.
        random: draws delays and failures.
        troubles: how often calls fail.
        happened: called with the kind of each failure.
        trace: of the world.

    Attributes:
        is_cut_off: the process has ended: whatever of it still runs reaches the disk no more.
    """

    is_cut_off = False

    def __init__(
        self,
        disk: DictEngine,
        random: Random,
        troubles: Troubles,
        happened: Callable[[str], None],
        trace: Trace,
    ) -> None:
        super().__init__(disk)
        self._random, self._troubles, self._happened = random, troubles, happened
        self._trace = trace

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        await self._before()
        values = await self.inner.read(keys, fences=fences)
        self._trace.add("read", [*keys, *values])
        await self._pause()
        return values

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
        await self._before()
        page = await self.inner.scan(
            start, end, limit=limit, bytes_max=bytes_max, reverse=reverse, fences=fences
        )
        self._trace.add("scan", [start, end, *(part for pair in page for part in pair)])
        await self._pause()
        return page

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        await self._before()

        def decided(values: list[bytes | None]) -> Changes[T]:
            changes = decide(values)
            puts = [part for pair in changes.puts.items() for part in pair]
            appends = [part for pair in changes.appends for part in pair]
            self._trace.add("write", [*keys, *values, *puts, *appends, *changes.deletes])
            return changes

        answer = await self.inner.write(keys, decided, fences=fences)
        await self._pause()
        if self._draws("unknown", self._troubles.unknown):
            raise StorageError("the outcome of a write is unknown")
        return answer

    async def _before(self) -> None:
        await self._pause()
        if self.is_cut_off or self._draws("refused", self._troubles.refused):
            raise StorageUnavailableError("the storage is down")
        if self._draws("failed", self._troubles.failed):
            raise StorageError("the storage has failed")

    async def _pause(self) -> None:
        """Wait, half of the times: a call waits before it takes effect, after it, or not at all."""
        if self._random.random() >= 0.5:
            return
        slow = self._draws("slow", self._troubles.slow)
        longest = _SLOW_SECONDS if slow else _QUICK_SECONDS
        await passes(self._random.random() * longest)

    def _draws(self, kind: str, probability: float) -> bool:
        drawn = probability > 0 and self._random.random() < probability
        if drawn:
            self._happened(kind)
            self._trace.add(kind)
        return drawn
