"""A DAX listener in this process, whose calls are answered by functions of tests."""

import asyncio
import contextlib

from hashrange.dax.protocol.session import Received
from hashrange.observe.figures import Traffic
from hashrange.server.addresses import bound
from hashrange.server.dax.connection import DaxState
from hashrange.server.dax.listener import DaxListener
from hashrange.server.http_limits import HttpLimits
from tests.pace import turns
from tests.unit.server.harness import PATIENCE_SECONDS, StillClock

HELLO = bytes.fromhex("674a37796e65354700f6a16955736572 4167656e7461 4a00".replace(" ", ""))
ENDPOINTS = bytes.fromhex("011a1b2bcf02")


class Open:
    """Connections need no signature."""

    is_required = False


OPEN = Open()


class Server:
    """A listener that runs."""

    def __init__(self, state, listener, clock, port):
        self.state = state
        self.clock = clock
        self.port = port
        self._listener = listener

    async def after(self, seconds):
        """Let time pass, and the listener notice."""
        self.clock.seconds += seconds
        self._listener.sweep()
        await turns(5)

    async def stop(self):
        await self._listener.stop(drain_seconds=1)

    @contextlib.asynccontextmanager
    async def client(self, data=HELLO):
        """Reader and writer of a connection that has sent a handshake."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        try:
            yield reader, writer
        finally:
            writer.close()


@contextlib.asynccontextmanager
async def serving(respond, authorizer=OPEN, **limits):
    """A server that answers with that function; drained at the end, at once."""
    clock = StillClock()
    state = DaxState(respond, authorizer, HttpLimits(**limits), Traffic())
    listener = DaxListener(state, clock.monotonic_ns)
    sockets = await bound("127.0.0.1", 0)
    await listener.start(sockets, None)
    async with asyncio.timeout(PATIENCE_SECONDS):
        try:
            yield Server(state, listener, clock, sockets[0].getsockname()[1])
        finally:
            if not state.is_draining:
                await listener.stop(drain_seconds=0)


async def numbered(_client, received: Received):
    """Answers with the number of the method."""
    return str(received.number).encode() + b";"
