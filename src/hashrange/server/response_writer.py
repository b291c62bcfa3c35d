"""Encodes a response into one `bytes` and writes it to its connection.

Status line, Date, Content-Type and Connection are the same for many responses: they are encoded
once a second for each combination that occurs.
"""

import asyncio
from collections.abc import Callable
from time import gmtime
from typing import Final
from zlib import crc32

from hashrange.observe.figures import Traffic
from hashrange.wire.answers import JSON_1_0
from hashrange.wire.exchange import Response

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"

_REASONS: Final = {
    200: b"OK",
    204: b"No Content",
    301: b"Moved Permanently",
    302: b"Found",
    304: b"Not Modified",
    400: b"Bad Request",
    401: b"Unauthorized",
    403: b"Forbidden",
    404: b"Not Found",
    405: b"Method Not Allowed",
    408: b"Request Timeout",
    413: b"Content Too Large",
    415: b"Unsupported Media Type",
    417: b"Expectation Failed",
    500: b"Internal Server Error",
    501: b"Not Implemented",
    503: b"Service Unavailable",
}
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_COLLECTED_BYTES_MAX: Final = 64 * 1024
"""Longer answers are written at once: in one turn many connections may have one."""
_HEADS_MAX: Final = 256
"""Combinations cached: a handler with ever new content types must not fill the memory."""


class ResponseWriter:
    """Writes the responses of all connections of a listener.

    Args:
        epoch_s: the time, for the Date header; `tick` moves it on.
        request_id: the source of ids, of 52 characters of 0-9 and A-Z.
        traffic: counts the bytes that are sent.
    """

    __slots__ = (
        "_date",
        "_epoch_s",
        "_frequent",
        "_heads",
        "_request_id",
        "_traffic",
        "_unwritten",
    )

    def __init__(self, epoch_s: int, request_id: Callable[[], bytes], traffic: Traffic) -> None:
        self._epoch_s = -1
        self._request_id = request_id
        self._traffic = traffic
        self._unwritten: list[tuple[asyncio.WriteTransport, bytes]] = []
        self.tick(epoch_s)

    def tick(self, epoch_s: int) -> None:
        """Move the Date header to another second."""
        if epoch_s == self._epoch_s:
            return
        self._epoch_s = epoch_s
        self._date = _http_date(epoch_s)
        self._heads: dict[tuple[int, bytes, bool], bytes] = {}
        self._frequent = self._head(200, JSON_1_0, keep_alive=True)

    def send(
        self,
        response: Response,
        transport: asyncio.WriteTransport,
        *,
        keep_alive: bool,
        bodiless: bool = False,
        at_once: bool = True,
    ) -> None:
        """Write a response, in one piece.

        Most of the cost of a write is waking the client's process, and further writes are cheap
        while it is awake. So responses are collected and written at the end of the loop's turn.

        Args:
            response: its body as it is to be sent, compressed or not.
            transport: of the connection.
            keep_alive: whether another answer may follow on the connection.
            bodiless: answer to a HEAD request: length and checksum of the body, without the body.
            at_once: write now rather than at the end of the loop's turn; so are the last answer
                and a long one.
        """
        body = response.body
        if (
            response.status == 200  # noqa: PLR2004 - the status that nearly all have
            and keep_alive
            and response.content_type == JSON_1_0
        ):
            head = self._frequent
        else:
            head = self._head(response.status, response.content_type, keep_alive=keep_alive)
        more = b""
        if response.headers:
            more = b"".join([b"%b: %b\r\n" % header for header in response.headers])
        encoded = b"%b%b\r\nx-amz-crc32: %d\r\nContent-Length: %d\r\n%b\r\n%b" % (
            head,
            response.request_id or self._request_id(),
            crc32(body),
            len(body),
            more,
            b"" if bodiless else body,
        )
        self._traffic.bytes_sent += len(encoded)
        if at_once or not keep_alive or len(body) > _COLLECTED_BYTES_MAX:
            if self._unwritten:
                self.flush()
            transport.write(encoded)
            return
        if not self._unwritten:
            asyncio.get_running_loop().call_soon(self.flush)
        self._unwritten.append((transport, encoded))

    def flush(self) -> None:
        """Write the responses that were collected in this turn of the loop."""
        unwritten, self._unwritten = self._unwritten, []
        for transport, encoded in unwritten:
            # Its client may have reset the connection in this turn.
            if not transport.is_closing():
                transport.write(encoded)

    def _head(self, status: int, content_type: bytes, *, keep_alive: bool) -> bytes:
        key = (status, content_type, keep_alive)
        head = self._heads.get(key)
        if head is None:
            reason = _REASONS.get(status, b"")
            connection = b"keep-alive" if keep_alive else b"close"
            head = (
                b"HTTP/1.1 %d %b\r\nServer: Server\r\nDate: %b\r\nContent-Type: %b\r\n"
                b"Connection: %b\r\nx-amzn-RequestId: "
            ) % (status, reason, self._date, content_type, connection)
            if len(self._heads) < _HEADS_MAX:
                self._heads[key] = head
        return head


def _http_date(epoch_s: int) -> bytes:
    # strftime depends on the locale of the process; email.utils takes milliseconds to import.
    at = gmtime(epoch_s)
    day, month = _DAYS[at.tm_wday], _MONTHS[at.tm_mon - 1]
    date = f"{day}, {at.tm_mday:02} {month} {at.tm_year}"
    return f"{date} {at.tm_hour:02}:{at.tm_min:02}:{at.tm_sec:02} GMT".encode()
