"""Sockets handed from one process to another: clients that were accepted, links to the writer."""

import asyncio
import socket
from collections.abc import Callable
from enum import Enum
from typing import Final

_AT_ONCE_MAX: Final = 64
"""Taken in one turn of the loop."""


class Kind(Enum):
    """What a socket is for: one byte goes with it, so that none is ever read with another."""

    CLIENT = b"c"
    LINK = b"l"


def hand(channel: socket.socket, kind: Kind, connected: socket.socket) -> bool:
    """Hand a socket on; close it here. False, and nothing is done, if the channel takes no more.

    Raises OSError: the other end is gone.
    """
    try:
        socket.send_fds(channel, [kind.value], [connected.fileno()])
    except BlockingIOError:
        return False
    connected.close()
    return True


class Taker:
    """Takes sockets from a channel.

    Args:
        channel: connected, not blocking.
        take: called with each.
    """

    def __init__(self, channel: socket.socket, take: Callable[[Kind, socket.socket], None]) -> None:
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
                self.close()  # that the other end is gone is told by the control stream
                return
            for descriptor in descriptors:
                connected = socket.socket(fileno=descriptor)
                connected.settimeout(0)
                self._take(Kind(data), connected)

    def close(self) -> None:
        """Take no more."""
        if self._channel.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._channel)
            self._channel.close()
