"""Signals and the end of standard input: they stop a server, or have it read its certificates."""

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
    """Within the context, SIGTERM and SIGINT call `stop` in the running loop."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        # Loops have no signal handlers on Windows; this handler runs in the main thread.
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


@contextlib.contextmanager
def hangups(renew: Callable[[], None]) -> Iterator[None]:
    """Within the context, SIGHUP calls `renew` in the running loop.

    Not on Windows, which has no such signal, and not outside of the main thread.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, renew)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)


def watch_input(stop: Callable[[], None]) -> None:
    """Call `stop` in the running loop when standard input ends; input is discarded."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        # This thread would still hold the lock of sys.stdin when the interpreter ends.
        with contextlib.suppress(OSError):
            while os.read(_INPUT, _READ_BYTES):
                pass
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(stop)

    # Input may be a file, which no loop can wait for, or a pipe, which only some loops can.
    threading.Thread(target=read, name="input", daemon=True).start()
