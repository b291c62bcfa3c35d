"""Ports of servers that a test starts later, or starts again."""

import contextlib
import os
import random
import socket
from collections import deque

BELOW_EPHEMERAL = range(20_000, 32_000)
"""Linux, macOS and Windows give none of these to a connection or to a server on port 0."""
_TRIES_MAX = 100
_given: deque[int] = deque(maxlen=1000)
"""Another server may still begin at these."""


def _own() -> range:
    """Of this process: others of the same run may look for a port at the same moment."""
    number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    count = os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
    return BELOW_EPHEMERAL[int(number) :: int(count)]


def free_port() -> int:
    """A port of the loopback that is free, and stays free until a test takes it."""
    ports = _own()
    for _ in range(_TRIES_MAX):
        port = random.SystemRandom().choice(ports)
        if port in _given:
            continue
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            _given.append(port)
            return port
    raise AssertionError("no port is free")
