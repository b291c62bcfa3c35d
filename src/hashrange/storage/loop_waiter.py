"""A future of the loop that resumes requests with less work than asyncio's."""

from asyncio import AbstractEventLoop, CancelledError
from collections.abc import Callable, Generator
from contextvars import Context
from typing import Any

import msgspec


class LoopWaiter(msgspec.Struct, eq=False):
    """A future of the event loop, as far as a request needs it; it is awaited once.

    A future lets the loop call back in its next turn. This one calls back at once if a coroutine is
    driven by hand, as those of requests are, so that answers are written in the same
    turn. A Task is resumed by the loop.

    Attributes:
        loop: of the waiting coroutine.
        answered: how many waiters are resumed together, set with the outcome; 0 until then.
        callback: resumes the coroutine.
        context: of a Task, in which the loop calls back.
    """

    loop: AbstractEventLoop
    answered: int = 0
    callback: Callable[[Any], object] | None = None
    context: Context | None = None
    _is_cancelled: bool = False
    _asyncio_future_blocking: bool = True
    """The mark by which a Task recognises a future; the Task clears it."""

    def __await__(self) -> Generator[Any, Any, None]:
        """Suspend until the outcome is final."""
        return iter(() if self.answered else (self,))  # type: ignore[return-value]

    def get_loop(self) -> AbstractEventLoop:
        """The loop, for a Task."""
        return self.loop

    def add_done_callback(
        self, callback: Callable[[Any], object], *, context: Context | None = None
    ) -> None:
        """Call back once, with this waiter; a Task has a context."""
        self.callback, self.context = callback, context

    def set_result(self, answered: int | None, /) -> None:
        """The outcome is final. No effect on a waiter that was cancelled."""
        self.answered = answered or 1
        callback = self.callback
        if callback is None:
            return
        self.callback = None  # it refers to the coroutine, which refers to this
        if self.context is not None:
            self.loop.call_soon(callback, self, context=self.context)
            return
        try:
            callback(self)
        except Exception as error:  # noqa: BLE001 - others are resumed after it
            self.loop.call_exception_handler(
                {"message": "a request failed after it had waited", "exception": error}
            )

    def done(self) -> bool:
        """Whether the outcome is final, or the waiter was cancelled."""
        return self.answered > 0

    def cancel(self, msg: str | None = None) -> bool:  # noqa: ARG002 - as of a future
        """Wait no longer; a write may still happen. Returns whether the outcome was open."""
        if self.done():
            return False
        self._is_cancelled = True
        self.set_result(None)
        return True

    def result(self) -> None:
        """Nothing. Raises CancelledError if it was cancelled."""
        if self._is_cancelled:
            raise CancelledError
