"""A tap between a client and a PostgreSQL: counts round trips as the wire has them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class WireTap:
    """Forwards connections to a port. A trip is bytes to the server after bytes from it."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self.trips = 0
        self._upstream = port
        self._asked = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._upstream)
        with suppress(ConnectionError):
            await asyncio.gather(self._pump(reader, back, True), self._pump(there, writer, False))

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_request: bool
    ) -> None:
        while data := await reader.read(1 << 20):
            self.trips += is_request and not self._asked
            self._asked = is_request
            writer.write(data)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def tapped(port: int) -> AsyncIterator[WireTap]:
    tap = WireTap(port)
    server = await asyncio.start_server(tap.serve, "127.0.0.1", 0)
    tap.port = server.sockets[0].getsockname()[1]
    try:
        yield tap
    finally:
        server.close()
