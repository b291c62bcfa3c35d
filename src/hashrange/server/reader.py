"""Parses the bytes of one connection into requests: a state machine without socket and clock.

BETWEEN --first byte--> HEAD --blank line--> BODY --last byte--> BETWEEN
BODY --last byte of a request with `Connection: close`--> closed
any --malformed, too large--> closed, with a refusal

Limits are checked while the bytes arrive: no client can make the reader hold more than one body and
a few pieces.
"""

from collections import deque
from typing import Final, NoReturn

from httptools import (
    HttpParserCallbackError,
    HttpParserError,
    HttpParserUpgrade,
    HttpRequestParser,
)

from hashrange.limits.server import HTTP_PIECE_BYTES_MAX
from hashrange.server import responses
from hashrange.server.http_limits import HttpLimits
from hashrange.wire.exchange import NO_PEER, Request, Response

_HTTP2_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_CHUNKED: Final = b"chunked"
_NOTHING: Final = memoryview(b"")
_LINE_EXTRA_BYTES: Final = len(b"  HTTP/1.1\r\n")
"""Bytes of a request line without its method and target."""
_PARTS_MAX: Final = 4096
"""Parts of a body that are not joined yet: one in tiny chunks would take 20 times its size."""
_TARGET_PARTS_MAX: Final = 256
"""Parts of a target that are not joined yet."""
_HEADER_EXTRA_BYTES: Final = 4
"""Bytes of a header without name and value: colon, space and the end of the line."""


class _ClosedError(Exception):
    """Stops the parser, which would otherwise go on with the bytes that follow."""


class _Received:
    """Counts the bytes of a request that is received in several pieces.

    The parser buffers an incomplete header or trailer without reporting it, and it does not bound
    the extension of a chunk. So bytes without progress are counted, too.

    Attributes:
        idle_bytes: since the request began, its head was complete, or a part of its body came.
        body_bytes: of the parts of the body.
        parts: number of these; -1 until the head is complete.
    """

    __slots__ = ("_joined", "body_bytes", "idle_bytes", "parts")

    def __init__(self) -> None:
        self.idle_bytes = self.body_bytes = self._joined = 0
        self.parts = -1

    def count_body(self, body: list[bytes]) -> None:
        """Count the parts of the body that have come since the last call."""
        if len(body) == self.parts:
            return
        if self.parts < 0:
            self.parts = self.body_bytes = self._joined = 0
        self.body_bytes += _bytes_of(body[self.parts :])
        if len(body) - self._joined > _PARTS_MAX:
            body[self._joined :] = [b"".join(body[self._joined :])]
            self._joined += 1
        self.parts = len(body)
        self.idle_bytes = 0


