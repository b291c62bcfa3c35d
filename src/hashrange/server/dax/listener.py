"""The listening sockets of a DAX endpoint, the timer of its connections, and its shutdown."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Sequence
from math import ceil
from ssl import SSLContext
from typing import Final

from hashrange.limits.server import HTTP_BACKLOG_MAX
from hashrange.server.dax.connection import DaxConnection, DaxState
from hashrange.server.draining import begin_drain
from hashrange.server.tls import TlsAcceptor

_SWEEP_SECONDS: Final = 1.0
_NS_PER_S: Final = 1_000_000_000


class DaxListener:
    """Accepts connections of DAX clients.

    Args:
        state: shared by the connections.
        monotonic_ns: the clock.
    """

    def __init__(self, state: DaxState, monotonic_ns: Callable[[], int]) -> None:
        self._state = state
        self._monotonic_ns = monotonic_ns
        self._servers: list[asyncio.Server] = []
        self._tls: TlsAcceptor | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._drained: asyncio.Future[None] | None = None
        self._drain_until_s = 0
        state.on_ended = self._on_ended

    async def start(self, sockets: Sequence[socket.socket], ssl: SSLContext | None) -> None:
        """Accept connections of bound sockets from now on; with `ssl` they begin with TLS.

        Raises:
            OSError: another process has begun to listen on the port since the sockets were bound.
        """
        loop, state = asyncio.get_running_loop(), self._state
        state.now_s = self._now_s()
        if ssl is not None:
            self._tls = TlsAcceptor(ssl, lambda: DaxConnection(state))
        for each in sockets:
            each.listen(HTTP_BACKLOG_MAX)
            if self._tls is not None:
                self._tls.listen(each)
            else:
                server = await loop.create_server(
                    lambda: DaxConnection(state), sock=each, backlog=HTTP_BACKLOG_MAX
                )
                self._servers.append(server)
        self._timer = loop.call_later(_SWEEP_SECONDS, self._tick)

    async def adopt(self, client: socket.socket) -> None:
        """Serve a connection that another process has accepted."""
        if self._tls is not None:
            self._tls.take(client)
            return
        # asyncio turns Nagle's algorithm off only for connections that it accepts itself.
        with contextlib.suppress(OSError):  # the client has closed, as the connection will notice
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        state = self._state
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(lambda: DaxConnection(state), client)

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._state.connections)

    @property
    def listens(self) -> bool:
        """Whether clients can connect."""
        is_open = all(each.is_serving() for each in self._servers)
        return not self._state.is_draining and is_open

    def renew(self, ssl: SSLContext) -> None:
        """Use another context for new connections; open connections keep theirs."""
        if self._tls is not None:
            self._tls.context = ssl

    async def stop(self, *, drain_seconds: float) -> None:
        """Stop accepting, answer the calls that have begun, and close all connections.

        `drain_seconds` is how long to wait for them; then they are aborted.
        """
        state = self._state
        self._drain_until_s = self._now_s() + ceil(drain_seconds)
        leaving = await begin_drain(state, self._close_sockets, drain_seconds)
        self._drained = asyncio.get_running_loop().create_future()
        self._on_ended()
        await self._drained
        leaving.cancel()
        if self._timer is not None:
            self._timer.cancel()
        for server in self._servers:
            await server.wait_closed()

    def sweep(self) -> None:
        """Move the coarse clock on and close connections that exceed a limit; once a second."""
        state = self._state
        state.now_s = self._now_s()
        state.is_over = state.is_draining and state.now_s >= self._drain_until_s
        for connection in list(state.connections):
            connection.check()
        self._on_ended()

    def _close_sockets(self) -> None:
        for server in self._servers:
            server.close()
        if self._tls is not None:
            self._tls.close()

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_SWEEP_SECONDS, self._tick)
        self.sweep()

    def _on_ended(self) -> None:
        state = self._state
        if self._drained is None or self._drained.done() or state.connections:
            return
        if state.is_over or not state.suspended:
            self._drained.set_result(None)

    def _now_s(self) -> int:
        return self._monotonic_ns() // _NS_PER_S
