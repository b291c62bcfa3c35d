"""The hosts of a database: connects to them one by one, to that which worked last first.

The driver has one time limit for all hosts of a URL, so a host that accepts and never answers would
consume it. Here each host has a limit of its own.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg

from hashrange.storage.postgres.address import DatabaseAddress

BROKEN: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # the server stops, has crashed, or starts
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
CONNECT_SECONDS_MAX: Final = 5.0
"""Of connecting where the URL has one host."""
HOST_SECONDS_MAX: Final = 1.5
"""Of connecting to one of several hosts."""
READ_WRITE: Final = "read-write"
_SOCKET_OPTIONS: Final = (
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 2),
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", 3),
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 5_000),
)
"""Level, name and value: a machine that is lost ends its connections after some five seconds."""

_REASONS: Final[Sequence[tuple[type[BaseException], str]]] = (
    (asyncpg.InvalidAuthorizationSpecificationError, "access denied ({})"),
    (asyncpg.InvalidCatalogNameError, "the database does not exist ({})"),
    (asyncpg.TooManyConnectionsError, "too many connections ({})"),
    (asyncpg.TargetServerAttributeNotMatched, "it is a standby"),
    (asyncpg.InternalClientError, "the connection broke in the middle of a statement ({})"),
    (TimeoutError, "no answer in time"),
    (ConnectionRefusedError, "connection refused"),
)

_log: Final = logging.getLogger(__name__)

Accept = Callable[[Any], Awaitable[None]]
"""Prepares a new connection; an error of `BROKEN` refuses the host."""


def why(error: BaseException) -> str:
    """The reason of an error, for the operator."""
    for kind, text in _REASONS:
        if isinstance(error, kind):
            return text.format(error)
    return str(error) or type(error).__name__


def hosts_of(url: str) -> list[tuple[str, int | None]]:
    """The hosts of a URL with their ports, None for the default; none if libpq's default is used.

    Raises ValueError: a port is not a number.
    """
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    texts = unquote(parts.netloc.rpartition("@")[2]) or query.get("host", [""])[-1]
    ports = query.get("port", [""])[-1].split(",")
    hosts = [text for text in texts.split(",") if text]
    found: list[tuple[str, int | None]] = []
    for number, text in enumerate(hosts):
        host, separator, port = text.rpartition(":")
        if not separator or "]" in port or text.startswith("/"):
            host, port = text, ports[number if len(ports) == len(hosts) else 0]
        found.append((host.strip("[]"), int(port) if port else None))
    return found


class Hosts:
    """Connects to the first host of an address that takes writes.

    Attributes:
        address: of the database.
        used: the host of the newest connection; empty before the first.
        failovers: how often a connection went to another host than the one before.
    """

    def __init__(self, address: DatabaseAddress) -> None:
        self.address = address
        self.used = ""
        self.failovers = 0
        self._distrusted = ""
        self._hosts = hosts_of(address.url)

    @property
    def are_several(self) -> bool:
        """Whether the URL has more than one host."""
        return len(self._hosts) > 1

    @property
    def number(self) -> int:
        """The number in the URL of the host that is used, from 1; 1 before the first."""
        shown = [_shown(host) for host in self._hosts]
        return shown.index(self.used) + 1 if self.used in shown else 1

    def distrust(self) -> None:
        """Try the host that is used last from now on: it does not commit."""
        self._distrusted = self.used

    async def connect(
        self, accept: Accept | None = None, *, seconds_max: float | None = None, **options: Any
    ) -> Any:
        """Connect to the first host that takes writes and is accepted.

        Args:
            accept: prepares the connection, within the same time.
            seconds_max: of each host; None for the default.
            options: of the driver.

        Raises:
            OSError: no host has accepted, and why.
            One of the driver's errors, if there is one host, or access is denied.
        """
        if not self.are_several:
            connection = await self._try(accept, seconds_max or CONNECT_SECONDS_MAX, options)
            self._note(", ".join(_shown(host) for host in self._hosts))
            return connection
        if "target_session_attrs=" not in self.address.url:
            options = {"target_session_attrs": READ_WRITE} | options
        reasons = []
        for host in self._ordered():
            one = {**options, "host": host[0], "port": host[1]}
            try:
                connection = await self._try(accept, seconds_max or HOST_SECONDS_MAX, one)
            except BROKEN as error:
                reasons.append(f"{_shown(host)}: {why(error)}")
            else:
                self._note(_shown(host))
                return connection
        raise OSError("; ".join(reasons))

    def _ordered(self) -> Sequence[tuple[str, int | None]]:
        def rank(host: tuple[str, int | None]) -> tuple[bool, bool]:
            shown = _shown(host)
            return shown == self._distrusted, shown != self.used

        return sorted(self._hosts, key=rank)

    async def _try(self, accept: Accept | None, seconds: float, options: dict[str, Any]) -> Any:
        async with asyncio.timeout(seconds):
            connection = await asyncpg.connect(self.address.url, timeout=None, **options)
            try:
                watch_socket(connection)
                if accept is not None:
                    await accept(connection)
            except BaseException:
                connection.terminate()
                raise
        return connection

    def _note(self, shown: str) -> None:
        if shown != self.used and self.used:
            self.failovers += 1
            _log.warning("connected to %s, and no longer to %s", shown, self.used)
        self.used = shown
        if shown != self._distrusted:
            self._distrusted = ""


def _shown(host: tuple[str, int | None]) -> str:
    name, port = host
    return name if port is None else f"{name}:{port}"


def watch_socket(connection: Any) -> None:
    """Have the kernel end a connection whose other side is lost, where it can."""
    transport = connection._transport  # noqa: SLF001 - the driver has no other way to its socket
    opened = transport.get_extra_info("socket")
    if opened is None or opened.family not in (socket.AF_INET, socket.AF_INET6):
        return
    for level, name, value in _SOCKET_OPTIONS:
        option = getattr(socket, name, None)
        if option is not None:
            with contextlib.suppress(OSError):
                opened.setsockopt(level, option, value)
