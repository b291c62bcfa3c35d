"""An event loop of simulated time: nothing waits, and equal seeds give equal runs."""

import asyncio
import itertools
import math
import selectors
from collections.abc import Callable, Coroutine
from typing import Any


class StuckError(Exception):
    """Nothing will happen any more, or not before long: a real server would hang."""


_LONGEST_SECONDS = 1000.0
"""Worlds end after some fifty."""


class _Selector(selectors.BaseSelector):
    """Time goes on to the next timer as soon as all callbacks have run."""

    def __init__(self) -> None:
        self.now = 0.0
        self._ends = _LONGEST_SECONDS
        self._files: dict[Any, selectors.SelectorKey] = {}

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or self.now > self._ends:
            self._ends = math.inf  # for the tasks to be cancelled
            raise StuckError
        self.now += max(0.0, timeout)
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """Only the loop's own pipe is registered, through which nothing comes."""
        key = self._files[fileobj] = selectors.SelectorKey(fileobj, 0, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._files.pop(fileobj)

    def get_map(self) -> dict[Any, selectors.SelectorKey]:
        return self._files


class _Task(asyncio.Task[Any]):
    """Sets of tasks have the order of their numbers, not that of their addresses in memory."""

    def __init__(
        self, coroutine: Coroutine[Any, Any, Any], *, loop: "SimulatedLoop", **options: Any
    ) -> None:
        self._number = next(loop.numbers)
        super().__init__(coroutine, loop=loop, **options)

    def __hash__(self) -> int:
        return self._number


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Its clock begins at 0; what others do in threads is done at once.

    Attributes:
        complaints: of asyncio: tasks dropped while they wait.
    """

    def __init__(self) -> None:
        self._simulated = _Selector()
        self.complaints: list[str] = []
        self.numbers = itertools.count()
        super().__init__(self._simulated)
        self.set_task_factory(
            lambda _, coroutine, **options: _Task(coroutine, loop=self, **options)  # type: ignore[arg-type]
        )
        self.set_exception_handler(lambda _, context: self._complain(context))

    def _complain(self, context: dict[str, Any]) -> None:
        # A task that ended with its server may have failed with the storage, and nobody asks.
        if "exception" not in context:
            self.complaints.append(context["message"])

    def time(self) -> float:
        return self._simulated.now

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., Any], *args: Any
    ) -> "asyncio.Future[Any]":
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - as a thread's future
            done.set_exception(error)
        return done


passes = asyncio.sleep
"""So much simulated time."""
