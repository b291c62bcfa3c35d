"""A wrapper that asserts the contract of an engine on every call.

`ContractEngine` checks that both the caller and the engine keep the contract of
`hashrange.storage.engine`. Tests of the layers above use it as well.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Generic, TypeAlias, TypeVar

from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    Engine,
    Fences,
    Pair,
    StaleFenceError,
    StorageError,
)

T = TypeVar("T")
Decide: TypeAlias = Callable[[list[bytes | None]], Changes[T]]

INT64_BYTES: Final = 8
INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1


class ContractEngine:
    """An engine that asserts the contract on the arguments and results of each call.

    Args:
        inner: the engine to check.
        alone: no other engine writes to the same data, so a write without concurrent writes can be
            read back.
    """

    def __init__(self, inner: Engine, *, alone: bool = True) -> None:
        self.inner = inner
        self.key_bytes_max = inner.key_bytes_max
        self._reads_back = alone
        self._counters: set[bytes] = set()
        self._writes_begun = 0
        self._writes_in_flight = 0

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """Read, and assert that there is one value or None for each key."""
        _assert_keys([*keys, *fences])
        values = await self.inner.read(keys, fences=fences)
        self._assert_values(keys, values)
        present = [key for key, value in zip(keys, values, strict=True) if value is not None]
        self._assert_lengths(present)
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
        """Scan, and assert that the page is in order, within the range, and ends where it must."""
        _assert_keys(fences)
        assert limit >= 1, "a page has room for a pair"
        assert bytes_max >= 1, "a page has room for a pair"
        page = await self.inner.scan(
            start, end, limit=limit, bytes_max=bytes_max, reverse=reverse, fences=fences
        )
        assert type(page) is list
        assert len(page) <= limit, "more pairs than the limit"
        assert all(start <= key < end for key, _ in page), "outside of the range"
        assert all((a > b) == reverse and a != b for (a, _), (b, _) in pairwise(page)), "order"
        assert sum(len(value) for _, value in page[:-1]) < bytes_max, "went on over bytes_max"
        self._assert_values([key for key, _ in page], [value for _, value in page])
        return page

    async def write(
        self, keys: Sequence[bytes], decide: Decide[T], *, fences: Fences = NO_FENCES
    ) -> T:
        """Write, and assert that `decide` and its changes are valid and that they were applied."""
        _assert_keys([*keys, *fences])
        assert self._counters.isdisjoint(keys), "a counter is never compared"
        assert self._counters.isdisjoint(fences), "a counter is never compared"
        decision = _Decision(decide, lambda changes: self._assert_changes(keys, changes))

        def decide_checked(values: list[bytes | None]) -> Changes[T]:
            self._assert_values(keys, values)
            return decision.take(values)

        self._writes_begun += 1
        self._writes_in_flight += 1
        met_none, begun = self._writes_in_flight == 1, self._writes_begun
        try:
            answer = await self.inner.write(keys, decide_checked, fences=fences)
            self._assert_lengths(keys)
            assert decision.changes is not None, "answered without a decision to change"
            self._assert_lengths(decision.changes.puts)
            assert answer is decision.changes.answer, "not the answer of the last decision"
            if self._reads_back and met_none and begun == self._writes_begun:
                await self._read_back(decision.changes, begun)
        except asyncio.CancelledError:
            self._reads_back = False  # it may still take effect, at any later time
            raise
        except (AssertionError, StaleFenceError, StorageError):
            raise
        except Exception as error:
            assert error is decision.error, "not what decide raised"  # noqa: PT017 - raised again below
            raise
        else:
            return answer
        finally:
            self._writes_in_flight -= 1

    async def _read_back(self, changes: Changes[T], begun: int) -> None:
        """Assert that the changes of a write can be read, unless another write has begun since."""
        expected: dict[bytes, bytes | None] = dict.fromkeys(changes.deletes)
        expected.update(changes.puts)
        stored = await self.inner.read(list(expected))
        if begun == self._writes_begun:
            assert stored == list(expected.values()), "a write that returned is not seen"

    def _assert_lengths(self, keys: Iterable[bytes]) -> None:
        """Assert that keys which the engine has stored or returned are within its bound."""
        longest = max(map(len, keys), default=0)
        assert longest <= self.key_bytes_max, "a key over the bound"

    def _assert_values(self, keys: Sequence[bytes], values: list[bytes | None]) -> None:
        assert len(values) == len(keys), "one value for each key"
        assert all(value is None or type(value) is bytes for value in values), "bytes or absent"
        for key, value in zip(keys, values, strict=True):
            if key in self._counters and value is not None:
                assert len(value) == INT64_BYTES, "a counter has 8 bytes"

    def _assert_changes(self, keys: Sequence[bytes], changes: Changes[T]) -> None:
        puts, deletes, adds = set(changes.puts), set(changes.deletes), set(changes.adds)
        _assert_keys([*puts, *deletes, *adds])
        records = [log + bytes(INT64_BYTES) for log, _ in changes.appends]
        self._assert_lengths([*adds, *records])  # for the caller to keep
        assert all(log for log, _ in changes.appends), "a log has a name"
        assert all(type(value) is bytes for value in changes.puts.values())
        assert all(type(record) is bytes for _, record in changes.appends)
        assert all(INT64_MIN <= amount <= INT64_MAX for amount in changes.adds.values())
        assert not puts & deletes, "put and deleted at once"
        assert not adds & (puts | deletes), "a counter is added to, or deleted"
        assert keys or not (puts or deletes), "blind changes need an owner among the keys"
        self._counters |= adds
        assert not puts & self._counters, "a counter is never put"


def _assert_keys(keys: Sequence[bytes] | Mapping[bytes, bytes]) -> None:
    assert all(type(key) is bytes for key in keys)
    assert all(keys), "a key has a byte at least"


class _Decision(Generic[T]):
    """Runs `decide` twice, asserts equal results, and keeps the result of the last run."""

    def __init__(self, decide: Decide[T], check: Callable[[Changes[T]], None]) -> None:
        self._decide = decide
        self._check = check
        self.changes: Changes[T] | None = None
        self.error: Exception | None = None

    def take(self, values: list[bytes | None]) -> Changes[T]:
        """The changes that `decide` returns for the values; raises the error that it raises."""
        first, again = self._run(values), self._run(values)
        assert _effect(first) == _effect(again), "decide is not pure"
        self.changes, self.error = None, None
        if isinstance(again, Exception):
            self.error = again
            raise again
        self._check(again)
        self.changes = again
        return again

    def _run(self, values: list[bytes | None]) -> Changes[T] | Exception:
        try:
            return self._decide(list(values))
        except Exception as error:  # noqa: BLE001 - handed on by `take`
            return error


def _effect(decision: Changes[T] | Exception) -> object:
    """The part of a decision that must be equal in two runs; answers may not be comparable."""
    if isinstance(decision, Exception):
        return type(decision)
    return (
        dict(decision.puts),
        list(decision.deletes),
        dict(decision.adds),
        list(decision.appends),
    )
