"""Headers that change a body: Content-Encoding and Accept-Encoding."""

from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.limits.server import COMPRESSED_ANSWER_BYTES_MIN
from hashrange.server import responses
from hashrange.server.compression import (
    BodyTooLargeError,
    CorruptBodyError,
    UnknownEncodingError,
    accepted,
    compressed,
    decoded,
)
from hashrange.server.endpoint_state import EndpointState
from hashrange.wire.exchange import Request, Response

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
