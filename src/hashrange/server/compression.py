"""Content-Encoding: decodes bodies of requests up to a bound, compresses and adapts answers.

DynamoDB accepts gzip, also of several members, and zlib's deflate, and compresses answers of more
than 4,096 bytes. Source: measured against the service by users of another server's test suite.
"""

import zlib
from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.limits.server import COMPRESSED_ANSWER_BYTES_MIN, GZIP_MEMBERS_MAX
from hashrange.server import responses
from hashrange.server.endpoint_state import EndpointState
from hashrange.wire.exchange import Request, Response

_GZIP: Final = 31
_ZLIB: Final = 15
_WINDOWS: Final = {b"gzip": _GZIP, b"x-gzip": _GZIP, b"deflate": _ZLIB}
_STEP_BYTES: Final = 64 * 1024
"""Output decompressed at a time: a bomb is noticed at most one step after the bound."""
_INPUT_BYTES_MIN: Final = 256
_INPUT_BYTES_MAX: Final = 16 * 1024
_LEVEL: Final = 1
"""1 MB of items: 3 ms for a seventh of the size; zlib's default takes 6 ms for an eighth."""


class UnknownEncodingError(Exception):
    """A Content-Encoding other than gzip, x-gzip, deflate and identity."""


class CorruptBodyError(Exception):
    """A body that is not of its Content-Encoding: broken, cut off, or followed by other bytes."""


class BodyTooLargeError(Exception):
    """A body that decodes to more than the bound."""


def decoded(body: bytes, encoding: bytes, *, bytes_max: int) -> bytes:
    """The body without its Content-Encoding.

    Args:
        body: as sent.
        encoding: the header's value; a list of several encodings is not known.
        bytes_max: bound of the decoded body; at most one step more is allocated.

    Raises:
        UnknownEncodingError, CorruptBodyError, BodyTooLargeError.
    """
    name = encoding.strip().lower()
    if name in {b"", b"identity"}:
        return body
    window = _WINDOWS.get(name)
    if window is None:
        raise UnknownEncodingError
    try:
        return _inflated(body, window, bytes_max)
    except zlib.error as error:
        raise CorruptBodyError from error


def _inflated(body: bytes, window: int, bytes_max: int) -> bytes:
    pieces: list[bytes] = []
    position = size = 0
    for _ in range(GZIP_MEMBERS_MAX):
        member = zlib.decompressobj(window)
        # A member that ends returns a copy of its unused input. Input begins small and grows, so
        # that a body of many tiny members is not copied over and over.
        step = _INPUT_BYTES_MIN
        while not member.eof:
            piece = member.unconsumed_tail
            if not piece:
                piece = body[position : position + step]
                position += len(piece)
                step = min(step * 2, _INPUT_BYTES_MAX)
                if not piece:
                    raise CorruptBodyError
            out = member.decompress(piece, _STEP_BYTES)
            size += len(out)
            if size > bytes_max:
                raise BodyTooLargeError
            pieces.append(out)
        position -= len(member.unused_data)
        if position == len(body):
            return b"".join(pieces)
        if window != _GZIP:
            break
    raise CorruptBodyError


def accepted(header: bytes) -> bytes | None:
    """The encoding for an answer: `gzip`, `deflate`, or None for neither.

    The highest quality wins, and of equal qualities the encoding that is named first; `*` stands
    for the encodings that are not named and comes after them. `identity` is ignored. Malformed
    entries are read as DynamoDB reads them: a quality that is not a number is 1, and the first
    `q=` in an entry counts, wherever it stands.

    Args:
        header: value of the first Accept-Encoding.

    Source: measured against the service by users of another server's test suite.
    """
    best: bytes | None = None
    best_quality = any_quality = 0.0
    named = set()
    for entry in header.lower().split(b","):
        name, _, parameters = entry.partition(b";")
        name = name.strip()
        quality = _quality(parameters)
        if name == b"*":
            any_quality = quality
        elif name in _COMPRESSORS:
            named.add(name)
            if quality > best_quality:
                best, best_quality = name, quality
    if any_quality > best_quality:
        return next((name for name in _COMPRESSORS if name not in named), best)
    return best


def _quality(parameters: bytes) -> float:
    _, found, text = parameters.partition(b"q=")
    if not found:
        return 1.0
    try:
        return min(float(text.partition(b";")[0]), 1.0)
    except ValueError:
        return 1.0


def compressed(body: bytes, encoding: bytes) -> bytes:
    """The body in one of the encodings that `accepted` answers."""
    return _COMPRESSORS[encoding](body)


def _gzip(body: bytes) -> bytes:
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return compressor.compress(body) + compressor.flush()


def _deflate(body: bytes) -> bytes:
    return zlib.compress(body, _LEVEL)


_COMPRESSORS: Final[dict[bytes, Callable[[bytes], bytes]]] = {b"gzip": _gzip, b"deflate": _deflate}


_CONTENT_ENCODING: Final = b"Content-Encoding"


def decompress(
    state: EndpointState, reserve: Callable[[int], bool], request: Request
) -> Response | None:
    """Decode the body of a request that has a Content-Encoding, in place.

    Args:
        state: of the endpoint.
        reserve: whether there is room for so many bytes, which are then counted.
        request: whose `decompress` this is.

    Returns:
        None, or the refusal: 415 for an unknown encoding, 400 for a corrupt body, 413 for a body
        that is too large once it is decoded, 503 if there is no room for it.
    """
    request.decompress, limits = None, state.limits
    encoding = request.headers[b"content-encoding"]
    try:
        body = decoded(request.body, encoding, bytes_max=limits.body_bytes_max)
    except UnknownEncodingError:
        return responses.UNKNOWN_CONTENT_ENCODING
    except CorruptBodyError:
        return responses.MALFORMED
    except BodyTooLargeError:
        return responses.decoded_body_too_large(limits)
    request.body = body
    has_room = len(body) <= state.long_bytes_min or reserve(state.weigh(body))
    return None if has_room else responses.NO_ROOM


def adapted(request: Request, response: Response) -> Response:
    """The response, compressed if it is large and the client accepts it."""
    headers, body = response.headers, response.body
    if len(body) > COMPRESSED_ANSWER_BYTES_MIN:
        encoding = accepted(request.headers.get(b"accept-encoding", b"identity"))
        if encoding is not None and all(name != _CONTENT_ENCODING for name, _ in headers):
            body = compressed(body, encoding)
            headers += ((_CONTENT_ENCODING, encoding),)
    return msgspec.structs.replace(response, body=body, headers=headers)
