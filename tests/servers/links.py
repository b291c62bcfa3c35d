"""The network between servers: a port for each direction, which can be cut."""

import asyncio
import contextlib
import itertools
import threading
from typing import Self

from tests.pace import seconds


class Links:
    """Forwards connections, in a thread of its own.

    Args:
        ports: where the servers listen, by name.
    """

    def __init__(self, ports: dict[str, int]) -> None:
        self._ports = ports
        self._cut: set[tuple[str, str]] = set()
        self._open: dict[tuple[str, str], set[asyncio.StreamWriter]] = {}
        self._ready = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._run(),), daemon=True)
        self.urls: dict[tuple[str, str], str] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(seconds(20)), "the links did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(seconds(20))

    def cut(self, *pairs: tuple[str, str]) -> None:
        """Cut these directions, from a server to another, and no others."""

        def change() -> None:
            self._cut = set(pairs)
            for pair in pairs:
                for writer in self._open[pair]:
                    writer.transport.abort()

        self._loop.call_soon_threadsafe(change)

    def isolate(self, name: str) -> None:
        """Cut a server off from all others."""
        self.cut(*(pair for pair in self._open if name in pair))

    async def _run(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        pairs = itertools.permutations(self._ports, 2)
        listening = [await self._listen(pair) for pair in pairs]
        self._ready.set()
        await self._over.wait()
        for each in listening:
            each.close()

    async def _listen(self, pair: tuple[str, str]) -> asyncio.Server:
        self._open[pair] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                await self._forward(pair, reader, writer)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.urls[pair] = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server

    async def _forward(
        self, pair: tuple[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if pair in self._cut:
            return
        there, to = await asyncio.open_connection("127.0.0.1", self._ports[pair[1]])
        both = {writer, to}
        self._open[pair] |= both
        try:
            await asyncio.gather(_pipe(reader, to), _pipe(there, writer))
        finally:
            self._open[pair] -= both
            for each in both:
                each.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
