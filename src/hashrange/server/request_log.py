"""The log of requests: slow and failed requests, and all requests at level DEBUG.

A request that is not logged costs one comparison. A request that is logged gets its request id
here, so that the log line has the id that the client sees.
"""

import logging
from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.observe.logs import LogLimiter
from hashrange.observe.report import SLOW_KEPT
from hashrange.observe.snapshot import SlowRequest
from hashrange.wire.answers import named_tables
from hashrange.wire.exchange import Request, Response

SLOW_LINES: Final = 10
"""Lines a second: when all requests are slow, logging each would make them slower."""
_NEVER_NS: Final = 1 << 62
_NS_PER_MS: Final = 1_000_000

_log: Final = logging.getLogger("hashrange.requests")


class LoggedRequest(msgspec.Struct, frozen=True):
    """A request and its duration.

    Attributes:
        operation: its name.
        request: as it was received, or as the API would have it.
        duration_ns: from its arrival to its answer.
        is_translated: it was received in another form: the size of its body says nothing.
    """

    operation: str
    request: Request
    duration_ns: int
    is_translated: bool = False


class RequestLog:
    """Logs requests of one server.

    Attributes:
        request_id: draws the next request id.
        logs_from_ns: the duration from which a request is passed to `log`.
        slow: the last slow requests that were logged.

    Args:
        request_id: draws the next request id.
        monotonic_ns: the clock.
        slow_ms: the duration from which a request is slow; 0 for never.
    """

    def __init__(
        self, request_id: Callable[[], bytes], monotonic_ns: Callable[[], int], slow_ms: int
    ) -> None:
        self.request_id = request_id
        self.slow = deque[SlowRequest](maxlen=SLOW_KEPT)
        self._monotonic_ns = monotonic_ns
        self._slow_ns = slow_ms * _NS_PER_MS or _NEVER_NS
        self._slow = LogLimiter(monotonic_ns, SLOW_LINES)
        self._logs_all = _log.isEnabledFor(logging.DEBUG)
        self.logs_from_ns = 0 if self._logs_all else self._slow_ns

    def log(self, logged: LoggedRequest, response: Response, fault: str) -> Response:
        """Log a request, unless too many slow requests were logged within this second.

        Args:
            logged: the request and its duration.
            response: its answer.
            fault: the code of the fault; empty if there was none.

        Returns:
            The response, with the request id that was logged.
        """
        if logged.duration_ns < self._slow_ns:
            return self._write("request", logged, response, fault)
        count = self._slow.happened()
        if not count and not self._logs_all:
            return response
        text = "slow request" if count <= 1 else f"slow request, the last of {count}"
        return self._write(text, logged, response, fault)

    def _write(self, text: str, logged: LoggedRequest, response: Response, fault: str) -> Response:
        is_slow = logged.duration_ns >= self._slow_ns
        identified = self.identified(response)
        fields = {
            "request_id": identified.request_id.decode(),
            "operation": logged.operation,
            "tables": named_tables(logged.request.body),
            "status": response.status,
            "fault": fault,
            "duration_ms": round(logged.duration_ns / _NS_PER_MS, 3),
            "bytes_received": "" if logged.is_translated else len(logged.request.body),
            "bytes_sent": len(response.body),
        }
        if is_slow:
            self.slow.append(
                SlowRequest(
                    at_ns=self._monotonic_ns(),
                    request_id=identified.request_id.decode(),
                    operation=logged.operation,
                    tables=named_tables(logged.request.body),
                    status=response.status,
                    fault=fault,
                    duration_ms=logged.duration_ns / _NS_PER_MS,
                )
            )
        level = logging.WARNING if is_slow else logging.DEBUG
        _log.log(level, text, extra={name: value for name, value in fields.items() if value != ""})
        return identified

    def failed(self, operation: str, text: str, response: Response) -> Response:
        """Log the exception that is being handled.

        Returns:
            The response, with the request id that was logged.
        """
        identified = self.identified(response)
        fields = {"request_id": identified.request_id.decode(), "operation": operation}
        _log.exception(text, extra=fields)
        return identified

    def identified(self, response: Response) -> Response:
        """The response with a request id: its own, or else a new id."""
        if response.request_id:
            return response
        return msgspec.structs.replace(response, request_id=self.request_id())
