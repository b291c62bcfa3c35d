"""Responses of the HTTP server itself: refusals, constant responses, ids of requests."""

from collections.abc import Callable
from itertools import count
from typing import Final

from hashrange.errors import DynamoError, Fault
from hashrange.messages import server as messages
from hashrange.server.http_limits import HttpLimits
from hashrange.wire.answers import encode_error
from hashrange.wire.exchange import Response

TEXT: Final = b"text/plain; charset=utf-8"


def _fault(status: int, fault: Fault, message: str | None = None) -> Response:
    return Response(status, encode_error(DynamoError(fault, message)))


INTERNAL_ERROR: Final = _fault(500, Fault.INTERNAL, messages.internal_server_error())
"""Any unexpected exception: the log has the details, the client gets no more than this."""

UNKNOWN_OPERATION: Final = Response(404, b"<UnknownOperationException/>\n", b"application/xml")
"""A method, path or content type that the endpoint does not have."""

MALFORMED: Final = _fault(400, Fault.SERIALIZATION)
"""Bytes that are not an HTTP request, or a body that is not of its Content-Encoding."""

UNKNOWN_CONTENT_ENCODING: Final = _fault(
    415, Fault.SERIALIZATION, messages.unknown_content_encoding()
)
UNKNOWN_TRANSFER_ENCODING: Final = _fault(
    501, Fault.SERIALIZATION, messages.unknown_transfer_encoding()
)
UNKNOWN_EXPECTATION: Final = _fault(417, Fault.SERIALIZATION, messages.unknown_expectation())
TOO_LATE: Final = _fault(503, Fault.UNAVAILABLE, messages.too_late())
"""The request has waited too long; the client may retry."""
SHUTTING_DOWN: Final = _fault(503, Fault.UNAVAILABLE, messages.shutting_down())


BODY_TOO_LARGE: Final = Response(413, b"")
"""The body, as sent, exceeds the limit. The service answers nothing but the status."""


def decoded_body_too_large(limits: HttpLimits) -> Response:
    """413, with a text of our own: the service does not limit what a body decompresses to."""
    text = messages.decoded_body_too_large(limits.body_bytes_max)
    return _fault(413, Fault.SERIALIZATION, text)


def request_line_too_long(limits: HttpLimits) -> Response:
    """400: the service's status, with a text of our own."""
    text = messages.request_line_too_long(limits.request_line_bytes_max)
    return _fault(400, Fault.SERIALIZATION, text)


def headers_too_large(limits: HttpLimits) -> Response:
    """400: the service's status, with a text of our own."""
    text = messages.headers_too_large(limits.headers_bytes_max)
    return _fault(400, Fault.SERIALIZATION, text)


def request_too_slow(limits: HttpLimits) -> Response:
    """408: the request did not arrive within the time limit."""
    text = messages.request_too_slow(limits.request_seconds_max)
    return _fault(408, Fault.SERIALIZATION, text)


NO_ROOM: Final = _fault(503, Fault.UNAVAILABLE, messages.no_room())
"""There is no room for a long body; the client may retry."""


def too_many_connections(limits: HttpLimits) -> Response:
    """503: the client may retry."""
    text = messages.too_many_connections(limits.connections_max)
    return _fault(503, Fault.UNAVAILABLE, text)


def too_many_of_address(limits: HttpLimits) -> Response:
    """503: the client may retry."""
    assert limits.connections_per_address_max is not None, "only a limit is exceeded"
    text = messages.too_many_of_address(limits.connections_per_address_max)
    return _fault(503, Fault.UNAVAILABLE, text)


_ALPHABET: Final = b"0123456789ABCDEFGHIJKLMNOPQRSTUV"
_PREFIX_CHARS: Final = 39
RANDOM_BYTES: Final = _PREFIX_CHARS
"""Random bytes that `request_ids` takes."""


def request_ids(random: bytes) -> Callable[[], bytes]:
    """A generator of ids that never repeat.

    Args:
        random: `RANDOM_BYTES` bytes that distinguish this generator from all others, in this
            process and elsewhere; five bits of each are used.

    Returns:
        A function that returns a constant random prefix and a counter: 150 ns each, a tenth of the
        cost of 52 random characters. No Python code runs in a call of it.
    """
    assert len(random) == RANDOM_BYTES, "too little to be unique"
    prefix = bytes(_ALPHABET[byte & 31] for byte in random)
    return map((prefix + b"%013d").__mod__, count()).__next__
