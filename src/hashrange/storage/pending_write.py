"""A write in the queue of an engine, from its call to its answer."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from hashrange.storage.engine import Changes, Fences


class Waiter(Protocol):
    """Is notified that the outcome of a write is final; for example, a future of the event loop."""

    def done(self) -> bool:
        """Whether it was notified, or is cancelled."""

    def set_result(self, answered: int | None, /) -> None:
        """The outcome is final; with the number of writes that are answered now, if it is known."""


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
