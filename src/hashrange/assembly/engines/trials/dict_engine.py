"""The reference engine, a dict in memory, with which other engines are compared.

It is neither durable nor fast: a scan sorts all keys. Its methods never suspend, so calls are
executed in the order in which they are made.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    STAMP_BYTES,
    Changes,
    Fences,
    Pair,
    StaleFenceError,
    check_lengths,
)

T = TypeVar("T")

INT64_BYTES = 8


class DictEngine:
    """An engine simple enough to be seen to be correct.

    Args:
        pairs: the content.
        numbers: the last record number of each log.
        now_ms: the clock for stamps; by default all stamps are 0.
    """

    key_bytes_max = KEY_BYTES_MAX

    def __init__(
        self,
        pairs: dict[bytes, bytes] | None = None,
        numbers: dict[bytes, int] | None = None,
        *,
        now_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        self.pairs = pairs or {}
        self._now_ms = now_ms
        self._stamp_ms = 0
        # Apart from the pairs: a log number stays used when its record is deleted.
        self.numbers = numbers or {}

    def copy(self) -> "DictEngine":
        """An independent engine with the same content."""
        return DictEngine(dict(self.pairs), dict(self.numbers), now_ms=self._now_ms)

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """Look up the keys in the dict."""
        self._check(fences)
        return [self.pairs.get(key) for key in keys]

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
        """Sort the keys of the range and take one page of them."""
        self._check(fences)
        page: list[Pair] = []
        page_bytes = 0
        for key in sorted((key for key in self.pairs if start <= key < end), reverse=reverse):
            page.append((key, self.pairs[key]))
            page_bytes += len(self.pairs[key])
            if len(page) == limit or page_bytes >= bytes_max:
                break
        return page

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """Decide once and apply the changes to the dict."""
        check_lengths(keys, self.key_bytes_max)
        self._check(fences)
        changes = decide([self.pairs.get(key) for key in keys])
        check_lengths(changes.puts, self.key_bytes_max)
        self.pairs.update(changes.puts)
        for key in changes.deletes:
            self.pairs.pop(key, None)
        for key, amount in changes.adds.items():
            total = int.from_bytes(self.pairs.get(key, b""), signed=True) + amount
            self.pairs[key] = total.to_bytes(INT64_BYTES, signed=True)
        self._stamp_ms = max(self._stamp_ms, self._now_ms())
        stamp = self._stamp_ms.to_bytes(STAMP_BYTES)
        for log, record in changes.appends:
            number = self.numbers[log] = self.numbers.get(log, 0) + 1
            self.pairs[log + number.to_bytes(INT64_BYTES)] = stamp + record
        return changes.answer

    def _check(self, fences: Fences) -> None:
        if any(self.pairs.get(key) != value for key, value in fences.items()):
            raise StaleFenceError
