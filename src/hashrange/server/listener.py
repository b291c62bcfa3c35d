"""The listening sockets, the timer of all connections, and the shutdown.

A timer for each request or connection would cost as much as a small request. One timer checks all
connections once a second instead, which is exact enough for limits in seconds.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Sequence
from math import ceil
from ssl import SSLContext
from typing import Final

from hashrange.clock import Clock, SystemClock
from hashrange.limits.server import HTTP_ACCEPTED_MAX, HTTP_BACKLOG_MAX
from hashrange.observe.figures import Traffic
from hashrange.server.connection import Connection
from hashrange.server.draining import begin_drain
from hashrange.server.hosts import ANY_ORIGIN, Origins
from hashrange.server.http_limits import SWEEP_SECONDS, HttpLimits
from hashrange.server.listener_state import ListenerState, never
from hashrange.server.response_writer import ResponseWriter
from hashrange.server.tls import TlsAcceptor
from hashrange.wire.exchange import Handler, Request

_MS_PER_S: Final = 1000
_NS_PER_S: Final = 1_000_000_000


class Listener:
    """Accepts HTTP/1.1 connections and answers them with a handler.

    Attributes:
        on_renewed: called with another context of TLS, for other ports of the server; None for
            nobody.
        is_refused_early: whether a request to `POST /` is refused for its head, so that its body
            need not be received; to be set before the start.

    Args:
        clock: for the Date header and for timeouts; the machine's if None.
        traffic: counts connections and bytes; counters of its own if None.
        origins: those whose web pages are answered.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        traffic: Traffic | None = None,
        origins: Origins = ANY_ORIGIN,
    ) -> None:
        self._clock = SystemClock() if clock is None else clock
        self._traffic = Traffic() if traffic is None else traffic
        self._origins = origins
        self._state: ListenerState | None = None
        self._servers: list[asyncio.Server] = []
        self._listening: Sequence[socket.socket] = ()
        self._adopting: set[asyncio.Task[None]] = set()
        self._tls: TlsAcceptor | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._drained: asyncio.Future[None] | None = None
        self._drain_until_s = 0
        self._sweep_seconds = SWEEP_SECONDS
        self.on_renewed: Callable[[SSLContext], None] | None = None
        self.is_refused_early: Callable[[Request], bool] = never
        self.port = 0
        """The TCP port, once started: the port that the system chose if 0 was asked for."""

    async def start(
        self,
        handler: Handler,
        *,
        pages: Handler | None = None,
        sockets: Sequence[socket.socket],
        limits: HttpLimits,
        request_id: Callable[[], bytes],
        ssl: SSLContext | None = None,
    ) -> None:
        """Accept connections from now on.

        Args:
            handler: answers requests to `POST /`.
            pages: answers all others; None for `handler`.
            sockets: bound, not listening; the listener closes them. Empty if all connections come
                by `adopt`.
            limits: bounds of requests and connections.
            request_id: draws the next request id.
            ssl: for TLS; None for plain HTTP.

        Raises:
            OSError: another process has begun to listen on the port since the sockets were bound.
        """
        assert self._state is None, "a listener starts once"
        state = self._state = ListenerState(
            handler,
            limits,
            writer=ResponseWriter(self._now_epoch_s(), request_id, self._traffic),
            traffic=self._traffic,
            pages=pages,
            origins=self._origins,
        )
        state.is_refused_early = self.is_refused_early
        state.now_s = self._now_s()
        state.on_ended = self._on_ended
        loop = asyncio.get_running_loop()
        self.port = sockets[0].getsockname()[1] if sockets else 0
        if ssl is not None:
            self._tls = TlsAcceptor(
                ssl,
                lambda: Connection(state),
                handshakes_max=limits.handshakes_max,
                seconds_max=limits.handshake_seconds_max,
            )
        for each in sockets:
            # uvloop's create_server does not raise if listening fails.
            each.listen(HTTP_BACKLOG_MAX)
            if self._tls is not None:
                self._tls.listen(each)
                continue
            server = await loop.create_server(
                lambda: Connection(state), sock=each, backlog=HTTP_BACKLOG_MAX
            )
            self._servers.append(server)
        self._listening = sockets if self._tls is None else ()
        self._sweep_seconds = limits.sweep_seconds
        self._timer = loop.call_later(self._sweep_seconds, self._tick)

    async def adopt(self, client: socket.socket) -> None:
        """Serve a connection that another process has accepted."""
        state = self._state
        assert state is not None, "not started"
        if self._tls is not None:
            self._tls.take(client)
            return
        # asyncio turns Nagle's algorithm off only for connections that it accepts itself.
        with contextlib.suppress(OSError):  # the client has closed, as the connection will notice
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().connect_accepted_socket(lambda: Connection(state), client)

    def accept_waiting(self) -> None:
        """Accept connections that wait: uvloop accepts one in a turn, too few while turns are long.

        So a probe that connects for each page would wait for the connections of all others.
        """
        for listening in self._listening:
            for _ in range(HTTP_ACCEPTED_MAX):
                try:
                    client, _address = listening.accept()
                except OSError:  # none waits, the socket is closed, or the loop reports the error
                    break
                task = asyncio.get_running_loop().create_task(self.adopt(client))
                self._adopting.add(task)
                task.add_done_callback(self._adopting.discard)

    def renew(self, ssl: SSLContext) -> None:
        """Use another context for new connections; open connections keep theirs."""
        assert self._tls is not None, "started with TLS"
        self._tls.context = ssl
        if self.on_renewed is not None:
            self.on_renewed(ssl)

    def sweep(self) -> None:
        """Move the coarse clock on and close connections that exceed a limit; once a second."""
        state = self._state
        assert state is not None, "not started"
        state.writer.tick(self._now_epoch_s())
        state.now_s = self._now_s()
        state.is_over = state.is_draining and state.now_s >= self._drain_until_s
        for connection in list(state.connections):
            connection.check()
        self._on_ended()

    async def stop(self, *, drain_seconds: float) -> None:
        """Stop accepting, answer the requests that have begun, and close all connections.

        Idle connections are closed soon: some SDKs keep theirs open for long.

        Args:
            drain_seconds: how long to wait for requests that have begun; then their connections
                are aborted. Coarse: up to a second more.
        """
        state = self._state
        assert state is not None, "not started"
        self._drain_until_s = self._now_s() + ceil(drain_seconds)
        leaving = await begin_drain(state, self._close_sockets, drain_seconds)
        self._drained = asyncio.get_running_loop().create_future()
        self._on_ended()
        await self._drained
        leaving.cancel()
        assert self._timer is not None, "not started"
        self._timer.cancel()
        for server in self._servers:
            await server.wait_closed()

    def _close_sockets(self) -> None:
        self._listening = ()
        for server in self._servers:
            server.close()
        if self._tls is not None:
            self._tls.close()

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._sweep_seconds, self._tick)
        self.sweep()

    def _on_ended(self) -> None:
        state = self._state
        assert state is not None, "not started"
        if self._drained is None or self._drained.done() or state.connections:
            return
        if state.is_over or not state.suspended:
            self._drained.set_result(None)

    def _now_epoch_s(self) -> int:
        return self._clock.now_ms() // _MS_PER_S

    def _now_s(self) -> int:
        return self._clock.monotonic_ns() // _NS_PER_S
