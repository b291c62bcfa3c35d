"""The settings of what clients may ask for, and for how long they wait."""

from typing import Annotated, Final

from hashrange.limits.server import (
    HTTP_CONNECTIONS_MAX,
    HTTP_IDLE_SECONDS_MAX,
    HTTP_REQUEST_SECONDS_MAX,
    WAITING_MS_MAX,
    WAITING_WRITES_MAX,
)
from hashrange.settings.console import ConsoleSettings
from hashrange.settings.kinds import whole

_CONNECTIONS_MAX: Final = 1_000_000
_REQUESTS_MAX: Final = 1_000_000
_SECONDS_MAX: Final = 24 * 60 * 60
_WRITES_MAX: Final = 1_000_000
_WAITING_MS_MAX: Final = 60 * 60 * 1000


class LimitSettings(ConsoleSettings, frozen=True, kw_only=True):
    """A part of the settings of a server."""

    connections_max: Annotated[
        int, whole(1, _CONNECTIONS_MAX), "Maximum number of open connections; more are refused."
    ] = HTTP_CONNECTIONS_MAX
    connections_per_address_max: Annotated[
        int | None,
        whole(1, _CONNECTIONS_MAX),
        "Maximum number of open connections of one client address, of IPv6 of one /64 network. Not "
        "set: no limit; with --auth required half of --connections-max.",
    ] = None
    requests_per_second_max: Annotated[
        int | None,
        whole(1, _REQUESTS_MAX),
        "Maximum number of requests a second of one user or role, with --auth required; more are "
        "answered ThrottlingException. Each process of a server counts its own. Not set: no limit.",
    ] = None
    request_seconds_max: Annotated[
        int, whole(1, _SECONDS_MAX), "Seconds within which a request must have arrived completely."
    ] = HTTP_REQUEST_SECONDS_MAX
    idle_seconds_max: Annotated[
        int, whole(1, _SECONDS_MAX), "Seconds after which an idle connection is closed."
    ] = HTTP_IDLE_SECONDS_MAX
    waiting_writes_max: Annotated[
        int,
        whole(1, _WRITES_MAX),
        "Maximum number of queued writes; more are answered ServiceUnavailable, which SDKs retry.",
    ] = WAITING_WRITES_MAX
    waiting_ms_max: Annotated[
        int,
        whole(0, _WAITING_MS_MAX),
        "Milliseconds for which a request waits until it begins, in an overload that lasts; then "
        "it is answered ServiceUnavailable, which SDKs retry. 0: as long as it takes.",
    ] = WAITING_MS_MAX
