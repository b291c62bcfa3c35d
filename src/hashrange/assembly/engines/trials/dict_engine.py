"""The reference engine, a dict in memory, and the operations that compare others with it.

It is neither durable nor fast: a scan sorts all keys. Its methods never suspend, so calls are
executed in the order in which they are made.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from hashrange.assembly.engines.trials.subject import RefusedError, Values
from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    STAMP_BYTES,
    Changes,
    Engine,
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


@dataclass(frozen=True, kw_only=True)
class Read:
    """A call of `Engine.read`."""

    keys: tuple[bytes, ...]
    fences: Fences = field(default_factory=dict)

    async def on(self, engine: Engine) -> object:
        """Call the engine; returns the values."""
        return await engine.read(self.keys, fences=self.fences)


@dataclass(frozen=True, kw_only=True)
class Scan:
    """A call of `Engine.scan`."""

    start: bytes
    end: bytes
    limit: int
    bytes_max: int
    reverse: bool = False
    fences: Fences = field(default_factory=dict)

    async def on(self, engine: Engine) -> object:
        """Call the engine; returns the page."""
        return await engine.scan(
            self.start,
            self.end,
            limit=self.limit,
            bytes_max=self.bytes_max,
            reverse=self.reverse,
            fences=self.fences,
        )


@dataclass(frozen=True, kw_only=True)
class Write:
    """A call of `Engine.write`, whose values depend on all that it reads.

    So a decision on outdated values stays visible in the stored values.

    Args:
        keys: the keys that the decision reads.
        name: distinguishes the values of one write from those of another.
        puts: keys to put, with values derived from `name` and the values that were read.
        defines: pairs to put unchanged, so that fences can name them.
        deletes: keys to delete.
        adds: counters to add positive amounts to, so that no counter is 0, which an engine may
            store as absent.
        appends: logs to append to.
        refuses_odd: the decision raises RefusedError in about half of the possible states.
        fences: the fences of the write.
    """

    keys: tuple[bytes, ...]
    name: bytes
    puts: tuple[bytes, ...] = ()
    defines: Mapping[bytes, bytes] = field(default_factory=dict)
    deletes: tuple[bytes, ...] = ()
    adds: tuple[bytes, ...] = ()
    appends: tuple[bytes, ...] = ()
    refuses_odd: bool = False
    fences: Fences = field(default_factory=dict)

    def decide(self, values: Values) -> Changes[Values]:
        """The changes for the values. Raises RefusedError, depending on `refuses_odd`."""
        digest = hashlib.blake2b(repr((self.name, values)).encode(), digest_size=6).digest()
        if self.refuses_odd and digest[0] % 2:
            raise RefusedError(values)
        made = {key: digest[: 1 + index % 6] for index, key in enumerate(self.puts)}
        return Changes(
            answer=values,
            puts=made | dict(self.defines),
            deletes=self.deletes,
            adds={key: 1 + digest[0] * 2**index for index, key in enumerate(self.adds)},
            appends=[(log, digest) for log in self.appends],
        )

    async def on(self, engine: Engine) -> object:
        """Call the engine; returns the values that the decision read."""
        return await engine.write(self.keys, self.decide, fences=self.fences)


Operation: TypeAlias = Read | Scan | Write


async def outcome(operation: Operation, engine: Engine) -> object:
    """The result of an operation, or its error as a value."""
    try:
        return await operation.on(engine)
    except RefusedError as error:
        return ("refused", *error.args)
    except StaleFenceError:
        return "stale"


def outcome_at_once(operation: Operation, engine: Engine) -> object:
    """The outcome on an engine that never suspends, such as the reference engine."""
    coroutine = outcome(operation, engine)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the engine suspended")
