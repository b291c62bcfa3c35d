"""The names by which clients may address the server, and CORS: what browsers may send.

A web page can let its own name stand for 127.0.0.1. For the browser the server then has the origin
of the page, so neither CORS nor the Origin header stops it; but the header Host is the page's name.

A browser sends the header Origin with each request of a page to another origin, and with each POST.
DynamoDB allows every origin, because signatures protect it. Where they are not verified, only pages
of this machine are allowed by default.

Source: captures of the service; the list of exposed headers is quoted by another server.
"""

import re
from functools import partial
from ipaddress import ip_address
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.server import host_not_allowed, origin_not_allowed
from hashrange.server.responses import TEXT
from hashrange.settings.kinds import ANY, LOCAL
from hashrange.wire.answers import encode_error
from hashrange.wire.exchange import Handler, Headers, Request, Response

CONTAINER_NAMES: Final = frozenset(
    ("hashrange", "dynamodb", "dynamodb-local", "localstack", "host.docker.internal")
)
"""Names of the server in the networks of containers. They are allowed if it listens on every
address, as its image does; no page of the internet has one of them."""
_EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
_NAME_CHARS_MAX: Final = 253
"""Of a name of DNS."""

_parts: Final = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::[0-9]*)?").fullmatch
_SERVICES: Final = (
    # DynamoDB's, also those of accounts, and of streams.
    r"(?:streams\.|[0-9]{12}\.)?(?:streams-)?(?:dynamodb|dynamodb-fips|ddb|ddb-fips)"
    # Those of the other APIs on the port.
    r"|(?:[0-9]{12}\.(?:data|control)-)?kinesis|monitoring|application-autoscaling|dax|iam|sts"
)
_REGION: Final = r"[a-z]+(?:-[a-z]+)+-[0-9]+"
_is_endpoint: Final = partial(
    re.fullmatch,
    rf"(?:{_SERVICES})\.{_REGION}\.(?:amazonaws\.com|amazonaws\.com\.cn|api\.aws|api\.amazonwebservices\.com\.cn)"
    r"|(?:iam|sts)\.amazonaws\.com"
    # LocalStack's: its domain gives 127.0.0.1 to every name below this one.
    rf"|(?:(?:{_SERVICES})\.)?(?:{_REGION}\.)?localhost\.localstack\.cloud",
)


class Hosts:
    """The names that are allowed in the header Host.

    Args:
        listed: the setting `hosts`.
        listens_on: the setting `host`.
    """

    def __init__(self, listed: str | None, listens_on: str) -> None:
        entries = [] if listed is None else listed.split(",")
        self._has_any = ANY in entries
        contained = CONTAINER_NAMES if listens_on in _EVERY_ADDRESS else ()
        self._names = {"localhost", listens_on.lower(), *contained, *entries}
        self._endings = tuple(each[1:] for each in entries if each.startswith("*."))

    def refusal(self, host: bytes) -> DynamoError | None:
        """The error for a request with this Host; None if it is allowed.

        Browsers always send a name: a request without one is not a page's.
        """
        if self._has_any or not host:
            return None
        text = host.decode("latin-1")
        match = _parts(text)
        if match is not None and self._allows(match[1].lower().removesuffix(".")):
            return None
        return DynamoError(Fault.FORBIDDEN, host_not_allowed(text[:_NAME_CHARS_MAX]))

    def _allows(self, name: str) -> bool:
        return (
            name in self._names
            or _is_address(name)
            or (self._endings != () and name.endswith(self._endings))
            or _is_endpoint(name) is not None
        )

    def guard(self, handler: Handler) -> Handler:
        """A handler that refuses requests with other names."""

        async def respond(request: Request) -> Response:
            error = self.refusal(request.headers.get(b"host", b""))
            if error is None:
                return await handler(request)
            return Response(error.fault.status, encode_error(error))

        return respond


ANY_HOST: Final = Hosts(ANY, ANY)
"""Allows every name."""


def _is_address(name: str) -> bool:
    """Whether it is an IP address, which no DNS resolves."""
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


_EXPOSED: Final = (
    b"Access-Control-Expose-Headers",
    b"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date",
)
_TO_ANY: Final[Headers] = ((b"Access-Control-Allow-Origin", b"*"), _EXPOSED)
_MAX_AGE: Final = (b"Access-Control-Max-Age", b"172800")
_PORTS: Final = {b"http": b":80", b"https": b":443"}

_is_local: Final = partial(
    re.fullmatch, rb"https?://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?"
)


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
