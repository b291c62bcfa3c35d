"""Finds what answers a request at an address of the console: a file, the page, or a route."""

from importlib.resources import files
from typing import Final

import msgspec

from hashrange.api.steps.storage_faults import no_read_lease
from hashrange.console.context import Console
from hashrange.console.routes import API, ROUTES, Perform
from hashrange.errors import DynamoError, Fault
from hashrange.messages import server as messages
from hashrange.server.failed_signatures import FAILURES
from hashrange.server.hosts import OWN_PAGES, is_of_own_page
from hashrange.server.responses import TEXT
from hashrange.server.routes import READING, Audience, Route, Routes
from hashrange.server.static_files import StaticFiles
from hashrange.storage.engine import NoReadLeaseError
from hashrange.wire.answers import JSON, encode_error
from hashrange.wire.exchange import Handler, Headers, Request, Response

_HOME: Final = b"/_console"
_STATIC: Final = b"/_console/static/"
_ORIGINS: Final = frozenset((b"same-origin", b"none"))
"""Of Sec-Fetch-Site: the console's own pages, and addresses that a person has typed."""
UNATTENDED_HEADER: Final = b"x-console-unattended"
"""Of requests that a page makes on its own, without its user: they keep no session alive."""
_ROUTES: Final = Routes(ROUTES)
_UNAUTHORIZED: Final = 401
_MOVED: Final = Response(301, b"", TEXT, ((b"Location", OWN_PAGES),))
_NO_METHOD: Final = Response(405, b"", TEXT, ((b"Allow", b"GET, HEAD"),))
_NOT_KEPT: Final[Headers] = ((b"Cache-Control", b"no-store"),)
_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    b"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
SAFE_HEADERS: Final[Headers] = (
    (b"Content-Security-Policy", _POLICY),
    (b"X-Content-Type-Options", b"nosniff"),
    (b"Referrer-Policy", b"same-origin"),
)
"""Of all answers at the console's addresses."""


class Dispatch:
    """Answers the requests at the console's addresses.

    Args:
        console: what its routes use.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        folder = files("hashrange.console") / "static"
        static = StaticFiles(folder, _STATIC.decode(), "the console")
        self._pages = Routes[Handler](
            (
                Route(READING, _HOME, _moved),
                Route(READING, OWN_PAGES + b"*", static.page),
                Route(READING, _STATIC + b"*", static.file),
            )
        )

    async def answer(self, request: Request) -> Response:
        """The answer, with the headers that protect its page."""
        response = await self._found(request)
        return msgspec.structs.replace(response, headers=response.headers + SAFE_HEADERS)

    async def _found(self, request: Request) -> Response:
        if request.path.startswith(API):
            return await _routed(self._console, request)
        route = self._pages.find(request.method, request.path)
        return _NO_METHOD if route is None else await route.answer(request)

    async def close(self) -> None:
        """Close the connections to other endpoints."""
        await self._console.others.close()


async def _moved(_request: Request) -> Response:
    return _MOVED


async def _routed(console: Console, request: Request) -> Response:
    """The answer of a route, which nobody keeps."""
    route = _ROUTES.find(request.method, request.path)
    if route is None:
        text = messages.no_such_route(request.path.decode("latin-1"))
        error = DynamoError(Fault.UNKNOWN_OPERATION, text)
        return Response(404, encode_error(error), JSON, _NOT_KEPT)
    if (refusal := _of_other_page(request)) is not None:
        return Response(refusal.fault.status, encode_error(refusal), JSON, _NOT_KEPT)
    try:
        response = await _performed(console, route, request)
    except DynamoError as error:
        status = _UNAUTHORIZED if error.fault in FAILURES else error.fault.status
        response = Response(status, encode_error(error), JSON)
    except NoReadLeaseError:
        refused = no_read_lease()
        response = Response(refused.fault.status, encode_error(refused), JSON)
    return msgspec.structs.replace(response, headers=response.headers + _NOT_KEPT)


async def _performed(console: Console, route: Route[Perform], request: Request) -> Response:
    if route.audience is not Audience.SIGNED_IN or console.sessions is None:
        return await route.answer(console, request, None)
    session = console.sessions.read(request)
    response = await route.answer(console, request, session)
    is_attended = UNATTENDED_HEADER not in request.headers
    cookie = console.sessions.renewed(request, session) if is_attended else None
    if cookie is None or any(name == b"Set-Cookie" for name, _ in response.headers):
        return response
    headers = (*response.headers, (b"Set-Cookie", cookie))
    return msgspec.structs.replace(response, headers=headers)


def _of_other_page(request: Request) -> DynamoError | None:
    """The error of a request that a page of another origin has sent."""
    site = request.headers.get(b"sec-fetch-site", b"none")
    is_own = site in _ORIGINS
    if request.method != b"GET":
        is_own = is_own and is_of_own_page(request)
    if is_own:
        return None
    origin = request.headers.get(b"origin", b"").decode("latin-1")
    return DynamoError(Fault.FORBIDDEN, messages.not_own_page(origin))
