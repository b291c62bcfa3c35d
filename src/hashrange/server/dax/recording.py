"""Records of calls: counts, audit log, request log.

Both logs know a call as a request of the API, signed as the connection was.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from hashrange.api.steps.operation import Caller
from hashrange.dax.call_counts import CallCounts
from hashrange.errors import DynamoError
from hashrange.observe.metrics import Metrics
from hashrange.server.endpoint import Recorder as AuditRecorder
from hashrange.server.request_log import LoggedRequest, RequestLog
from hashrange.wire.answers import encode, encode_error
from hashrange.wire.exchange import Request, Response

_SUCCESS: Final = 200


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A call that is over.

    Attributes:
        operation: its name in the API.
        request: of that operation; None if it could not be read.
        signed: what the connection has signed.
        caller: who made it.
        duration_ns: nanoseconds.
        refusal: why it was refused; None if it was not.
        request_id: that the answer has; empty if it has none.
    """

    operation: str
    request: Any
    signed: Request
    caller: Caller
    duration_ns: int
    refusal: DynamoError | None
    request_id: bytes


class Recorder:
    """Counts and records calls on items.

    Attributes:
        monotonic_ns: the clock.

    Args:
        metrics: counts requests, faults and durations.
        request_log: logs slow calls.
        audit: makes the audit log; None for no log.
        dax: counts calls.
    """

    def __init__(
        self,
        metrics: Metrics,
        monotonic_ns: Callable[[], int],
        request_log: RequestLog,
        audit: AuditRecorder | None,
        *,
        dax: CallCounts,
    ) -> None:
        self._dax = dax
        self.monotonic_ns = monotonic_ns
        self._counts_of = metrics.of
        self._request_log = request_log
        self._logs_from_ns = request_log.logs_from_ns
        self._audit = audit

    def request_id(self) -> bytes:
        """The next request id."""
        return self._request_log.request_id()

    def count(self, operation: str, began_ns: int, refusal: DynamoError | None) -> int | None:
        """Count a call that is over.

        Args:
            operation: its name in the API.
            began_ns: when it began, on the monotonic clock.
            refusal: why it was refused; None if it was not.

        Returns:
            Its duration in nanoseconds, if it is to be logged.
        """
        counts, dax = self._counts_of(operation), self._dax
        if refusal is not None:
            counts.fail(refusal.fault.code)
            dax.fail(refusal)
        duration_ns = self.monotonic_ns() - began_ns
        dax.add(operation, duration_ns)
        counts.add(duration_ns)
        is_logged = self._audit is not None or duration_ns >= self._logs_from_ns
        return duration_ns if is_logged else None

    def log(self, ended: Ended, answer: bytes) -> None:
        """Log a call where it is to be logged; `answer` is what its client gets."""
        request, response = _as_exchange(ended)
        if self._audit is not None:
            response = self._audit.record(request, ended.operation, ended.caller, response)
        if ended.duration_ns >= self._logs_from_ns:
            logged = LoggedRequest(ended.operation, request, ended.duration_ns, is_translated=True)
            code = "" if ended.refusal is None else ended.refusal.fault.code
            self._request_log.log(logged, msgspec.structs.replace(response, body=answer), code)


def _as_exchange(ended: Ended) -> tuple[Request, Response]:
    """A call as a request of the API, and the answer that this would have; `{}` for success."""
    signed, refusal = ended.signed, ended.refusal
    body = encode(_members(ended.request))
    request = Request(
        signed.method, signed.path, signed.query, signed.headers, body, peer=signed.peer
    )
    if refusal is None:
        response = Response(_SUCCESS, b"{}", request_id=ended.request_id)
    else:
        text = encode_error(refusal)
        response = Response(refusal.fault.status, text, request_id=ended.request_id)
    return request, response


def _members(request: Any) -> Any:
    """The members of a request that were sent, under their names in the API."""
    if request is None:
        return {}
    return _sent(msgspec.to_builtins(request))


def _sent(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sent(member) for name, member in value.items() if member is not None}
    if isinstance(value, list):
        return [_sent(member) for member in value]
    return value
