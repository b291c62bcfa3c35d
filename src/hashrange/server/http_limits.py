"""Limits of one listener that an operator may set, and of the memory of the process.

Beyond it allocations fail, and msgspec 0.22 does not survive that: it ends the process. So the
memory of requests is bounded before.
"""

import mmap
import sys
from pathlib import Path
from typing import Final

import msgspec

from hashrange.limits.requests import REQUEST_BODY_BYTES_MAX
from hashrange.limits.server import (
    ANSWERS_BYTES_MAX,
    BODIES_BYTES_MAX,
    HTTP_CONNECTIONS_MAX,
    HTTP_IDLE_SECONDS_MAX,
    HTTP_REQUEST_SECONDS_MAX,
    REQUEST_HEADERS_BYTES_MAX,
    REQUEST_LINE_BYTES_MAX,
    TLS_HANDSHAKE_SECONDS_MAX,
    TLS_HANDSHAKES_MAX,
)
from hashrange.settings.settings import Settings

SWEEP_SECONDS: Final = 1.0


def free_address_space() -> int | None:
    """The bytes that this process may still map; None if there is no limit."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - does not exist on Windows

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:  # not on Linux
        pages = 0
    return max(limit - pages * mmap.PAGESIZE, 0)


_BODIES_SHARE: Final = 2
"""Bodies get this part of an address space that is limited; the rest is for the engine."""
_ANSWERS_SHARE: Final = 4


class HttpLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of one listener; all are inclusive.

    Seconds are coarse: connections are checked once a second. `request_seconds_max` bounds the time
    from the first byte of a request to its last, and the time in which a client reads nothing of
    its answer. `connections_per_address_max` is None for no limit. `bodies_bytes_max` bounds the
    long bodies of all requests, `answers_bytes_max` all answers that clients do not read.
    `weighs_bodies`: memory is short, so bodies are long earlier, and count with all that is made of
    them. `handshakes_max` bounds the handshakes of TLS at a time. Limits are looked at every
    `sweep_seconds`.
    """

    request_line_bytes_max: int = REQUEST_LINE_BYTES_MAX
    headers_bytes_max: int = REQUEST_HEADERS_BYTES_MAX
    body_bytes_max: int = REQUEST_BODY_BYTES_MAX
    bodies_bytes_max: int = BODIES_BYTES_MAX
    answers_bytes_max: int = ANSWERS_BYTES_MAX
    weighs_bodies: bool = False
    connections_max: int = HTTP_CONNECTIONS_MAX
    connections_per_address_max: int | None = None
    request_seconds_max: int = HTTP_REQUEST_SECONDS_MAX
    idle_seconds_max: int = HTTP_IDLE_SECONDS_MAX
    handshakes_max: int = TLS_HANDSHAKES_MAX
    handshake_seconds_max: float = TLS_HANDSHAKE_SECONDS_MAX
    sweep_seconds: float = SWEEP_SECONDS


def http_limits_of(settings: Settings) -> HttpLimits:
    """The limits that an operator has set, and those of the process's memory."""
    free_bytes = free_address_space()
    bodies_bytes, answers_bytes = BODIES_BYTES_MAX, ANSWERS_BYTES_MAX
    if free_bytes is not None:
        bodies_bytes = min(bodies_bytes, free_bytes // _BODIES_SHARE)
        answers_bytes = min(answers_bytes, free_bytes // _ANSWERS_SHARE)
    return HttpLimits(
        bodies_bytes_max=bodies_bytes,
        answers_bytes_max=answers_bytes,
        weighs_bodies=free_bytes is not None,
        connections_max=settings.connections_max,
        connections_per_address_max=settings.address_connections_max,
        request_seconds_max=settings.request_seconds_max,
        idle_seconds_max=settings.idle_seconds_max,
    )
