"""Accepts connections and hands them to those who answer, one after the other.

Measured against the alternatives with two processes: a listening socket that both had gave one of
them all of 8 connections, and 26 of 32; SO_REUSEPORT spreads by chance, lets a second server bind
the same port unnoticed, and does not spread on macOS. Handed on, each has its half, and clients
that wait to be accepted are not lost with the process that would have accepted them.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.limits import HTTP_BACKLOG_MAX
from hashrange.workers.descriptors import Kind, hand

_AT_ONCE_MAX: Final = 64
"""Accepted in one turn of the loop."""
_PAUSE_SECONDS: Final = 0.01
"""While nobody takes a connection."""
_SHORT_SECONDS: Final = 1.0
"""While there are no descriptors, or no memory."""

_log: Final = logging.getLogger(__name__)


class Acceptor:
    """Accepts until it is closed.

    Args:
        sockets: bound; they are the acceptor's from now on.
        channels: to those who answer now.

    Raises:
        OSError: another process listens on the port since the sockets were bound.
    """

    def __init__(
        self, sockets: Sequence[socket.socket], channels: Callable[[], Sequence[socket.socket]]
    ) -> None:
        self._sockets = sockets
        self._channels = channels
        self._turn = 0
        self._waiting: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        for each in sockets:
            each.settimeout(0)
            each.listen(HTTP_BACKLOG_MAX)
        self._resume()

    def _resume(self) -> None:
        self._timer = None
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not self._hand(waiting):
            self._pause(_PAUSE_SECONDS)
            return
        loop = asyncio.get_running_loop()
        for each in self._sockets:
            loop.add_reader(each, self._accept, each)

    def _pause(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        for each in self._sockets:
            loop.remove_reader(each)
        self._timer = loop.call_later(seconds, self._resume)

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(_AT_ONCE_MAX):
            try:
                client, _address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                _log.warning("cannot accept connections for now: %s", error.strerror)
                self._pause(_SHORT_SECONDS)
                return
            if not self._hand(client):
                self._pause(_PAUSE_SECONDS)
                return

    def _hand(self, client: socket.socket) -> bool:
        """Hand a client to the next one; or keep it, if nobody takes it now."""
        channels = self._channels()
        for tried in range(len(channels)):
            channel = channels[(self._turn + tried) % len(channels)]
            try:
                taken = hand(channel, Kind.CLIENT, client)
            except OSError:
                continue  # it has just ended
            if taken:
                self._turn += tried + 1
                return True
        self._waiting = client
        return False

    def close(self) -> None:
        """Accept nothing more."""
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        for each in self._sockets:
            loop.remove_reader(each)
            each.close()
        if self._waiting is not None:
            self._waiting.close()
