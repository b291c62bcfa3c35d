"""A request to stop the trials, made by a signal handler; it takes effect between two steps.

The handler itself raises nothing: an exception in the middle of a step may leave a task in the
event loop that was created and never ran, or a callback that ends the next step too early.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


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
