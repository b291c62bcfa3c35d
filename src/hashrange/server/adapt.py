"""Headers that change a body: Content-Encoding and Accept-Encoding."""

from typing import Final

import msgspec

from hashrange.limits.http import COMPRESSED_ANSWER_BYTES_MIN
from hashrange.server import responses
from hashrange.server.compression import (
    BodyTooLargeError,
    CorruptBodyError,
    UnknownEncodingError,
    accepted,
    compressed,
    decoded,
)
from hashrange.server.exchange import Request, Response
from hashrange.server.http_limits import HttpLimits

_CONTENT_ENCODING: Final = b"Content-Encoding"


def decode_body(request: Request, limits: HttpLimits) -> Response | None:
    """Decode the body of a request that has a Content-Encoding, in place.

    Returns:
        None, or the refusal: 415 for an unknown encoding, 400 for a corrupt body, 413 for a body
        that is too large once it is decoded.
    """
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
    return None


def adapted(request: Request, response: Response) -> Response:
    """The response, compressed if it is large and the client accepts it."""
    headers, body = response.headers, response.body
    if len(body) > COMPRESSED_ANSWER_BYTES_MIN:
        encoding = accepted(request.headers.get(b"accept-encoding", b"identity"))
        if encoding is not None and all(name != _CONTENT_ENCODING for name, _ in headers):
            body = compressed(body, encoding)
            headers += ((_CONTENT_ENCODING, encoding),)
    return msgspec.structs.replace(response, body=body, headers=headers)
