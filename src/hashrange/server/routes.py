"""Tables of what is answered by HTTP: a row has methods, a path, a function, and who may ask."""

from collections.abc import Iterable
from enum import Enum, auto
from typing import Final, Generic, TypeVar

import msgspec

A = TypeVar("A")
"""The function that answers; a table decides its arguments."""

GET: Final = (b"GET",)
POST: Final = (b"POST",)
READING: Final = (b"GET", b"HEAD")
ANY: Final = (b"*",)
"""All methods."""
VERIFY_PATH: Final = "/verify"
"""Of the page that has a server verify its data."""
_ANY_REST: Final = b"*"


class Audience(Enum):
    """The clients that may ask."""

    ANYBODY = auto()
    """Everybody who reaches the server."""
    TESTS = auto()
    """Everybody who reaches it; the row is there only with `--testing`."""
    PEERS = auto()
    """Servers of other regions, which sign with the secret of peers."""
    SIGNERS = auto()
    """Callers whose policies allow the action of the row, where signatures are verified; then they
    sign as for the APIs."""
    BROWSERS = auto()
    """Clients that accept HTML; the others find another row of the path."""
    SIGNED_IN = auto()
    """Users who have signed in to the console, where signatures are verified."""


class Route(msgspec.Struct, Generic[A], frozen=True):
    """A row.

    Attributes:
        methods: for HEAD the connection leaves the body out.
        path: of the request; with `*` at its end, the beginning of the path.
        answer: makes the response.
        audience: who may ask.
        decodes: takes bodies with a Content-Encoding, which pages have no need of.
    """

    methods: tuple[bytes, ...]
    path: bytes
    answer: A
    audience: Audience = Audience.ANYBODY
    decodes: bool = False


class Routes(Generic[A]):
    """Finds the row of a request.

    Args:
        rows: the table; two rows with one path have different methods.
    """

    def __init__(self, rows: Iterable[Route[A]]) -> None:
        table = tuple(rows)
        self._rows = {(method, row.path): row for row in table for method in row.methods}
        paths = {row.path for row in table if row.path.endswith(_ANY_REST)}
        self._beginnings = sorted((path[:-1] for path in paths), key=len, reverse=True)

    def find(self, method: bytes, path: bytes) -> Route[A] | None:
        """The row of a path, or else of its longest beginning; None if there is none."""
        found = self._row(method, path)
        if found is not None or not self._beginnings:
            return found
        rest = (each for each in self._beginnings if path.startswith(each))
        beginning = next(rest, None)
        return None if beginning is None else self._row(method, beginning + _ANY_REST)

    def _row(self, method: bytes, path: bytes) -> Route[A] | None:
        return self._rows.get((method, path)) or self._rows.get((ANY[0], path))
