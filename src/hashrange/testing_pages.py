"""The pages that a server has with `--testing`: its clock, and snapshots of its data.

The clock decides when items expire, how long streams keep records and iterators are valid, how long
tokens of transactions are remembered, and how often a table may be changed in a day. The clock of
the test's own process is not affected.

A snapshot has everything that the server keeps: tables, items, indexes, streams, backups, of all
accounts. A load takes milliseconds.
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

from hashrange.settings.sources import client_endpoint

_SECONDS_MAX: Final = 300.0
"""Timeout of an answer: a move of the clock can expire very many items."""
_OK: Final = 200
_NOT_FOUND: Final = 404


def answer_of(
    endpoint: str | None,
    path: str,
    request: tuple[str, Mapping[str, object] | None],
    error_of: Callable[[str], Exception],
    *,
    absent: str,
) -> dict[str, Any]:
    """The answer of a page.

    Args:
        endpoint: the server's URL; if None, AWS_ENDPOINT_URL_DYNAMODB, or http://127.0.0.1:8000.
        path: of the page.
        request: method and body.
        error_of: makes the error of a text.
        absent: what is said of a server without the page.

    Raises:
        OSError: the server does not answer.
    """
    endpoint = client_endpoint() if endpoint is None else endpoint
    parts = urlsplit(endpoint)
    if parts.scheme not in {"http", "https"} or parts.hostname is None:
        raise error_of(f"{endpoint!r} is not a URL like http://127.0.0.1:8000")
    method, body = request
    # urllib.request would use a proxy. Closed after each call, since tests count open sockets.
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=_SECONDS_MAX)
    try:
        connection.request(method, path, None if body is None else json.dumps(body))
        response = connection.getresponse()
        text = response.read()
    except HTTPException as error:
        raise error_of(f"{endpoint} does not answer in HTTP") from error
    finally:
        connection.close()
    if response.status == _NOT_FOUND:
        raise error_of(f"{endpoint} {absent}")
    try:
        answer: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise error_of(f"{endpoint} answers {response.status} and no JSON") from error
    if response.status != _OK:
        raise error_of(f"{endpoint}: {answer.get('message')}")
    return answer


_PATH: Final = "/testing/clock"


class ClockError(RuntimeError):
    """The clock was not moved. The text says why."""


class ServerClock:
    """The clock of one server.

    Args:
        endpoint: the server's URL; if None, AWS_ENDPOINT_URL_DYNAMODB at the time of a call, or
            http://127.0.0.1:8000.
    """

    def __init__(self, endpoint: str | None = None) -> None:
        self._endpoint = endpoint

    def advance(self, *, settle: bool = True, **units: float) -> datetime:
        """Move the clock forward by `timedelta(**units)`, in whole milliseconds.

        By default it returns when the work that has become due is done: expired items are
        deleted, old records of streams are trimmed, shards are rolled over, indexes are built.

        Args:
            settle: wait for that work; otherwise it goes on in the background.
            units: keyword arguments of `datetime.timedelta`: `days`, `hours`, `seconds`, …

        Returns:
            The new time of the server.

        Raises:
            ClockError: the clock of the server cannot be moved, or not so far.
            OSError: the server does not answer.
            TypeError: `timedelta` does not have the unit.
        """
        by = timedelta(**units)
        # As integers: the sum as a float of seconds would not be exact.
        exact = {"days": by.days, "seconds": by.seconds, "microseconds": by.microseconds}
        return _now(self._answer("POST", {**exact, "settle": settle}))

    def settle(self) -> datetime:
        """Wait until the work that is due now is done; returns the server's time.

        Raises as `advance`.
        """
        return self.advance()

    def reset(self, *, settle: bool = True) -> datetime:
        """Set the clock to the time of the machine, and return it. Raises as `advance`.

        Data that was written before the reset keeps its later times, so tests that share tables
        should not reset the clock.
        """
        return _now(self._answer("POST", {"reset": True, "settle": settle}))

    def now(self) -> datetime:
        """The time of the server, in UTC. Raises as `advance`."""
        return _now(self._answer("GET", None))

    @property
    def offset(self) -> timedelta:
        """How far the server's clock is ahead of the machine's. Raises as `advance`."""
        return timedelta(milliseconds=self._answer("GET", None)["offset_ms"])

    def _answer(self, method: str, body: dict[str, object] | None) -> dict[str, Any]:
        return answer_of(
            self._endpoint,
            _PATH,
            (method, body),
            ClockError,
            absent="has no clock that moves; start hashrange with --testing",
        )


def _now(answer: dict[str, Any]) -> datetime:
    return datetime.fromtimestamp(answer["now_ms"] / 1000, UTC)


_SNAPSHOTS_PATH: Final = "/testing/snapshots"


class SnapshotError(RuntimeError):
    """A snapshot was not saved, loaded or deleted. The text says why."""


class ServerSnapshots:
    """The snapshots of one server.

    Args:
        endpoint: the server's URL; if None, AWS_ENDPOINT_URL_DYNAMODB at the time of a call, or
            http://127.0.0.1:8000.
    """

    def __init__(self, endpoint: str | None = None) -> None:
        self._endpoint = endpoint

    def save(self, name: str) -> None:
        """Keep the data as they are now, in the place of an earlier snapshot of that name.

        Raises:
            SnapshotError: it cannot be saved.
            OSError: the server does not answer.
        """
        self._answer("POST", {"save": name})

    def load(self, name: str) -> None:
        """Put the server back to a snapshot, as a whole and for all accounts.

        Iterators of shards that were made before are expired. Raises as `save`.
        """
        self._answer("POST", {"load": name})

    def delete(self, name: str) -> None:
        """Forget a snapshot. Raises as `save`."""
        self._answer("POST", {"delete": name})

    def sizes(self) -> dict[str, int]:
        """The bytes of each snapshot, by name. Raises as `save`."""
        return {each["name"]: each["bytes"] for each in self._answer("GET", None)["snapshots"]}

    def _answer(self, method: str, body: Mapping[str, object] | None) -> dict[str, Any]:
        return answer_of(
            self._endpoint,
            _SNAPSHOTS_PATH,
            (method, body),
            SnapshotError,
            absent="has no snapshots; start hashrange with --testing",
        )
