"""A write in the queue of an engine, from its call to its answer."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from hashrange.storage.engine import Changes, Fences


class Waiter(Protocol):
    """Is told that the outcome of a write is final; a future of the event loop, as a rule."""

    def cancelled(self) -> bool:
        """Whether nobody waits any more, so that the write need not begin."""

    def done(self) -> bool:
        """Whether it was told, or is cancelled."""

    def set_result(self, result: None, /) -> None:
        """The outcome is final."""


class PendingWrite(msgspec.Struct, eq=False):
    """One write in a queue; mutable, since its outcome is filled in."""

    keys: Sequence[bytes]
    decide: Callable[[list[bytes | None]], Changes[Any]]
    fences: Fences
    waiter: Waiter
    """Resolved when the outcome is final, with `answer` or `error` set before."""
    answer: Any = None
    error: Exception | None = None

    def taken_error(self) -> Exception:
        """The error, which this forgets: its traceback refers to this.

        A cycle would stay in memory until the next garbage collection, which is rare.
        """
        error, self.error = self.error, None
        assert error is not None, "the write has failed"
        return error
