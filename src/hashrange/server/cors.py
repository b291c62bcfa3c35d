"""Cross-origin requests (CORS): any origin is allowed, as on DynamoDB.

Source: captures of the service; the list of exposed headers is quoted by another server.
"""

from typing import Final

from hashrange.server.exchange import Headers, Request, Response
from hashrange.server.responses import TEXT

ANY_ORIGIN: Final[Headers] = (
    (b"Access-Control-Allow-Origin", b"*"),
    (
        b"Access-Control-Expose-Headers",
        b"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date",
    ),
)
"""Headers of each answer to a request with an Origin."""

_MAX_AGE: Final = (b"Access-Control-Max-Age", b"172800")


def preflight(request: Request) -> Response:
    """The answer to OPTIONS with an Origin: allows the headers and the method asked for."""
    headers: Headers = (_MAX_AGE,)
    names = request.headers.get(b"access-control-request-headers")
    if names is not None:
        headers += ((b"Access-Control-Allow-Headers", names),)
    method = request.headers.get(b"access-control-request-method")
    if method is not None:
        headers += ((b"Access-Control-Allow-Methods", method),)
    return Response(200, b"", TEXT, headers)
