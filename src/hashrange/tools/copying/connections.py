"""Connections to one server, kept between requests and used by several threads."""

import contextlib
import socket
from http.client import HTTPConnection, HTTPSConnection
from typing import Final

TIMEOUT_SECONDS: Final = 60.0


class Connections:
    """A pool of connections; a thread owns the connection that it took until it gives it back."""

    def __init__(self, scheme: str, host: str, port: int | None) -> None:
        self._kind = HTTPSConnection if scheme == "https" else HTTPConnection
        self._host = host
        self._port = port
        self._open: set[HTTPConnection] = set()
        self._idle: list[HTTPConnection] = []
        self._is_closed = False

    def take(self) -> HTTPConnection:
        """An idle connection, or a new one, which connects at its first request."""
        connection = self._pop_idle()
        if connection is None:
            connection = self._kind(self._host, self._port, timeout=TIMEOUT_SECONDS)
            self._open.add(connection)
        return connection

    def keep(self, connection: HTTPConnection) -> None:
        """Keep a connection for further requests, unless `close` ran during this one."""
        self._idle.append(connection)
        if self._is_closed:
            self.discard(connection)

    def discard(self, connection: HTTPConnection) -> None:
        """Close a connection whose request failed."""
        self._open.discard(connection)
        connection.close()

    def close_idle(self) -> None:
        """Close all connections that no thread has taken."""
        while (connection := self._pop_idle()) is not None:
            self.discard(connection)

    def close(self) -> None:
        """Close all connections; a thread that waits for a response gets an error."""
        self._is_closed = True
        for connection in list(self._open):
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _pop_idle(self) -> HTTPConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None
