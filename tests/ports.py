"""Ports of servers that a test starts later, or starts again."""

import contextlib
import random
import socket

BELOW_EPHEMERAL = range(20_000, 32_000)
"""Linux, macOS and Windows give none of these to a connection or to a server on port 0."""
_TRIES_MAX = 100


def free_port() -> int:
    """A port of the loopback that is free, and stays free until a test takes it."""
    for _ in range(_TRIES_MAX):
        port = random.SystemRandom().choice(BELOW_EPHEMERAL)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")
