"""Items whose checksums are compared whenever they are read: `--verify-reads`."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair, StorageError
from hashrange.tables.items import images
from hashrange.tables.writing.replica_lag import is_of_item

T = TypeVar("T")


class CheckedEngine:
    """An engine whose items and index entries are as they were stored, or cannot be read.

    Writes that depend on a damaged item fail, too: a computed item would have a new checksum.

    Args:
        engine: holds the rows.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def key_bytes_max(self) -> int:
        """The limit of the engine."""
        return self._engine.key_bytes_max

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """As `Engine.read`."""
        values = await self._engine.read(keys, fences=fences)
        _check(zip(keys, values, strict=True))
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
        _check(pairs)
        return pairs

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """As `Engine.write`."""
        return await self._engine.write(keys, partial(_decided, keys, decide), fences=fences)


def _decided(
    keys: Sequence[bytes],
    decide: Callable[[list[bytes | None]], Changes[T]],
    values: list[bytes | None],
) -> Changes[T]:
    _check(zip(keys, values, strict=True))
    return decide(values)


def _check(pairs: Iterable[tuple[bytes, bytes | None]]) -> None:
    """Raise StorageError if a value of an item or an entry was altered."""
    for key, value in pairs:
        if value is not None and is_of_item(key):
            try:
                images.check(value)
            except AssertionError as error:
                table = int.from_bytes(key[:4])
                raise StorageError(
                    f"an item of the table with number {table} is damaged, at {key.hex()}: {error}"
                ) from error
