"""The row of a request: by its method and path, or the longest beginning of the path."""

from hashrange.server.routes import READING, Route, Routes
from tests.rows import rows

TABLE = Routes(
    (
        Route((b"GET",), b"/", "home"),
        Route(READING, b"/files/*", "files"),
        Route(READING, b"/files/own/*", "own files"),
        Route((b"POST",), b"/files/own/new", "new"),
        Route((b"GET",), b"/clock", "read"),
        Route((b"POST",), b"/clock", "move"),
    )
)


@rows(
    ("method", "path", "found"),
    [
        (b"GET", b"/", "home"),
        (b"HEAD", b"/", None),
        (b"GET", b"/other", None),
        (b"GET", b"/files", None),
        (b"GET", b"/files/", "files"),
        (b"HEAD", b"/files/a/b", "files"),
        (b"GET", b"/files/own/a", "own files"),
        (b"GET", b"/files/own/new", "own files"),
        (b"POST", b"/files/own/new", "new"),
        (b"POST", b"/files/own/a", None),
        (b"POST", b"/files/a", None),
        (b"GET", b"/clock", "read"),
        (b"POST", b"/clock", "move"),
        (b"DELETE", b"/clock", None),
        (b"GET", b"/clock/", None),
        (b"GET", b"/files/*", "files"),
    ],
)
def test_the_row_of_a_request(method, path, found):
    route = TABLE.find(method, path)
    assert (route and route.answer) == found
