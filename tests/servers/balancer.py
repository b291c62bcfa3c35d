"""A balancer as small as can be: each request goes to a server at random, also of one connection.

Nothing is tried again here: a client whose server breaks off loses its connection too.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from random import Random
from typing import Self
from urllib.parse import urlsplit

from tests.pace import seconds


class Balancer:
    """Listens on a free port, in a thread of its own.

    Args:
        urls: gives the servers that there are now.
    """

    def __init__(self, urls: Callable[[], Sequence[str]], seed: int) -> None:
        self._urls = urls
        self._random = Random(seed)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._run(),), daemon=True)
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(seconds(20)), "the balancer did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(seconds(20))

    async def _run(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        listening = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = listening.sockets[0].getsockname()
        self.url = f"http://{host}:{port}"
        self._ready.set()
        await self._over.wait()
        listening.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        servers: dict[str, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}
        try:
            while request := await _message(reader):
                url = self._random.choice(self._urls())
                if url not in servers:
                    place = urlsplit(url)
                    servers[url] = await asyncio.open_connection(place.hostname, place.port)
                from_server, to_server = servers[url]
                to_server.write(request)
                response = await _message(from_server)
                if not response:
                    break
                writer.write(response)
                await writer.drain()
        except (OSError, IndexError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return  # one of the two has gone, or the test is over
        finally:
            for _, stream in [*servers.values(), (None, writer)]:
                stream.transport.abort()


async def _message(reader: asyncio.StreamReader) -> bytes:
    """A request or response with its body; nothing at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return b""
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return head + await reader.readexactly(int(value))
    return head
