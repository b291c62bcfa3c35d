"""Sends requests to endpoints of others, in threads: what is slow there holds up nothing here."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec

T = TypeVar("T")

ANSWER_BYTES_MAX: Final = 6 * 1024**2
"""The most bytes of a response that are read; Lambda's limit."""


class Response(msgspec.Struct, frozen=True):
    """The response to a request; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_success(self) -> bool:
        """Whether its status is 2xx."""
        return self.status // 100 == 2  # noqa: PLR2004 - see above


def in_thread(call: Callable[[], T], name: str) -> "asyncio.Future[T]":
    """Call a function, which raises nothing, in a thread; the future must not be cancelled."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def called() -> None:
        outcome = call()
        # The loop may be closed: a server that stops does not wait for calls.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(answer.set_result, outcome)

    threading.Thread(target=called, daemon=True, name=name).start()
    return answer


def posted(url: str, body: bytes, headers: Mapping[str, str], *, seconds: float) -> Response:
    """Send a POST. Raises OSError, HTTPException.

    Args:
        url: of HTTP or HTTPS.
        body: of the request.
        headers: of the request.
        seconds: the time limit of each system call.
    """
    from http.client import HTTPConnection, HTTPSConnection  # noqa: PLC0415 - few starts need it

    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=seconds)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", path, body, {"User-Agent": "hashrange", **headers})
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Response(response.status, found, response.read(ANSWER_BYTES_MAX))
    finally:
        connection.close()
