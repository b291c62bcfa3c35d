"""One connection of HTTP/1.1 to the upstream: one request at a time, kept alive."""

import asyncio
import contextlib
from typing import Any, Final, cast
from zlib import crc32

import httptools
import msgspec

from hashrange.limits.dax import UPSTREAM_ANSWER_BYTES_MAX, UPSTREAM_HEADER_BYTES_MAX

_CHECKSUM: Final = b"x-amz-crc32"
_CONTINUE: Final = 100


class UnansweredError(Exception):
    """The connection has ended before the answer, or the answer is not one of HTTP."""


class HttpAnswer(msgspec.Struct, frozen=True):
    """An answer, whose checksum is right if it has one."""

    status: int
    body: bytes


class UpstreamConnection(asyncio.Protocol):
    """A connection, and the parser of its answers.

    Attributes:
        used_ns: when its last answer came, set by the pool.
    """

    def __init__(self) -> None:
        self.used_ns = 0
        self._transport: asyncio.Transport | None = None
        self._parser: Any = None
        self._awaited: asyncio.Future[HttpAnswer] | None = None
        self._body: list[bytes] = []
        self._bytes = self._header_bytes = 0
        self._checksum: bytes | None = None

    @property
    def is_usable(self) -> bool:
        """Whether another request can be sent."""
        transport = self._transport
        return transport is not None and not transport.is_closing() and self._awaited is None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake the one who waits."""
        self._transport = None
        self._fail("it has closed the connection" if exc is None else _reason(exc))

    async def send(self, request: bytes) -> HttpAnswer:
        """Send a request, and return its answer.

        Raises:
            UnansweredError: the connection ended, or the answer is not one of HTTP.
        """
        transport = self._transport
        if transport is None or transport.is_closing():
            raise UnansweredError("it has closed the connection")
        assert self._awaited is None, "one request at a time"
        self._parser = httptools.HttpResponseParser(self)
        self._awaited = asyncio.get_running_loop().create_future()
        self._body, self._bytes, self._header_bytes = [], 0, 0
        self._checksum = None
        transport.write(request)
        try:
            return await self._awaited
        except BaseException:
            self.close()
            raise
        finally:
            self._awaited = None

    def close(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse a part of the answer; close if nobody has asked."""
        if self._awaited is None or self._awaited.done():
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._fail("its answer is not HTTP")
            self.close()

    def on_message_begin(self) -> None:
        """Close if an answer follows that nobody has asked for: another caller would get it."""
        if self._awaited is None or self._awaited.done():
            self.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take the checksum, and bound the headers."""
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > UPSTREAM_HEADER_BYTES_MAX:
            self._fail("the headers of its answer are too large")
            self.close()
        elif name.lower() == _CHECKSUM:
            self._checksum = value

    def on_body(self, part: bytes) -> None:
        """Take a part of the body, and bound it."""
        self._bytes += len(part)
        if self._bytes > UPSTREAM_ANSWER_BYTES_MAX:
            self._fail("its answer is too large")
            self.close()
        else:
            self._body.append(part)

    def on_message_complete(self) -> None:
        """Give the answer to the one who waits."""
        status = self._parser.get_status_code()
        awaited = self._awaited
        if status // 100 * 100 == _CONTINUE or awaited is None or awaited.done():
            return
        body = b"".join(self._body)
        self._body = []
        if self._checksum is not None and self._checksum != b"%d" % crc32(body):
            self._fail("its answer was damaged on its way")
            self.close()
            return
        awaited.set_result(HttpAnswer(status, body))
        if not self._parser.should_keep_alive():
            self.close()

    def _fail(self, reason: str) -> None:
        if self._awaited is not None and not self._awaited.done():
            with contextlib.suppress(asyncio.InvalidStateError):
                self._awaited.set_exception(UnansweredError(reason))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
