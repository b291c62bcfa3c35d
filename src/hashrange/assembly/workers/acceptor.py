"""Accepts connections and sends them to the readers in turn.

Alternatives were measured with two readers: with a shared listening socket one of them got all of 8
connections, and 26 of 32. SO_REUSEPORT spreads by chance, lets a second server bind the same port
unnoticed, and does not spread on macOS. With an acceptor each reader has its half, and connections
that wait to be accepted are not lost with a reader.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.assembly.workers.descriptors import SocketKind, send_socket
from hashrange.limits.server import HTTP_BACKLOG_MAX

_AT_ONCE_MAX: Final = 64
"""Connections accepted in one turn of the loop."""
_PAUSE_SECONDS: Final = 0.01
"""Pause while no reader takes a connection."""
_SHORT_SECONDS: Final = 1.0
"""Pause while the system has no free descriptors or memory."""

_log: Final = logging.getLogger(__name__)


class Acceptor:
    """Accepts until it is closed.

    Args:
        sockets: bound; the acceptor closes them.
        channels: returns the channels of the readers that serve now.
        kind: of the connections.

    Raises:
        OSError: another process has begun to listen on the port since the sockets were bound.
    """

    def __init__(
        self,
        sockets: Sequence[socket.socket],
        channels: Callable[[], Sequence[socket.socket]],
        kind: SocketKind = SocketKind.CLIENT,
    ) -> None:
        self._kind = kind
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
        if waiting is not None and not self._send(waiting):
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
            if not self._send(client):
                self._pause(_PAUSE_SECONDS)
                return

    def _send(self, client: socket.socket) -> bool:
        """Send a connection to the next reader; keep it and return False if none takes it now."""
        channels = self._channels()
        for tried in range(len(channels)):
            channel = channels[(self._turn + tried) % len(channels)]
            try:
                is_sent = send_socket(channel, self._kind, client)
            except OSError:
                continue  # the reader has just ended
            if is_sent:
                self._turn += tried + 1
                return True
        self._waiting = client
        return False

    def close(self) -> None:
        """Stop accepting, and close the listening sockets."""
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        for each in self._sockets:
            loop.remove_reader(each)
            each.close()
        if self._waiting is not None:
            self._waiting.close()
