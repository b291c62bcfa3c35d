"""What is logged of requests: the slow ones, those that failed, and, for debugging, all.

A request that is not logged pays for one comparison. One that is gets its id here, so that the line
has the id that the client sees.
"""

import logging
from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.observe.log_limiter import LogLimiter
from hashrange.server.exchange import Request, Response
from hashrange.wire.named_tables import named_tables

SLOW_LINES: Final = 10
"""A second: where everything is slow, a log that grows with it makes it slower."""
_NEVER_NS: Final = 1 << 62
_NS_PER_MS: Final = 1_000_000

_log: Final = logging.getLogger("hashrange.requests")


class LoggedRequest(msgspec.Struct, frozen=True):
    """A request and how long it took."""

    operation: str
    request: Request
    duration_ns: int


class RequestLog:
    """Logs requests of one server.

    Attributes:
        tells_from_ns: a request that took as long or longer is to be handed to `took`.

    Args:
        request_id: the source of ids.
        monotonic_ns: the clock.
        slow_ms: from how many milliseconds on a request is slow; 0 for never.
    """

    def __init__(
        self, request_id: Callable[[], bytes], monotonic_ns: Callable[[], int], slow_ms: int
    ) -> None:
        self._request_id = request_id
        self._slow_ns = slow_ms * _NS_PER_MS or _NEVER_NS
        self._slow = LogLimiter(monotonic_ns, SLOW_LINES)
        self._logs_all = _log.isEnabledFor(logging.DEBUG)
        self.tells_from_ns = 0 if self._logs_all else self._slow_ns

    def took(self, asked: LoggedRequest, response: Response, fault: str) -> Response:
        """Log a request that took long; its answer, with the id that was logged."""
        if asked.duration_ns < self._slow_ns:
            return self._tell("request", asked, response, fault)
        count = self._slow.happened()
        if not count and not self._logs_all:
            return response
        text = "slow request" if count <= 1 else f"slow request, the last of {count}"
        return self._tell(text, asked, response, fault)

    def _tell(self, text: str, asked: LoggedRequest, response: Response, fault: str) -> Response:
        level = logging.DEBUG if asked.duration_ns < self._slow_ns else logging.WARNING
        identified = self.identified(response)
        fields = {
            "request_id": identified.request_id.decode(),
            "operation": asked.operation,
            "tables": named_tables(asked.request.body),
            "status": response.status,
            "fault": fault,
            "duration_ms": round(asked.duration_ns / _NS_PER_MS, 3),
            "bytes_received": len(asked.request.body),
            "bytes_sent": len(response.body),
        }
        _log.log(level, text, extra={name: value for name, value in fields.items() if value != ""})
        return identified

    def failed(self, operation: str, text: str, response: Response) -> Response:
        """Log the exception that is being handled; the answer, with the id that was logged."""
        identified = self.identified(response)
        fields = {"request_id": identified.request_id.decode(), "operation": operation}
        _log.exception(text, extra=fields)
        return identified

    def identified(self, response: Response) -> Response:
        """The response with an id, which it may have already."""
        if response.request_id:
            return response
        return msgspec.structs.replace(response, request_id=self._request_id())
