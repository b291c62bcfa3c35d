"""Hides the stamps of records, so that two engines can be compared, and checks them."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from hashrange.storage.engine import NO_FENCES, STAMP_BYTES, Changes, Engine, Fences, Pair

T = TypeVar("T")
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
