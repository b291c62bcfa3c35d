"""Puts the console among the pages of a server; it is made, and imported, when it is used first."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from hashrange.server.hosts import OWN_PAGES
from hashrange.server.responses import TEXT
from hashrange.wire.exchange import Handler, Request, Response

if TYPE_CHECKING:
    from hashrange.console.dispatch import Dispatch

_HOME: Final = OWN_PAGES.removesuffix(b"/")
_READING: Final = frozenset((b"GET", b"HEAD"))
_TO_CONSOLE: Final = Response(
    302,
    b"",
    TEXT,
    ((b"Location", OWN_PAGES), (b"Vary", b"Accept"), (b"Cache-Control", b"no-store")),
)


class ConsoleSite:
    """The console, not made before its first request.

    Args:
        make: makes what answers at the console's addresses.
    """

    def __init__(self, make: "Callable[[], Dispatch]") -> None:
        self._make = make
        self._made: Dispatch | None = None

    def among(self, site: Handler) -> Handler:
        """The pages of a server, with the console.

        A browser that asks for `/` is led to it; other clients get what the other pages answer.
        """

        async def answer(request: Request) -> Response:
            path = request.path
            if path.startswith(OWN_PAGES) or path == _HOME:
                if self._made is None:
                    self._made = self._make()
                return await self._made.answer(request)
            is_page = b"text/html" in request.headers.get(b"accept", b"")
            if path == b"/" and is_page and request.method in _READING:
                return _TO_CONSOLE
            return await site(request)

        return answer

    async def close(self) -> None:
        """Close what the console has opened."""
        if self._made is not None:
            await self._made.close()
