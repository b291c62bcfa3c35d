"""A range of an engine's keys as an engine of its own."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair

T = TypeVar("T")


class Subspace:
    """The keys of `inner` that begin with `prefix`, which is added and removed.

    So each trial finds an empty engine, although all share one database.
    """

    def __init__(self, inner: Engine, prefix: bytes) -> None:
        self._inner = inner
        self._prefix = prefix

    @property
    def key_bytes_max(self) -> int:
        """The bound of the inner engine without the prefix."""
        return self._inner.key_bytes_max - len(self._prefix)

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """Read keys with the prefix."""
        return await self._inner.read(self._within(keys), fences=self._fences(fences))

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
        """Scan a range with the prefix; keys are returned without it."""
        page = await self._inner.scan(
            self._prefix + start,
            self._prefix + end,
            limit=limit,
            bytes_max=bytes_max,
            reverse=reverse,
            fences=self._fences(fences),
        )
        return [(key.removeprefix(self._prefix), value) for key, value in page]

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """Write with the prefix on the keys, the fences and all changes."""

        def decide_within(values: list[bytes | None]) -> Changes[T]:
            changes = decide(values)
            return msgspec.structs.replace(
                changes,
                puts=self._fences(changes.puts),
                deletes=self._within(changes.deletes),
                adds={self._prefix + key: amount for key, amount in changes.adds.items()},
                appends=[(self._prefix + log, record) for log, record in changes.appends],
            )

        fences = self._fences(fences)
        return await self._inner.write(self._within(keys), decide_within, fences=fences)

    def _within(self, keys: Sequence[bytes]) -> list[bytes]:
        return [self._prefix + key for key in keys]

    def _fences(self, pairs: Fences) -> Fences:
        return {self._prefix + key: value for key, value in pairs.items()}
