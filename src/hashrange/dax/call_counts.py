"""Counts of calls of DAX, which have the names of the metrics of the service."""

from typing import Final

from hashrange.errors import DynamoError, Fault
from hashrange.model.operations import OPERATION_FACTS
from hashrange.observe.counts import Durations
from hashrange.observe.figures import Figures, dax_calls, labelled

_THROTTLED: Final = frozenset(
    (Fault.THROUGHPUT_EXCEEDED, Fault.THROTTLED, Fault.REQUEST_LIMIT_EXCEEDED)
)
_SERVER_ERRORS: Final = 500
_OPERATIONS: Final = sorted(
    facts.name for facts in OPERATION_FACTS.values() if facts.dax_metric is not None
)


class CallCounts:
    """Calls on items of all endpoints of a process, or of a cluster.

    Args:
        whole: counts these calls as well; None for no other.

    Attributes:
        calls: by operation.
        durations: from the last byte of a call to its answer.
        throttled: those that were refused since there was no capacity.
        errors: those that were refused for another reason.
        faults: those that failed.
    """

    __slots__ = ("calls", "durations", "errors", "faults", "throttled", "whole")

    def __init__(self, whole: "CallCounts | None" = None) -> None:
        self.whole = whole
        self.calls = dict.fromkeys(_OPERATIONS, 0)
        self.durations = Durations()
        self.throttled = self.errors = self.faults = 0

    def add(self, operation: str, duration_ns: int) -> None:
        """Count a call."""
        self.calls[operation] += 1
        self.durations.add(duration_ns)
        if self.whole is not None:
            self.whole.add(operation, duration_ns)

    def fail(self, refusal: DynamoError) -> None:
        """Count the refusal of a call, which is to be counted as well."""
        if self.whole is not None:
            self.whole.fail(refusal)
        if refusal.fault in _THROTTLED:
            self.throttled += 1
        elif refusal.fault.status >= _SERVER_ERRORS:
            self.faults += 1
        else:
            self.errors += 1

    def figures(self) -> Figures:
        """The figures for metrics."""
        return {
            **{dax_calls(name): count for name, count in self.calls.items()},
            "dax_calls_total": sum(self.calls.values()),
            "dax_call_seconds": self.durations,
            "dax_failed_calls_total": self.errors + self.throttled + self.faults,
            "dax_error_calls_total": self.errors,
            "dax_throttled_calls_total": self.throttled,
            "dax_fault_calls_total": self.faults,
        }

    def of_cluster(self, *labels: str) -> Figures:
        """The figures of a cluster, by its account, region and name."""
        failed = {"error": self.errors, "throttled": self.throttled, "fault": self.faults}
        return {
            **{
                labelled("dax_cluster_calls_total", *labels, name): count
                for name, count in self.calls.items()
            },
            **{
                labelled("dax_cluster_failed_calls_total", *labels, kind): count
                for kind, count in failed.items()
            },
        }
