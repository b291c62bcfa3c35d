"""Cross-origin requests (CORS): which web pages may send requests and read the answers.

A browser sends the header Origin with each request of a page to another origin, and with each POST.
DynamoDB allows every origin, because signatures protect it. Where they are not verified, only pages
of this machine are allowed by default.

Source: captures of the service; the list of exposed headers is quoted by another server.
"""

import re
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.server import origin_not_allowed
from hashrange.server.responses import TEXT
from hashrange.settings.kinds import ANY, LOCAL
from hashrange.wire.answers import encode_error
from hashrange.wire.exchange import Handler, Headers, Request, Response

_EXPOSED: Final = (
    b"Access-Control-Expose-Headers",
    b"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date",
)
_TO_ANY: Final[Headers] = ((b"Access-Control-Allow-Origin", b"*"), _EXPOSED)
_MAX_AGE: Final = (b"Access-Control-Max-Age", b"172800")
_PORTS: Final = {b"http": b":80", b"https": b":443"}

_is_local: Final = re.compile(
    rb"https?://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?"
).fullmatch


OWN_PAGES: Final = b"/_console/"
"""Paths to which pages of the server's own send requests, under any name that it is reached by."""


def is_of_own_page(request: Request) -> bool:
    """Whether the origin of a request is the server itself, by the header Host."""
    scheme, _, authority = _normal(request.headers.get(b"origin", b"").lower()).partition(b"://")
    is_known = scheme == b"https" or (scheme == b"http" and not request.peer.is_secure)
    host = _normal(scheme + b"://" + request.headers.get(b"host", b"").lower())
    return is_known and authority != b"" and scheme + b"://" + authority == host


class Origins:
    """The origins whose pages may use the server.

    Args:
        listed: the setting `cors`.
    """

    def __init__(self, listed: str) -> None:
        entries = listed.split(",")
        self._has_any = ANY in entries
        self._has_local = LOCAL in entries
        self._named = {_normal(entry.encode()) for entry in entries}

    def headers(self, origin: bytes) -> Headers | None:
        """The headers of answers to an origin; None if it is not allowed."""
        if self._has_any:
            return _TO_ANY
        normal = _normal(origin.lower())
        if (self._has_local and _is_local(normal)) or normal in self._named:
            # Caches must not give the answer for one origin to another.
            allowed: Headers = ((b"Access-Control-Allow-Origin", origin), (b"Vary", b"Origin"))
            return (*allowed, _EXPOSED)
        return None


def cross_origin(handler: Handler, pages: Handler, origins: Origins) -> Handler:
    """The handler of requests with an Origin, which refuses those that are not allowed."""

    async def respond(request: Request) -> Response:
        origin = request.headers[b"origin"]
        headers = origins.headers(origin)
        if headers is None and request.path.startswith(OWN_PAGES) and is_of_own_page(request):
            return await pages(request)
        if headers is None:
            text = origin_not_allowed(origin.decode("latin-1"))
            error = DynamoError(Fault.FORBIDDEN, text)
            return Response(error.fault.status, encode_error(error))
        is_api = request.path == b"/" and request.method == b"POST"
        response = await (handler(request) if is_api else pages(request))
        return msgspec.structs.replace(response, headers=response.headers + headers)

    return respond


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


def _normal(origin: bytes) -> bytes:
    """The origin without the default port of its scheme, as browsers write it."""
    return origin.removesuffix(_PORTS.get(origin.partition(b":")[0], b"\0"))


ANY_ORIGIN: Final = Origins(ANY)
"""Allows every origin, as DynamoDB does."""
