"""What tells a server to stop: signals, and the end of standard input."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_INPUT: Final = 0
_READ_BYTES: Final = 4096


@contextlib.contextmanager
def signals(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and SIGINT call `stop`, in the loop."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        # There the loop has no signal handlers; the handler runs in the main thread, as the loop.
        for number in _SIGNALS:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
        yield
        return
    for number in _SIGNALS:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


def watch_input(stop: Callable[[], None]) -> None:
    """The end of standard input calls `stop`, in the loop; what is typed is thrown away."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        # Not sys.stdin: its lock would still be held by this thread when the interpreter ends.
        with contextlib.suppress(OSError):
            while os.read(_INPUT, _READ_BYTES):  # bound: until the input ends
                pass
        with contextlib.suppress(RuntimeError):  # the loop has ended before
            loop.call_soon_threadsafe(stop)

    # A loop can wait for a pipe on some systems, and on none for a file, which input may be too.
    threading.Thread(target=read, name="input", daemon=True).start()
