"""The engine on trial, with a synchronous interface for trials, and a request to stop them.

The handler of that request raises nothing: an exception in the middle of a step may leave a task in
the event loop that was created and never ran, or a callback that ends the next step too early.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, TypeVar

from hashrange.assembly.engines.trials.contract import ContractEngine, Decide
from hashrange.assembly.engines.trials.wrapped_engines import Stamps, Subspace, Unstamped
from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    Changes,
    Engine,
    Fences,
    Pair,
    StorageError,
)


class StopRequest:
    """Cancels the step that runs, if any, and then raises KeyboardInterrupt in `check`."""

    def __init__(self) -> None:
        self._is_made = False
        self._step: asyncio.Task[object] | None = None

    def make(self) -> None:
        """Request the stop; a signal handler may call this at any time in the loop's thread."""
        self._is_made = True
        if self._step is not None:
            self._step.get_loop().call_soon_threadsafe(self._step.cancel)

    def check(self) -> None:
        """Raise KeyboardInterrupt if the stop was requested."""
        if self._is_made:
            raise KeyboardInterrupt

    @contextmanager
    def cancels_this(self) -> Iterator[None]:
        """Cancel the running task when the stop is requested, or at once if it already was."""
        self._step = asyncio.current_task()
        if self._is_made and self._step is not None:
            self._step.cancel()
        try:
            yield
        finally:
            self._step = None


T = TypeVar("T")
Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Engine]]
"""Opens an engine; each time on the same data, if the engine is durable."""
Values: TypeAlias = list[bytes | None]

EVERYTHING: Final = {"start": b"", "end": b"\xff" * (KEY_BYTES_MAX + 1)}
NO_LIMIT: Final = {"limit": 2**31 - 1, "bytes_max": 2**31 - 1}
STEP_SECONDS_MAX: Final = 90.0
"""The time limit of one step, so that a call that hangs fails its trial and not the whole run."""
_SUBSPACE_PREFIX: Final = b"\xfe\xedroom"
_SUBSPACE_NUMBER_BYTES: Final = 4


class RefusedError(Exception):
    """The error that decisions of trials raise, with the values that they read."""


def refuse(values: Values) -> Changes[None]:
    """A decision that always raises."""
    raise RefusedError(values)


class Subject:
    """An engine on trial, wrapped in checks of the contract.

    Args:
        opener: opens the engine.
        step_seconds_max: the time limit of one step.
        stop: a request to end the trials; it does not interrupt the closing of the engine.

    Attributes:
        engine: the wrapped engine, whose records have stamps of zeros.
        stamps: the real stamps of the records that were read.
    """

    engine: Engine
    stamps: Stamps

    def __init__(
        self,
        opener: Opener,
        *,
        step_seconds_max: float = STEP_SECONDS_MAX,
        stop: StopRequest | None = None,
    ) -> None:
        self._opener = opener
        self._step_seconds_max = step_seconds_max
        self._stop = StopRequest() if stop is None else stop
        self._context: AbstractAsyncContextManager[Engine] | None = None
        self._runner = asyncio.Runner()
        self._subspace_number = 0
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
        self._enter_subspace()

    def _close(self, *raised: Any) -> None:
        """Close the engine if it is open."""
        context, self._context = self._context, None
        if context is not None:
            self._runner.run(self._bounded(context.__aexit__(*raised), self._step_seconds_max))

    def _enter_subspace(self) -> None:
        number = self._subspace_number.to_bytes(_SUBSPACE_NUMBER_BYTES)
        subspace = (
            Subspace(self._inner, _SUBSPACE_PREFIX + number)
            if self._subspace_number
            else self._inner
        )
        self.stamps = self._all_stamps.setdefault(self._subspace_number, {})
        self.engine = Unstamped(ContractEngine(subspace), self.stamps)

    def use_empty_subspace(self) -> None:
        """Continue with an empty subspace of the engine."""
        self._subspace_number += 1
        self._enter_subspace()

    def reopen(self) -> None:
        """Close the engine and open it again."""
        self._close(None, None, None)
        self._open()

    def run(self, coroutine: Coroutine[Any, Any, T], *, limited: bool = True) -> T:
        """Run a coroutine to its result.

        Raises:
            TimeoutError: it took longer than one step may, and is `limited`.
            KeyboardInterrupt: the stop was requested.
        """
        seconds_max = self._step_seconds_max if limited else None

        async def stopped_on_request() -> T:
            with self._stop.cancels_this():
                return await self._bounded(coroutine, seconds_max)

        try:
            return self._runner.run(stopped_on_request())
        finally:
            self._stop.check()

    @staticmethod
    async def _bounded(coroutine: Coroutine[Any, Any, T], seconds_max: float | None) -> T:
        async with asyncio.timeout(seconds_max):
            return await coroutine

    def run_concurrently(self, *coroutines: Coroutine[Any, Any, T]) -> list[T | BaseException]:
        """Run coroutines concurrently; returns their results, or the errors that they raised.

        Raises AssertionError and StorageError: a broken contract, or an engine that fails.
        """

        async def gathered() -> list[T | BaseException]:
            return await asyncio.gather(*coroutines, return_exceptions=True)

        outcomes = self.run(gathered())
        for outcome in outcomes:
            if isinstance(outcome, (AssertionError, StorageError)):
                raise outcome
        return outcomes

    def read(self, *keys: bytes, fences: Fences = NO_FENCES) -> list[bytes | None]:
        """Read keys from the engine."""
        return self.run(self.engine.read(keys, fences=fences))

    def scan(self, **arguments: Any) -> list[Pair]:
        """Scan with the arguments of `Engine.scan`; by default all pairs in one page."""
        arguments = {**EVERYTHING, **NO_LIMIT, **arguments}
        start, end = arguments.pop("start"), arguments.pop("end")
        return self.run(self.engine.scan(start, end, **arguments))

    def write(self, keys: Sequence[bytes], decide: Decide[T], *, fences: Fences = NO_FENCES) -> T:
        """Write to the engine; returns the answer of the decision."""
        return self.run(self.engine.write(keys, decide, fences=fences))

    def change(self, fences: Fences = NO_FENCES, **changes: Any) -> None:
        """Apply puts, deletes, adds and appends that do not depend on stored values."""
        self.run(change(self.engine, fences=fences, **changes))


async def change(engine: Engine, *, fences: Fences = NO_FENCES, **changes: Any) -> None:
    """Apply puts, deletes, adds and appends that do not depend on stored values."""
    keys = [*changes.get("puts", {}), *changes.get("deletes", ())]
    await engine.write(keys, lambda _: Changes(answer=None, **changes), fences=fences)


async def pairs_of(engine: Engine, start: bytes, end: bytes) -> list[Pair]:
    """All pairs of a range, as one page."""
    return await engine.scan(start, end, limit=2**31 - 1, bytes_max=2**31 - 1)


@contextmanager
def raises(kind: type[Exception]) -> Iterator[list[Exception]]:
    """Assert that a block raises an error of a kind; yields a list to which it is added."""
    caught: list[Exception] = []
    try:
        yield caught
    except kind as error:
        caught.append(error)
    assert caught, f"it did not raise {kind.__name__}"