class RequestReader:
    """Reads one connection.

    `requests`: complete requests that were not taken yet; while there are any, further bytes stay
    in `unread`, and `feed(b"")` parses them. `is_open`: more requests may come; if not, `refusal`
    is the last answer, None if the client asked to close. `receiving`: a request has begun and is
    not complete. `is_new`: it has begun since this flag was last cleared. `continue_owed`: the
    client waits for `100 Continue` before it sends the body. `body_bytes`: those that have come of
    the body of the incomplete request. `head`: it, if that is whole. `http2`: all from its preface.
    """

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        # A head that comes in one piece is within all limits.
        self._piece_bytes_max = min(
            HTTP_PIECE_BYTES_MAX, limits.headers_bytes_max, limits.request_line_bytes_max
        )
        self._length_digits = len(str(limits.body_bytes_max))
        self._target: list[bytes] = []
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        # The parser's callbacks that only collect bytes are functions of C.
        self.on_url = self._target.append
        self.on_body = self._body.append
        self._parser = HttpRequestParser(self)
        self.head: Request | None = None
        self._is_chunked = self._is_last = False
        self._received = _Received()
        self._replay = self.http2 = b""
        self.requests: deque[Request] = deque()
        self.unread = _NOTHING
        self.is_open = True
        self.receiving = self.is_new = self.continue_owed = False
        self.body_bytes = 0
        self.refusal: Response | None = None
        self.peer = NO_PEER

    def feed(self, data: bytes | memoryview) -> None:
        """Parse what has arrived, up to the first piece that completes a request."""
        if self.unread or len(data) > self._piece_bytes_max or not self.is_open:
            self._feed_in_pieces(data)
            return
        try:
            while True:  # each round passes one request that asks for an upgrade
                try:
                    self._parser.feed_data(data)
                    break
                except HttpParserUpgrade as upgrade:
                    data = self._replay + bytes(data[upgrade.args[0] :])
                    self._parser = HttpRequestParser(self)
        except HttpParserError as error:
            _raise_unless_closed(error)
            if self.is_open:
                self.http2 = _from_preface(data)
                self.refuse(responses.MALFORMED)
        else:
            if self.receiving:
                self._check_received(len(data))

    def _feed_in_pieces(self, data: bytes | memoryview) -> None:
        unread = memoryview(bytes(self.unread) + data if self.unread else data)
        self.unread = _NOTHING
        while unread and self.is_open and not self.requests:
            piece, unread = unread[: self._piece_bytes_max], unread[self._piece_bytes_max :]
            self.feed(piece)
        self.unread = unread if self.is_open else _NOTHING
        self.http2 += unread if self.http2 else b""

    def close(self) -> None:
        """Read no more: the connection ends after the complete requests."""
        self.is_open = False
        self.unread = _NOTHING

    def abandon(self) -> None:
        """Release all that was read: the connection is lost.

        Parser and reader refer to each other. This cycle would keep a body of 16 MB in memory until
        the next garbage collection, which is rare, since requests leave no cycles.
        """
        self.close()
        self.requests.clear()
        self._body.clear()
        self.head = None
        del self._parser

    def finish(self, *, with_next: bool) -> None:
        """Complete the request that is being received, or `with_next` the next; read no other."""
        self._is_last = self.receiving or with_next
        if not self._is_last:
            self.close()

    def give_up_body(self) -> None:
        """Queue the request whose body is being received, without it, and read no more."""
        assert self.head is not None, "a body is received"
        self.requests.append(self.head)
        self.head = None
        self._body.clear()
        self.receiving = self.continue_owed = False
        self.body_bytes = 0
        self.close()

    def refuse(self, response: Response) -> None:
        """Read no more; `response` is the last answer."""
        self.refusal = response
        self._body.clear()
        self.close()

    def _check_received(self, piece_bytes: int) -> None:
        received = self._received
        received.idle_bytes += piece_bytes
        if self.head is not None:
            received.count_body(self._body)
            self.body_bytes = received.body_bytes
            refusal = _body_refusal(self._limits, received)
        elif received.idle_bytes > self._limits.request_line_bytes_max:
            # The first piece may hold other requests before this request.
            more = self._limits.request_line_bytes_max + self._piece_bytes_max
            line_bytes = _line_bytes(self._parser, self._target)
            refusal = _head_refusal(self._limits, line_bytes, received.idle_bytes - more)
        else:
            return
        if refusal is not None:
            self.refuse(refusal)

    def on_message_begin(self) -> None:
        """Begin a request: the parser has seen its first byte."""
        self.receiving = self.is_new = True
        self._received.idle_bytes = 0
        self._received.parts = -1
        self._headers = {}

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header or trailer; a repeated header is joined by a comma."""
        headers = self._headers
        name = name.lower()
        if name not in headers:
            headers[name] = value
        elif name != b"accept-encoding":
            headers[name] += b"," + value

    def on_headers_complete(self) -> None:
        """Check the complete head: it is refused, or its body is read next."""
        parser = self._parser
        headers = self._headers
        # If it came in several pieces, these may exceed the limits together.
        if self._received.idle_bytes:
            line_bytes = _line_bytes(parser, self._target)
            refusal = _head_refusal(self._limits, line_bytes, _header_bytes(headers))
            if refusal is not None:
                self._stop(refusal)
            self._target[:] = [b"".join(self._target)]
        target = self._target.pop()
        if parser.should_upgrade():
            # After a request to upgrade, the parser does not read the body, so parsing starts again
            # with a head without Upgrade. Java's HTTP client asks for h2c on every plain
            # connection.
            if parser.get_method() == b"CONNECT":
                self._stop(responses.UNKNOWN_OPERATION)
            self._replay = _head_without_upgrade(parser, target, headers)
            return
        path, query = (target, b"") if target == b"/" else _path_and_query(target)
        self.head = Request(parser.get_method(), path, query, headers, b"", self.peer)
        length = headers.get(b"content-length")
        if length is None:
            self._is_chunked = True  # or there is no body
            # Trailers must not become headers.
            self._headers = {}
            if headers.get(b"transfer-encoding", _CHUNKED).lower() != _CHUNKED:
                self._stop(responses.UNKNOWN_TRANSFER_ENCODING)
        elif len(length) >= self._length_digits and _number(length) > self._limits.body_bytes_max:
            self._stop(responses.BODY_TOO_LARGE)
        if b"expect" in headers:
            if headers[b"expect"].lower() != b"100-continue":
                self._stop(responses.UNKNOWN_EXPECTATION)
            # HTTP/1.0 has no interim responses.
            self.continue_owed = parser.get_http_version() != "1.0"

    def on_message_complete(self) -> None:
        """Queue the complete request; stop if the client asked to close."""
        request = self.head
        if request is None:
            return
        self.head = None
        body = self._body
        request.body = b"".join(body)
        body.clear()
        self.receiving = self.continue_owed = False
        self.body_bytes = 0
        if self._is_chunked:
            self._is_chunked = False
            if len(request.body) > self._limits.body_bytes_max:
                self._stop(responses.BODY_TOO_LARGE)
        self.requests.append(request)
        if self._is_last or not self._parser.should_keep_alive():
            self.close()
            raise _ClosedError

    def _stop(self, response: Response) -> NoReturn:
        self.refuse(response)
        raise _ClosedError


def _raise_unless_closed(error: HttpParserError) -> None:
    """Raise the error of a callback, unless it only stopped the parser."""
    if isinstance(error, HttpParserCallbackError) and not isinstance(
        error.__context__, _ClosedError
    ):
        raise error


def _number(length: bytes) -> int:
    # The parser bounds the number, and not its zeros: Python reads 4,300 digits at most.
    return int(length.lstrip(b"0") or b"0")


def _body_refusal(limits: HttpLimits, received: _Received) -> Response | None:
    if received.body_bytes > limits.body_bytes_max:
        return responses.BODY_TOO_LARGE
    if received.idle_bytes > limits.headers_bytes_max:
        return responses.headers_too_large(limits)
    return None


def _head_refusal(limits: HttpLimits, line_bytes: int, header_bytes: int) -> Response | None:
    if line_bytes > limits.request_line_bytes_max:
        return responses.request_line_too_long(limits)
    if header_bytes > limits.headers_bytes_max:
        return responses.headers_too_large(limits)
    return None


def _line_bytes(parser: HttpRequestParser, target: list[bytes]) -> int:
    if len(target) > _TARGET_PARTS_MAX:
        target[:] = [b"".join(target)]
    return len(parser.get_method()) + _bytes_of(target) + _LINE_EXTRA_BYTES


def _bytes_of(texts: list[bytes]) -> int:
    return sum(map(len, texts))


def _header_bytes(headers: dict[bytes, bytes]) -> int:
    size = sum(len(name) + len(value) for name, value in headers.items())
    return size + len(headers) * _HEADER_EXTRA_BYTES


def _head_without_upgrade(
    parser: HttpRequestParser, target: bytes, headers: dict[bytes, bytes]
) -> bytes:
    version = parser.get_http_version().encode()
    lines = [b"%b %b HTTP/%b" % (parser.get_method(), target, version)]
    if b"close" in headers.pop(b"connection", b"").lower():
        lines.append(b"connection: close")
    headers.pop(b"upgrade", None)
    lines.extend(b"%b: %b" % header for header in headers.items())
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _path_and_query(target: bytes) -> tuple[bytes, bytes]:
    if not target.startswith(b"/") and b"://" in target:
        rest = target.partition(b"://")[2]
        authority_bytes = min(len(rest.partition(mark)[0]) for mark in (b"/", b"?"))
        target = rest[authority_bytes:]
        if not target.startswith(b"/"):
            target = b"/" + target
    path, _, query = target.partition(b"?")
    return path, query


def _from_preface(data: bytes | memoryview) -> bytes:
    """The bytes that were read, if they begin with the preface of HTTP/2; none otherwise."""
    return bytes(data) if data[: len(_HTTP2_PREFACE)] == _HTTP2_PREFACE else b""
