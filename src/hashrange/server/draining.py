"""How an endpoint stops: on which signal, and so that no request that was sent meets a reset.

A connection that looks idle may have a request on its way: in the socket's buffer, or in a client
that does not know yet that the server stops. So connections are closed with their next answer, and
those on which nothing comes for a while are closed without.
"""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final

from hashrange.limits.server import DRAIN_IDLE_SECONDS_MAX
from hashrange.server.endpoint_state import EndpointState

_SHARE: Final = 4
"""Idle connections get this part of the time that open requests have."""
_TURNS: Final = 3
"""Turns of the loop after which everything that had arrived is read, on all event loops."""


async def begin_drain(
    state: EndpointState, close_sockets: Callable[[], None], drain_seconds: float
) -> asyncio.TimerHandle:
    """Have all connections closed, each with an answer or after some time without requests.

    Args:
        state: of the endpoint.
        close_sockets: ends listening. Connections that wait to be accepted are accepted before.
        drain_seconds: how long open requests may take.

    Returns:
        The timer of idle connections, to be cancelled when all connections are closed.
    """
    state.is_draining = True
    for connection in list(state.connections):
        connection.drain()
    for _ in range(_TURNS):
        await asyncio.sleep(0)
    close_sockets()
    seconds = min(drain_seconds / _SHARE, DRAIN_IDLE_SECONDS_MAX)
    return asyncio.get_running_loop().call_later(seconds, _leave, state, _TURNS)


def _leave(state: EndpointState, turns: int) -> None:
    if turns:
        asyncio.get_running_loop().call_soon(_leave, state, turns - 1)
        return
    for connection in list(state.connections):
        connection.leave()


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
