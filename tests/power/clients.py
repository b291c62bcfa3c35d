"""Random clients of an engine, and the model that says what they must see."""

from collections.abc import Coroutine
from dataclasses import dataclass
from random import Random
from typing import Any

from hashrange.storage.engine import Changes, Pair, StaleFenceError, StorageError
from hashrange.storage.sqlite.engine import SqliteEngine
from tests.pace import turns
from tests.power.model import Model, State

KEYS = [b"item-%02d" % index for index in range(24)]
COUNTERS = [b"count-a", b"count-b", b"count-c"]
LOGS = [b"log-a-", b"log-b-"]
FENCE = b"version"
EVERYTHING = (b"\0", b"\xff" * 8)


class RefusedError(Exception):
    """What a decision raises that has seen the first `seen` writes."""

    def __init__(self, seen: int) -> None:
        super().__init__(seen)
        self.seen = seen


@dataclass(slots=True, kw_only=True)
class Life:
    """One life of an engine, from opening to the cut."""

    engine: SqliteEngine
    model: Model
    rng: Random
    tells: bool
    """Whether an answer promises that what it rests on survives a cut."""
    recoveries: int = 0
    """Of the engine, when the model was last settled."""

    async def client(self, steps: int) -> None:
        """Do random things, one after the other, until the storage fails."""
        for _ in range(steps):
            choice = self.rng.random()
            try:
                if choice < 0.75:
                    await self._write()
                elif choice < 0.9:
                    await self._read()
                else:
                    await turns()
            except StorageError:
                if self.engine.stats().down:
                    return

    async def reader(self, steps: int) -> None:
        """Look in each turn of the loop, whatever the writers wait for, until the storage fails."""
        for _ in range(steps):
            try:
                await self._read()
            except StorageError:
                return
            await turns()

    async def _write(self) -> None:
        rng, model = self.rng, self.model
        keys = rng.sample(KEYS, rng.choice([1, 1, 2, 4, 20]))
        fences = self._fences()
        refuses = rng.random() < 0.1
        seen = 0

        def decide(before: list[bytes | None]) -> Changes[None]:
            nonlocal seen
            self.settle()
            assert fences.items() <= model.current.pairs.items(), "passed a fence"
            assert before == [model.current.pairs.get(key) for key in keys], "decided on a lie"
            if refuses:
                raise RefusedError(model.count)
            changes = self._changes(keys)
            model.decided(changes)
            seen = model.count
            return changes

        try:
            await self.engine.write([*keys], decide, fences=fences)
        except RefusedError as refused:
            self._told(refused.seen)
        except StaleFenceError:
            pass
        else:
            self._told(seen)

    def _fences(self) -> dict[bytes, bytes]:
        """Mostly none, otherwise one that holds for now, or never."""
        if self.rng.random() < 0.7:
            return {}
        return {FENCE: self.model.current.pairs.get(FENCE, b"none")}

    def _changes(self, keys: list[bytes]) -> Changes[None]:
        rng, model = self.rng, self.model
        gone = [key for key in keys if rng.random() < 0.25]
        puts = {key: self._value() for key in keys if key not in gone}
        if rng.random() < 0.05:
            puts[FENCE] = b"%d" % model.count
        for log, number in model.current.numbers.items():
            if rng.random() < 0.05:  # trim, the newest record at times
                oldest = max(1, number - rng.randrange(5))
                gone += [log + index.to_bytes(8) for index in range(oldest, number)]
        return Changes(
            answer=None,
            puts=puts,
            deletes=gone,
            adds={key: rng.randrange(-9, 10) for key in COUNTERS if rng.random() < 0.4},
            appends=[(rng.choice(LOGS), self._value()) for _ in range(rng.choice([0, 0, 1, 2]))],
        )

    def _value(self) -> bytes:
        size = self.rng.choice([0, 9, 60, 60, 60, 300, 300, 3000])
        return b"%d:" % self.model.count + bytes([self.rng.randrange(256)]) * size

    async def _read(self) -> None:
        keys = self.rng.sample(KEYS + COUNTERS, self.rng.choice([1, 3, 24]))
        fences = self._fences()
        try:
            values = await self.engine.read(keys, fences=fences)
        except StaleFenceError:
            values = None
        self.settle()
        for count, state in self.model.visible():
            held = fences.items() <= state.pairs.items()
            if values is None:
                fits = not held
            else:
                fits = held and values == [state.pairs.get(key) for key in keys]
            if fits:
                self._told(count)
                return
        raise AssertionError("read a lie, or a fence that is not there, or passed one that is")

    def _told(self, count: int) -> None:
        if self.tells:
            self.model.told(count)

    def settle(self) -> None:
        """After a failure, see what the engine has made of it, before anything changes again."""
        recoveries = self.engine.stats().recoveries
        if self.recoveries != recoveries:
            self.check()
            self.recoveries = recoveries

    def check(self) -> None:
        """See that the engine has what the model has."""
        self.model.settle(found(self.engine))


def found(engine: SqliteEngine) -> State:
    """All that the engine holds. Raises StorageError."""
    pairs: list[Pair] = drive(engine.scan(*EVERYTHING, limit=1 << 30, bytes_max=1 << 30))
    numbers = engine.database.view.read("SELECT log, next FROM logs").fetchall()
    return State(dict(pairs), dict(numbers))


def drive(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The answer of a coroutine that does not suspend."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("it suspended")
