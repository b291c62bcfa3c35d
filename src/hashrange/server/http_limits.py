"""Limits of one listener that an operator may set."""

from dataclasses import dataclass

from hashrange import limits


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """Bounds of one listener; all are inclusive.

    Seconds are coarse: connections are checked once a second. `request_seconds_max` bounds the time
    from the first byte of a request to its last, and the time in which a client reads nothing of
    its answer. `connections_per_address_max` is None for no limit.
    """

    request_line_bytes_max: int = limits.REQUEST_LINE_BYTES_MAX
    headers_bytes_max: int = limits.REQUEST_HEADERS_BYTES_MAX
    body_bytes_max: int = limits.REQUEST_BODY_BYTES_MAX
    connections_max: int = limits.HTTP_CONNECTIONS_MAX
    connections_per_address_max: int | None = None
    request_seconds_max: int = limits.HTTP_REQUEST_SECONDS_MAX
    idle_seconds_max: int = limits.HTTP_IDLE_SECONDS_MAX
