"""The rows of the console among the pages of a server; it is made when it is used first."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from hashrange.server.hosts import OWN_PAGES
from hashrange.server.responses import TEXT
from hashrange.server.routes import ANY, READING, Audience, Route
from hashrange.settings.kinds import Auth, Console
from hashrange.settings.settings import Settings
from hashrange.wire.exchange import Handler, Request, Response

_HOME: Final = OWN_PAGES.removesuffix(b"/")
_TO_CONSOLE: Final = Response(
    302,
    b"",
    TEXT,
    ((b"Location", OWN_PAGES), (b"Vary", b"Accept"), (b"Cache-Control", b"no-store")),
)


class ConsolePages(Protocol):
    """Answers all requests at the console's addresses."""

    async def answer(self, request: Request) -> Response:
        """The answer, whatever the method."""

    async def close(self) -> None:
        """Close the connections to other endpoints."""


class ConsoleSite:
    """The console, not made before its first request.

    Args:
        make: makes what answers at the console's addresses.
    """

    def __init__(self, make: Callable[[], ConsolePages]) -> None:
        self._make = make
        self._made: ConsolePages | None = None

    def rows(self) -> Sequence[Route[Handler]]:
        """The rows: a browser that asks for `/` is led to the console, other clients are not."""
        return (
            Route(ANY, _HOME, self._answer, decodes=True),
            Route(ANY, OWN_PAGES + b"*", self._answer, decodes=True),
            Route(READING, b"/", _to_console, Audience.BROWSERS),
        )

    async def _answer(self, request: Request) -> Response:
        if self._made is None:
            self._made = self._make()
        return await self._made.answer(request)

    async def close(self) -> None:
        """Close what the console has opened."""
        if self._made is not None:
            await self._made.close()


async def _to_console(_request: Request) -> Response:
    return _TO_CONSOLE


def console_mode(settings: Settings) -> Console:
    """The setting `console`, with `auto` decided by the address and `auth`."""
    if settings.console is not Console.AUTO:
        return settings.console
    is_safe = settings.is_local or settings.auth is Auth.REQUIRED
    return Console.ON if is_safe else Console.OFF
