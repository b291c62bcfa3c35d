"""A listener in this process, a clock that stands still, and a client that sends raw bytes."""

import asyncio
import contextlib
import socket
import struct
import zlib
from dataclasses import dataclass
from itertools import chain, pairwise, repeat

from hashrange.observe.figures import Traffic
from hashrange.server.addresses import bound
from hashrange.server.http_limits import HttpLimits
from hashrange.server.listener import Listener
from hashrange.server.reader import RequestReader
from hashrange.server.responses import request_ids
from hashrange.wire.exchange import Response
from tests.pace import seconds, turns

PATIENCE_SECONDS = seconds(20)
"""A test that waits longer has found a hang."""


class StillClock:
    """Moves only when it is told to."""

    def __init__(self):
        self.seconds = 1_000

    def now_ms(self):
        return self.seconds * 1000

    def monotonic_ns(self):
        return self.seconds * 1_000_000_000

    def new_uuid(self):
        raise AssertionError("not asked for here")

    def random_bytes(self, count):
        raise AssertionError("not asked for here")


@dataclass
class Server:
    """A listener that runs."""

    listener: Listener
    clock: StillClock
    traffic: Traffic

    @property
    def port(self):
        return self.listener.port

    async def after(self, seconds):
        """Let time pass, and the listener notice."""
        self.clock.seconds += seconds
        self.listener.sweep()
        await turns(5)


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


async def echo(request):
    """Answers with what it was asked."""
    return Response(
        200, b"%b %b?%b %b" % (request.method, request.path, request.query, request.body)
    )


def decompressing(handler):
    """A handler that undoes the Content-Encoding of bodies first."""

    async def respond(request):
        if request.decompress is not None and (refusal := request.decompress(request)) is not None:
            return refusal
        return await handler(request)

    return respond


@contextlib.asynccontextmanager
async def serving(handler=echo, *, pages=None, ssl=None, is_refused_early=None, **limits):
    """A server with that handler; drained at the end, at once."""
    clock, traffic = StillClock(), Traffic()
    listener = Listener(clock, traffic)
    if is_refused_early is not None:
        listener.is_refused_early = is_refused_early
    await listener.start(
        handler,
        pages=pages,
        sockets=await bound("127.0.0.1", 0),
        limits=HttpLimits(**limits),
        request_id=request_ids(bytes(39)),
        ssl=ssl,
    )
    async with asyncio.timeout(PATIENCE_SECONDS):
        try:
            yield Server(listener, clock, traffic)
        finally:
            await listener.stop(drain_seconds=0)


class Client:
    """One connection."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer
        self._peeked = b""

    def send(self, data):
        self.writer.write(data)

    def end(self):
        """No more will be sent."""
        self.writer.write_eof()

    def stop_reading(self):
        """Leave what comes unread; the kernel keeps 4 MB for the server and next to nothing here.

        Left to itself it may give the connection 32 MB, and take a whole answer.
        """
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        self.writer.transport.pause_reading()

    def read_on(self):
        self.writer.transport.resume_reading()

    def reset(self):
        """Vanish: a plain close looks to the server like a client that still reads."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def answer(self, *, method=b"POST"):
        """The next answer, its checksum and length proven; None at the end of the connection."""
        if await self.at_end():
            return None
        head = self._peeked + await self.reader.readuntil(b"\r\n\r\n")
        self._peeked = b""
        lines = head.decode("latin-1").split("\r\n")
        version, status, _reason = lines[0].split(" ", 2)
        assert version == "HTTP/1.1"
        if status == "100":
            return Answer(100, {}, b"")
        headers = {}
        for line in lines[1:-2]:
            name, _, value = line.partition(": ")
            assert name.lower() not in headers, "sent twice"
            headers[name.lower()] = value
        size = int(headers["content-length"])
        body = b"" if method == b"HEAD" else await self.reader.readexactly(size)
        if method != b"HEAD":
            assert int(headers["x-amz-crc32"]) == zlib.crc32(body)
        assert len(headers["x-amzn-requestid"]) == 52
        return Answer(int(status), headers, body)

    async def answers(self, methods=()):
        """All answers until the server ends the connection, to requests with these methods."""
        found = []
        expected = chain(methods, repeat(b"POST"))
        while (answer := await self.final_answer(next(expected))) is not None:
            found.append(answer)
        return found

    async def final_answer(self, method):
        """The next answer that is more than leave to continue."""
        while (answer := await self.answer(method=method)) is not None and answer.status == 100:
            pass
        return answer

    async def at_end(self):
        """Waits for a byte or the end; a reset is an end too."""
        try:
            self._peeked = self._peeked or await self.reader.read(1)
        except ConnectionError:
            return True
        return not self._peeked

    async def close(self):
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


@contextlib.asynccontextmanager
async def connected(server, *, ssl=None):
    """A client of the server."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, ssl=ssl)
    client = Client(reader, writer)
    try:
        yield client
    finally:
        await client.close()


def post(body=b"", *, path=b"/", headers=b""):
    """A request as SDKs send it; `headers` are whole lines."""
    return b"POST %b HTTP/1.1\r\nHost: h\r\n%bContent-Length: %d\r\n\r\n%b" % (
        path,
        headers,
        len(body),
        body,
    )


def read(pieces, limits=None):
    """All requests, and the reader; whole requests are taken at once, as by a fast handler."""
    reader = RequestReader(HttpLimits() if limits is None else limits)
    found = []
    for piece in pieces:
        reader.feed(piece)
        while reader.requests:
            found.append(reader.requests.popleft())
            if not reader.requests:
                reader.feed(b"")
    return found, reader


def cut(data, positions):
    positions = [0, *sorted(positions), len(data)]
    return [data[a:b] for a, b in pairwise(positions)]
