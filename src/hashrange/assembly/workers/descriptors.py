"""Sends open sockets to another process: accepted connections, and links to the writer."""

import asyncio
import socket
from collections.abc import Callable
from enum import Enum
from typing import Final

_AT_ONCE_MAX: Final = 64
"""Sockets received in one turn of the loop."""


class SocketKind(Enum):
    """The use of a socket: a byte that is sent with it, and keeps two sockets apart in a read."""

    CLIENT = b"c"
    """A connection of a client, for a reader."""
    DAX = b"d"
    """A connection of a client of DAX, for the reader that has the caches."""
    LINK = b"l"
    """One end of the connection between a reader and the writer."""


def send_socket(channel: socket.socket, kind: SocketKind, connected: socket.socket) -> bool:
    """Send a socket to another process, and close it in this process.

    Returns:
        False if the channel is full: nothing was sent, and the socket is open.

    Raises:
        OSError: the other process has ended.
    """
    try:
        socket.send_fds(channel, [kind.value], [connected.fileno()])
    except BlockingIOError:
        return False
    connected.close()
    return True


class SocketReceiver:
    """Receives sockets from a channel.

    Args:
        channel: connected; the receiver closes it.
        take: called with each socket, which it must close.
    """

    def __init__(
        self, channel: socket.socket, take: Callable[[SocketKind, socket.socket], None]
    ) -> None:
        self._channel = channel
        self._take = take
        channel.settimeout(0)
        asyncio.get_running_loop().add_reader(channel, self._read)

    def _read(self) -> None:
        for _ in range(_AT_ONCE_MAX):
            try:
                data, descriptors, _, _ = socket.recv_fds(self._channel, 1, 1)
            except BlockingIOError:
                return
            except OSError:
                data, descriptors = b"", []
            if not data:
                self.close()  # the control stream reports that the other process has ended
                return
            for descriptor in descriptors:
                connected = socket.socket(fileno=descriptor)
                connected.settimeout(0)
                self._take(SocketKind(data), connected)

    def close(self) -> None:
        """Receive no more, and close the channel."""
        if self._channel.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._channel)
            self._channel.close()
