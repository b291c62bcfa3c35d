"""Binds the sockets of a server before anything else is done.

If the port is taken, the server ends before it makes a data directory or opens a large one.
"""

import asyncio
import errno
import os
import socket
import sys
from collections.abc import Sequence
from typing import Final

_MISSING: Final = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}


async def bound(host: str, port: int) -> Sequence[socket.socket]:
    """Bind a socket to each address of the host, all to the same port, without listening.

    Args:
        host: an address, or a name that may have several.
        port: 0 for one that is free.

    Raises:
        OSError: the port is taken, the address is none of this machine, or is not allowed;
            `errno` says which.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except UnicodeError as error:
        # Not a name of DNS, for example a..b or a label of 64 characters.
        raise socket.gaierror(socket.EAI_NONAME, "not the name of a host") from error
    sockets: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            try:
                sockets.append(_bound(family, (address[0], port, *address[2:])))
            except OSError as error:
                # A name may stand for an address of IPv6, which this machine may not have.
                if error.errno not in _MISSING:
                    raise
                missing = error
            else:
                port = sockets[-1].getsockname()[1]
    except BaseException:
        for each in sockets:
            each.close()
        raise
    if missing is not None and not sockets:
        raise missing
    return sockets


def _bound(family: int, address: tuple[str | int, ...]) -> socket.socket:
    # asyncio turns Nagle's algorithm off for sockets whose protocol is IPPROTO_TCP.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix" and sys.platform != "cygwin":
            # A server that was just stopped leaves its port in TIME_WAIT. On Windows the option
            # would let two servers have one port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
    except BaseException:
        sock.close()
        raise
    return sock
