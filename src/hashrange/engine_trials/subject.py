"""The engine on trial, called from functions that are not coroutines."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, TypeVar

from hashrange.engine_trials.contract import ContractEngine, Decide
from hashrange.engine_trials.subspace import Subspace
from hashrange.engine_trials.unstamped import Stamps, Unstamped
from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    Changes,
    Engine,
    Fences,
    Pair,
    StorageError,
)

T = TypeVar("T")
Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Engine]]
"""Opens an engine; on the same data each time, if it keeps any."""
Seen: TypeAlias = list[bytes | None]

EVERYTHING: Final = {"start": b"", "end": b"\xff" * (KEY_BYTES_MAX + 1)}
NO_LIMIT: Final = {"limit": 2**31 - 1, "bytes_max": 2**31 - 1}
STEP_SECONDS_MAX: Final = 90.0
"""Of what a trial does at once: what waits for ever fails the trial, and not the whole run."""
_ROOM: Final = b"\xfe\xedroom"
_ROOM_NUMBER_BYTES: Final = 4


class RefusedError(Exception):
    """What decisions raise in trials; carries what they saw."""


def refuse(values: Seen) -> Changes[None]:
    """A decision that always raises."""
    raise RefusedError(values)


class Subject:
    """An engine inside of the contract.

    Args:
        opener: how it is opened.
        step_seconds_max: the time limit of one step.

    Attributes:
        engine: shows records with a stamp of zeros.
        stamps: the stamps of the records that were seen.
    """

    engine: Engine
    stamps: Stamps

    def __init__(self, opener: Opener, *, step_seconds_max: float = STEP_SECONDS_MAX) -> None:
        self._opener = opener
        self._step_seconds_max = step_seconds_max
        self._context: AbstractAsyncContextManager[Engine] | None = None
        self._runner = asyncio.Runner()
        self._rooms = 0
        self._all_stamps: dict[int, Stamps] = {}

    def __enter__(self) -> Self:
        self._runner.__enter__()
        try:
            self._open()
        except BaseException:
            self._context = None
            self._runner.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._close(kind, error, traceback)
        finally:
            self._runner.__exit__(kind, error, traceback)

    def _open(self) -> None:
        context = self._opener()
        self._inner = self.run(context.__aenter__())
        self._context = context
        self._enter_room()

    def _close(self, *raised: Any) -> None:
        """Close the engine, unless opening it failed or it is closed already."""
        context, self._context = self._context, None
        if context is not None:
            self.run(context.__aexit__(*raised))

    def _enter_room(self) -> None:
        number = self._rooms.to_bytes(_ROOM_NUMBER_BYTES)
        room = Subspace(self._inner, _ROOM + number) if self._rooms else self._inner
        self.stamps = self._all_stamps.setdefault(self._rooms, {})
        self.engine = Unstamped(ContractEngine(room), self.stamps)

    def anew(self) -> None:
        """Go on as with an empty engine."""
        self._rooms += 1
        self._enter_room()

    def open_again(self) -> None:
        """Close the engine and open it again."""
        self._close(None, None, None)
        self._open()

    def run(self, coroutine: Coroutine[Any, Any, T], *, limited: bool = True) -> T:
        """The answer of a coroutine. Raises TimeoutError if there is none, unless not `limited`."""

        async def bounded() -> T:
            async with asyncio.timeout(self._step_seconds_max if limited else None):
                return await coroutine

        return self._runner.run(bounded())

    def together(self, *coroutines: Coroutine[Any, Any, T]) -> list[T | BaseException]:
        """The answers of coroutines that run at the same time; what one raises is its answer.

        But a broken contract, and an engine that fails, which no trial asks for, are raised.
        """

        async def gathered() -> list[T | BaseException]:
            return await asyncio.gather(*coroutines, return_exceptions=True)

        outcomes = self.run(gathered())
        for outcome in outcomes:
            if isinstance(outcome, (AssertionError, StorageError)):
                raise outcome
        return outcomes

    def read(self, *keys: bytes, fences: Fences = NO_FENCES) -> list[bytes | None]:
        """See `Engine.read`."""
        return self.run(self.engine.read(keys, fences=fences))

    def scan(self, **asked: Any) -> list[Pair]:
        """See `Engine.scan`; by default everything there is."""
        asked = {**EVERYTHING, **NO_LIMIT, **asked}
        return self.run(self.engine.scan(asked.pop("start"), asked.pop("end"), **asked))

    def write(self, keys: Sequence[bytes], decide: Decide[T], *, fences: Fences = NO_FENCES) -> T:
        """See `Engine.write`."""
        return self.run(self.engine.write(keys, decide, fences=fences))

    def change(self, fences: Fences = NO_FENCES, **changes: Any) -> None:
        """A write that needs no thought: see `change`."""
        self.run(change(self.engine, fences=fences, **changes))


async def change(engine: Engine, *, fences: Fences = NO_FENCES, **changes: Any) -> None:
    """Puts, deletes, adds and appends that do not depend on what is there."""
    keys = [*changes.get("puts", {}), *changes.get("deletes", ())]
    await engine.write(keys, lambda _: Changes(answer=None, **changes), fences=fences)


async def pairs_of(engine: Engine, start: bytes, end: bytes) -> list[Pair]:
    """All pairs of a range, as one page."""
    return await engine.scan(start, end, limit=2**31 - 1, bytes_max=2**31 - 1)


@contextmanager
def raises(kind: type[Exception]) -> Iterator[list[Exception]]:
    """A block that must raise an error of a kind; gives the list that it is put into."""
    caught: list[Exception] = []
    try:
        yield caught
    except kind as error:
        caught.append(error)
    assert caught, f"it did not raise {kind.__name__}"
