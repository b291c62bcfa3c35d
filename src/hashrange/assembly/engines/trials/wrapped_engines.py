"""Engines in front of others: a range of keys, several in turn, and one without stamps.

Several engines in turn are the clients of several servers of one database. Without the stamps of
records, the states of two engines can be compared.
"""

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import TypeAlias, TypeVar

import msgspec

from hashrange.storage.engine import NO_FENCES, STAMP_BYTES, Changes, Engine, Fences, Pair

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


Stamps: TypeAlias = dict[bytes, dict[int, bytes]]

_NO_STAMP = bytes(STAMP_BYTES)
_NUMBER_BYTES = 8


class Unstamped:
    """An engine that returns records of `inner` with stamps of zeros.

    Asserts that every record has a stamp, and that the stamps of a log never decrease among the
    records that were read.

    Args:
        inner: the engine with real stamps.
        stamps: the stamps that were read, by log and number; logs are added when appended to.
    """

    def __init__(self, inner: Engine, stamps: Stamps) -> None:
        self._inner = inner
        self._stamps = stamps

    @property
    def key_bytes_max(self) -> int:
        """The bound of the inner engine."""
        return self._inner.key_bytes_max

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """Read, with stamps replaced in records and restored in fences."""
        values = await self._inner.read(keys, fences=self._stamped(fences))
        return self._blanked(keys, values)

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
        """Scan, with stamps replaced in records and restored in fences."""
        page = await self._inner.scan(
            start,
            end,
            limit=limit,
            bytes_max=bytes_max,
            reverse=reverse,
            fences=self._stamped(fences),
        )
        return [(key, self._blank(key, value)) for key, value in page]

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """Write; `decide` gets records with stamps of zeros."""

        def decide_unstamped(values: list[bytes | None]) -> Changes[T]:
            changes = decide(self._blanked(keys, values))
            for log, _ in changes.appends:
                self._stamps.setdefault(log, {})
            return changes

        return await self._inner.write(keys, decide_unstamped, fences=self._stamped(fences))

    def _stamped(self, fences: Fences) -> Fences:
        """Fences in which records have their real stamps, if these were read before."""
        return {key: self._with_stamp(key, value) for key, value in fences.items()}

    def _with_stamp(self, key: bytes, value: bytes) -> bytes:
        stamps = self._stamps.get(key[:-_NUMBER_BYTES], {})
        stamp = stamps.get(int.from_bytes(key[-_NUMBER_BYTES:]))
        return value if stamp is None else stamp + value[STAMP_BYTES:]

    def _blanked(self, keys: Sequence[bytes], values: Sequence[bytes | None]) -> list[bytes | None]:
        return [
            None if value is None else self._blank(key, value)
            for key, value in zip(keys, values, strict=True)
        ]

    def _blank(self, key: bytes, value: bytes) -> bytes:
        log = key[:-_NUMBER_BYTES]
        if log not in self._stamps:
            return value
        stamp = value[:STAMP_BYTES]
        assert len(stamp) == STAMP_BYTES, "a record has a stamp"
        self._check(log, int.from_bytes(key[-_NUMBER_BYTES:]), stamp)
        return _NO_STAMP + value[STAMP_BYTES:]

    def _check(self, log: bytes, number: int, stamp: bytes) -> None:
        stamps = self._stamps[log]
        assert stamps.setdefault(number, stamp) == stamp, "the stamp of a record changed"
        for other, seen in stamps.items():
            assert seen <= stamp if other < number else seen >= stamp, "a stamp decreased"


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
