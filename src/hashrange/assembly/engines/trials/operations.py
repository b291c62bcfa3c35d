"""Operations of an engine as data, so that the outcomes of several engines can be compared."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from hashrange.assembly.engines.trials.subject import RefusedError, Values
from hashrange.storage.engine import Changes, Engine, Fences, StaleFenceError


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
