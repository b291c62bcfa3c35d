"""Where calls run that wait for the disk, so that the event loop need not."""

import logging
from _thread import allocate_lock
from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Final, Protocol, TypeAlias

Call: TypeAlias = Callable[[], object]
Then: TypeAlias = Callable[[BaseException | None], None]
"""Gets what the call has raised, or None."""


def raised_by(call: Call) -> BaseException | None:
    """The error that a call raises, for `then`."""
    try:
        call()
    except BaseException as error:  # noqa: BLE001 - whatever it is
        return error
    return None


class DiskWorker(Protocol):
    """Runs one call at a time, beside the loop."""

    def run(self, call: Call, then: Then, loop: AbstractEventLoop) -> None:
        """Begin a call; once it has ended, `then` is called in the loop, if that still runs."""

    def wait(self) -> BaseException | None:
        """Block until what was begun has ended; what the last call has raised."""

    def close(self) -> None:
        """Wait, and give back what is held. It may be used again."""


class DiskThread:
    """A thread, which lets go of the interpreter's lock while the system is at work.

    Measured beside a busy loop: 0.2 ms from the end of a call to `then`, most of it to wake the
    thread and to take the lock; a helper process is no faster and knows nothing of our files.
    """

    def __init__(self) -> None:
        self._next: tuple[Call, Then, AbstractEventLoop] | None = None
        self._thread: Thread | None = None
        self._go = allocate_lock()
        self._go.acquire()
        self._busy = allocate_lock()
        self._error: BaseException | None = None

    def run(self, call: Call, then: Then, loop: AbstractEventLoop) -> None:
        """Run `call` beside the loop, then `then` in the loop with its error, or None."""
        if self._thread is None:
            self._thread = Thread(target=self._work, name="disk", daemon=True)
            self._thread.start()
        self._busy.acquire()
        self._next = (call, then, loop)
        self._go.release()

    def wait(self) -> BaseException | None:
        """Wait for the last call; its error, or None."""
        with self._busy:
            return self._error

    def close(self) -> None:
        """Wait for the last call, and end the thread."""
        if self._thread is not None:
            self.wait()
            self._next = None
            self._go.release()
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while self._go.acquire() and self._next is not None:
            call, then, loop = self._next
            self._error = error = raised_by(call)
            self._busy.release()
            with suppress(RuntimeError):  # the loop has ended, and whoever waited with it
                loop.call_soon_threadsafe(then, error)
            del call, then, loop, error


class BackgroundCall:
    """At most one call beside the loop, and what is to follow it, which happens once.

    Args:
        aside: where it runs.
        monotonic_ns: the clock.

    Attributes:
        begun_ns: when the last call began.
    """

    def __init__(self, aside: DiskWorker, monotonic_ns: Callable[[], int]) -> None:
        self._aside = aside
        self._monotonic_ns = monotonic_ns
        self._then: Then | None = None
        self.begun_ns = 0

    @property
    def is_out(self) -> bool:
        """Whether a call runs, or what follows it is still to happen."""
        return self._then is not None

    def run(self, call: Call, then: Then, loop: AbstractEventLoop) -> None:
        """Run `call` beside the loop, then `then` in the loop with its error, or None."""
        self._then, self.begun_ns = then, self._monotonic_ns()
        self._aside.run(call, partial(self._ended, then), loop)

    def _ended(self, then: Then, error: BaseException | None) -> None:
        if self._then is then:  # and was not finished meanwhile
            self._then = None
            then(error)

    def finish(self) -> None:
        """Wait for the call, and let follow what follows it."""
        then, self._then = self._then, None
        if then is not None:
            then(self._aside.wait())

    def close(self) -> None:
        """Finish, and give back what is held."""
        self.finish()
        self._aside.close()


STALL_SECONDS: Final = 5
"""A sync takes milliseconds, on network storage tens of them."""
_NS_PER_S: Final = 1_000_000_000

_log: Final = logging.getLogger(__name__)


class StallWatch:
    """Says why writes wait, while a sync or a copy of the write-ahead log does not end.

    Writes of the group that is synced and those behind it wait; they are answered when the disk is
    back. Reads go on. A sync within the loop, of a disk that has been fast, stops the loop as well.

    Args:
        calls: those beside the loop.
        monotonic_ns: the clock by which they began.
    """

    def __init__(self, calls: Sequence[BackgroundCall], monotonic_ns: Callable[[], int]) -> None:
        self._calls = calls
        self._monotonic_ns = monotonic_ns
        self._is_logged = False

    def reason(self) -> str | None:
        """Why writes wait; None if no call has taken `STALL_SECONDS`."""
        now_ns = self._monotonic_ns()
        waits_ns = [now_ns - call.begun_ns for call in self._calls if call.is_out]
        seconds = max(waits_ns, default=0) // _NS_PER_S
        if seconds < STALL_SECONDS:
            return None
        return f"the disk has not answered a sync for {seconds} s; writes wait, reads go on"

    def look(self) -> None:
        """Log once that the disk does not answer, and once that it does again."""
        reason = self.reason()
        if reason is not None and not self._is_logged:
            _log.error("%s", reason)
        elif reason is None and self._is_logged:
            _log.warning("the disk answers again; the writes that waited go on")
        self._is_logged = reason is not None
