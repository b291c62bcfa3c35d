"""Items whose checksums are compared when they are read: `--verify-reads`."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    DamagedError,
    Engine,
    Fences,
    OnDamage,
    Pair,
    ignore_damage,
)
from hashrange.tables.items import images
from hashrange.tables.writing.replica_lag import is_of_item

T = TypeVar("T")


class CheckedEngine:
    """An engine whose items and index entries are as they were stored, or cannot be read.

    Writes that depend on a damaged item fail, too: a computed item would have a new checksum.

    Args:
        engine: holds the rows.
        report: takes the reports of damaged values.
    """

    def __init__(self, engine: Engine, report: OnDamage = ignore_damage) -> None:
        self._engine = engine
        self._check = partial(_check, report)

    @property
    def key_bytes_max(self) -> int:
        """The limit of the engine."""
        return self._engine.key_bytes_max

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """As `Engine.read`."""
        values = await self._engine.read(keys, fences=fences)
        self._check(zip(keys, values, strict=True))
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
        """As `Engine.scan`."""
        pairs = await self._engine.scan(
            start, end, limit=limit, bytes_max=bytes_max, reverse=reverse, fences=fences
        )
        self._check(pairs)
        return pairs

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """As `Engine.write`."""
        checked = partial(_decided, self._check, keys, decide)
        return await self._engine.write(keys, checked, fences=fences)


def _decided(
    check: Callable[[Iterable[tuple[bytes, bytes | None]]], None],
    keys: Sequence[bytes],
    decide: Callable[[list[bytes | None]], Changes[T]],
    values: list[bytes | None],
) -> Changes[T]:
    check(zip(keys, values, strict=True))
    return decide(values)


def _check(report: OnDamage, pairs: Iterable[tuple[bytes, bytes | None]]) -> None:
    """Raise DamagedError if a value of an item or an entry was altered."""
    for key, value in pairs:
        ensure_sound(report, key, value)


def ensure_sound(report: OnDamage, key: bytes, value: bytes | None) -> None:
    """Report a value of an item or an entry that was altered, and raise DamagedError."""
    fault = fault_of(key, value)
    if fault is not None:
        report(key, fault)
        table = int.from_bytes(key[:4])
        raise DamagedError(
            f"an item of the table with number {table} is damaged, at {key.hex()}: {fault}"
        )


def fault_of(key: bytes, value: bytes | None) -> str | None:
    """Whether a value of an item or an entry was altered; None for others, which are not known."""
    if value is not None and is_of_item(key):
        try:
            images.check(key, value)
        except (AssertionError, TypeError) as error:
            return f"its value was altered: {error}"
    return None
