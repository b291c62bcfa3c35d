"""Operations of an engine as data: the same on any engine, so that outcomes can be compared."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from hashrange.engine_trials.subject import RefusedError, Seen
from hashrange.storage.engine import Changes, Engine, Fences, StaleFenceError


@dataclass(frozen=True, kw_only=True)
class Read:
    """A call of `Engine.read`."""

    keys: tuple[bytes, ...]
    fences: Fences = field(default_factory=dict)

    async def on(self, engine: Engine) -> object:
        """The answer of an engine."""
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
        """The answer of an engine."""
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
    """What is stored depends on all that was seen, so that a stale look shows for ever after.

    Args:
        keys: what the decision sees.
        name: makes the values of one write differ from those of another.
        puts: keys to give a value made of `name` and of what was seen.
        defines: keys and values to put as they are, which a fence can name.
        deletes: keys to delete.
        adds: counters to add to; always more than 0, so that none is ever 0, which an engine may
            show as absent.
        appends: logs to append to.
        refuses_odd: the decision raises at every other state that it may see.
        fences: as the engine takes them.
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

    def decide(self, values: Seen) -> Changes[Seen]:
        """What is changed; raises RefusedError if it is to."""
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
        """The answer of an engine."""
        return await engine.write(self.keys, self.decide, fences=self.fences)


Operation: TypeAlias = Read | Scan | Write


async def outcome(operation: Operation, engine: Engine) -> object:
    """The answer, or what was raised, as a value."""
    try:
        return await operation.on(engine)
    except RefusedError as error:
        return ("refused", *error.args)
    except StaleFenceError:
        return "stale"


def outcome_at_once(operation: Operation, engine: Engine) -> object:
    """The outcome on an engine that never suspends, such as the obvious one."""
    coroutine = outcome(operation, engine)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the engine waits for something")
