"""The clock of a server under test: read it, move it forward, reset it to real time.

The server must have been started with `--testing`. Its clock decides when items expire, how long
streams keep records and iterators are valid, how long tokens of transactions are remembered, and
how often a table may be changed in a day. The clock of the test's own process is not affected.
"""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hashrange.testing_pages import answer_of

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
