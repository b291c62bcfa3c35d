"""The bytes of one connection as a state machine: bytes in, requests out. No socket, no clock.

BETWEEN --first byte--> HEAD --blank line--> BODY --last byte--> BETWEEN
BODY --last byte of a request that asks for it--> closed
any --malformed, too large--> closed, with a refusal

Limits are looked at while the bytes arrive, so that no sender makes this hold more than one body
and a few pieces beside it.
"""

from collections import deque
from typing import Final, NoReturn

from httptools import (
    HttpParserCallbackError,
    HttpParserError,
    HttpParserUpgrade,
    HttpRequestParser,
)

from hashrange.limits import HTTP_PIECE_BYTES_MAX
from hashrange.server import responses
from hashrange.server.exchange import Request, Response
from hashrange.server.http_limits import HttpLimits

_NOTHING: Final = memoryview(b"")
_LINE_EXTRA_BYTES: Final = len(b"  HTTP/1.1\r\n")
"""Of a request line beside its method and target."""
_HEADER_EXTRA_BYTES: Final = 4
"""Of a header beside name and value: colon, space, the line's end."""


class _ClosedError(Exception):
    """Ends the parser's call, which would go on to what follows."""


class RequestReader:
    """Reads one connection.

    `requests` holds what is whole and not yet taken; while there are any, what follows stays in
    `unread`, and `feed(b"")` goes on with it. `is_open` tells whether more may come; once it is
    not, `refusal` is the last answer to give, None if the client itself asked for the end.
    `receiving`: a request has begun and is not whole; `is_new`: it began since its owner last
    looked. `continue_owed`: the client waits for `100 Continue` before it sends the body.
    """

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        # A head that comes in one piece is within the limits, whatever it holds.
        self._piece_bytes_max = min(
            HTTP_PIECE_BYTES_MAX, limits.headers_bytes_max, limits.request_line_bytes_max
        )
        self._length_digits = len(str(limits.body_bytes_max))
        self._target: list[bytes] = []
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        # What only collects is done in C.
        self.on_url = self._target.append
        self.on_body = self._body.append
        self._parser = HttpRequestParser(self)
        self._head: Request | None = None
        self._is_chunked = self._is_last = False
        self._run_bytes = self._body_bytes = 0
        self._parts_seen = -1
        self._replay = b""
        self.requests: deque[Request] = deque()
        self.unread = _NOTHING
        self.is_open = True
        self.receiving = False
        self.is_new = False
        self.continue_owed = False
        self.refusal: Response | None = None

    def feed(self, data: bytes | memoryview) -> None:
        """Take what has arrived; looks only as far as the next whole requests."""
        if self.unread or len(data) > self._piece_bytes_max or not self.is_open:
            self._feed_in_pieces(data)
            return
        try:
            while True:  # bounded: each round leaves a request behind
                try:
                    self._parser.feed_data(data)
                    break
                except HttpParserUpgrade as upgrade:
                    data = self._replay + bytes(data[upgrade.args[0] :])
                    self._parser = HttpRequestParser(self)
        except HttpParserError as error:
            self._end(error)
        else:
            if self.receiving:
                self._bound(len(data))

    def _feed_in_pieces(self, data: bytes | memoryview) -> None:
        unread = memoryview(bytes(self.unread) + data if self.unread else data)
        self.unread = _NOTHING
        while unread and self.is_open and not self.requests:
            piece, unread = unread[: self._piece_bytes_max], unread[self._piece_bytes_max :]
            self.feed(piece)
        self.unread = unread if self.is_open else _NOTHING

    def close(self) -> None:
        """Read no more: the connection ends after the requests that are whole."""
        self.is_open = False
        self.unread = _NOTHING

    def abandon(self) -> None:
        """Let go of all that was read: the client has gone.

        Parser and reader hold each other. Left to themselves they would keep a body of 16 MB until
        the next search for cycles, which is rare where requests leave none.
        """
        self.close()
        self.requests.clear()
        self._body.clear()
        self._head = None
        del self._parser

    def finish(self) -> None:
        """Read no more than the request that is being received."""
        if self.receiving:
            self._is_last = True
        else:
            self.close()

    def refuse(self, response: Response) -> None:
        """Read no more; `response` is the last answer."""
        self.refusal = response
        self.close()

    def _end(self, error: HttpParserError) -> None:
        if isinstance(error, HttpParserCallbackError) and not isinstance(
            error.__context__, _ClosedError
        ):
            raise error
        if self.is_open:
            self.refuse(responses.MALFORMED)

    def _bound(self, piece_bytes: int) -> None:
        # The parser keeps, and does not report, what is not whole: the beginning of a header or of
        # a trailer. Nor does it bound the extension of a chunk.
        limits = self._limits
        self._run_bytes += piece_bytes
        if self._head is not None:
            parts, seen = len(self._body), self._parts_seen
            if parts != seen:
                if seen < 0:  # the first look, and the head alone is progress
                    seen = self._body_bytes = 0
                self._body_bytes += _bytes_of(self._body[seen:])
                self._parts_seen = parts
                self._run_bytes = 0
            if self._body_bytes > limits.body_bytes_max:
                self.refuse(responses.body_too_large(limits))
            elif self._run_bytes > limits.headers_bytes_max:
                self.refuse(responses.headers_too_large(limits))
        elif _line_bytes(self._parser, self._target) > limits.request_line_bytes_max:
            self.refuse(responses.request_line_too_long(limits))
        elif self._run_bytes > (
            # The first piece may hold other requests before this one.
            limits.request_line_bytes_max + limits.headers_bytes_max + self._piece_bytes_max
        ):
            self.refuse(responses.headers_too_large(limits))

    def on_message_begin(self) -> None:
        """A request's first byte."""
        self.receiving = self.is_new = True
        self._run_bytes = 0
        self._parts_seen = -1
        self._headers = {}

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header or trailer."""
        headers = self._headers
        name = name.lower()
        if name not in headers:
            headers[name] = value
        elif name != b"accept-encoding":
            headers[name] += b"," + value

    def on_headers_complete(self) -> None:
        """The head is whole: it is refused here, or its body will be read."""
        parser = self._parser
        headers = self._headers
        if self._run_bytes:  # in several pieces: see `_piece_bytes_max`
            line_bytes = _line_bytes(parser, self._target)
            refusal = _head_refusal(self._limits, line_bytes, _header_bytes(headers))
            if refusal is not None:
                self._stop(refusal)
            self._target[:] = [b"".join(self._target)]
        target = self._target.pop()
        if parser.should_upgrade():
            # The parser would leave the body of such a request unread, so it begins again with a
            # head that does not ask: Java's own HTTP client asks for h2c on every plain connection.
            if parser.get_method() == b"CONNECT":
                self._stop(responses.UNKNOWN_OPERATION)
            self._replay = _head_without_upgrade(parser, target, headers)
            return
        path, query = (target, b"") if target == b"/" else _path_and_query(target)
        self._head = Request(parser.get_method(), path, query, headers, b"")
        length = headers.get(b"content-length")
        if length is None:
            self._is_chunked = True  # or there is none
            # Trailers must not become headers.
            self._headers = {}
        elif len(length) >= self._length_digits and int(length) > self._limits.body_bytes_max:
            self._stop(responses.body_too_large(self._limits))
        if b"expect" in headers:
            if headers[b"expect"].lower() != b"100-continue":
                self._stop(responses.UNKNOWN_EXPECTATION)
            # HTTP/1.0 has no answers before the answer.
            self.continue_owed = parser.get_http_version() != "1.0"

    def on_message_complete(self) -> None:
        """The request is whole."""
        request = self._head
        if request is None:
            return
        self._head = None
        body = self._body
        request.body = b"".join(body)
        body.clear()
        self.receiving = self.continue_owed = False
        if self._is_chunked:
            self._is_chunked = False
            if len(request.body) > self._limits.body_bytes_max:
                self._stop(responses.body_too_large(self._limits))
        self.requests.append(request)
        if self._is_last or not self._parser.should_keep_alive():
            self.close()
            raise _ClosedError

    def _stop(self, response: Response) -> NoReturn:
        self._body.clear()
        self.refuse(response)
        raise _ClosedError


def _head_refusal(limits: HttpLimits, line_bytes: int, header_bytes: int) -> Response | None:
    if line_bytes > limits.request_line_bytes_max:
        return responses.request_line_too_long(limits)
    if header_bytes > limits.headers_bytes_max:
        return responses.headers_too_large(limits)
    return None


def _line_bytes(parser: HttpRequestParser, target: list[bytes]) -> int:
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
