"""Upstreams that answer what tests tell them to, byte by byte, and the clients of them."""

import asyncio
import contextlib
import re
from functools import wraps
from urllib.parse import urlsplit

from hashrange.access.signatures.signing import Credentials
from hashrange.clock import SystemClock
from hashrange.dax.upstream.client import Client, Sent
from hashrange.dax.upstream.credentials import FixedCredentials
from tests.pace import turns

KEYS = Credentials(access_key="local", secret_key="local", session_token=None, region="us-east-1")


def in_loop(test):
    """Runs a test in an event loop of its own."""

    @wraps(test)
    def run(*arguments, **named):
        asyncio.run(test(*arguments, **named))

    return run


def answer(body=b"{}", status=200, *headers):
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Upstream:
    """Answers each request with the next of its answers; the last one again and again.

    Attributes:
        bodies: of the requests that came.
        keys: the access key and the session token of each of them; None for no token.
        connections: how many were made.
    """

    def __init__(self, *answers):
        self._answers = list(answers)
        self.bodies, self.keys = [], []
        self.connections = 0
        self.url = ""
        self.arrived = asyncio.Event()
        self._tasks = []

    async def end(self):
        """End all connections."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def serve(self, reader, writer):
        self.connections += 1
        self._tasks.append(asyncio.current_task())
        with contextlib.suppress(asyncio.CancelledError):
            await self._answer(reader, writer)
        writer.transport.abort()

    async def _answer(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                (length,) = (
                    line for line in head.split(b"\r\n") if line.lower().startswith(b"content-l")
                )
                self.bodies.append(await reader.readexactly(int(length.partition(b":")[2])))
                self.keys.append(_keys_in(head.decode()))
                self.arrived.set()
                sent = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
                if sent is None:
                    break
                if isinstance(sent, asyncio.Event):
                    await sent.wait()
                    break
                for part in [sent] if isinstance(sent, bytes) else sent:
                    writer.write(part)
                    await writer.drain()


def _keys_in(head):
    token = re.search(r"^X-Amz-Security-Token: (.*?)\r$", head, re.MULTILINE)
    return re.search(r"Credential=(.*?)/", head)[1], token and token[1]


@contextlib.asynccontextmanager
async def serving(*answers):
    """An upstream that runs."""
    upstream = Upstream(*answers)
    server = await asyncio.start_server(upstream.serve, "127.0.0.1", 0)
    upstream.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield upstream
    finally:
        server.close()
        await upstream.end()
        await turns()  # transports are closed in the next turn


@contextlib.asynccontextmanager
async def client_of(url, credentials=None, **options):
    source = credentials or FixedCredentials(KEYS)
    client = Client(urlsplit(url), source, SystemClock(), None, **options)
    try:
        yield client
    finally:
        await client.close()


def sent(body=b"{}", operation="GetItem", **members):
    return Sent(**{"operation": operation, "body": body, "is_repeatable": True, **members})
