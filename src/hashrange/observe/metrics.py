"""The counts of one server: plain numbers, of which `exposition` makes text at a scrape.

A request costs a few additions. Labels are bounded: all names after the bound share the label
`other`.
"""

from collections.abc import Collection, Sequence
from typing import Final, Protocol

from hashrange.limits.server import METRIC_OPERATIONS_MAX, METRIC_TABLES_MAX, METRIC_THROTTLES_MAX
from hashrange.model.namespaces import namespace_prefix, stored_name, stored_name_of
from hashrange.model.structures.members import Tables
from hashrange.observe.counts import OTHER, OperationCounts, UnitCounts
from hashrange.observe.figures import Traffic, labelled

TABLE_FAULTS: Final = frozenset(
    (
        "ConditionalCheckFailedException",
        "InternalServerError",
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "TransactionConflictException",
    )
)
"""Faults that are counted by table: their requests named one that exists, or failed here."""
_INDEX: Final = "/index/"


class ThrottlingReason(Protocol):
    """An element of ThrottlingReasons."""

    @property
    def reason(self) -> str:
        """As `TableReadKeyRangeThroughputExceeded`."""

    @property
    def resource(self) -> str:
        """The ARN of a table or index."""


class ThrottledRequest(Protocol):
    """Why a request, or an item of a batch, is throttled."""

    @property
    def reasons(self) -> Sequence[ThrottlingReason]:
        """At least one."""


class Metrics:
    """All counts of one process.

    Args:
        separate: each account and region has tables of its own.

    Attributes:
        separate: as above.
        traffic: counts of sockets.
        operations: requests, by operation: all faults, and the durations that `latencies` lacks.
        units: consumed capacity units, by table and operation.
        latencies: successful requests on one table, and faults of `TABLE_FAULTS`, by operation
            and table.
        shared: the same of requests on several tables, which `operations` has as well.
        throttles: throttle events by table, index (empty for the table) and name of the event.
        services: requests to other APIs, as figures.
    """

    def __init__(self, *, separate: bool = False) -> None:
        self.separate = separate
        self.traffic = Traffic()
        self.operations: dict[str, OperationCounts] = {}
        self.units: dict[tuple[str, str], UnitCounts] = {}
        self.latencies: dict[tuple[str, str], OperationCounts] = {}
        self.shared: dict[tuple[str, str], OperationCounts] = {}
        self.throttles: dict[tuple[str, str, str], int] = {}
        self.services: dict[str, int] = {}
        self._tables: set[str] = set()
        self._consumed: dict[str, TableUnits] = {}

    def of(self, operation: str) -> OperationCounts:
        """The counts of an operation, made at the first call.

        Callers keep the result for many requests.

        Args:
            operation: its name; the same name for all operations that the API does not have.
        """
        counts = self.operations.get(operation)
        if counts is None:
            label = operation if len(self.operations) < METRIC_OPERATIONS_MAX else OTHER
            counts = self.operations.setdefault(label, OperationCounts())
        return counts

    def consumed(self, operation: str, namespace: str = "") -> "TableUnits":
        """The capacity units that an operation consumed, by table as requests name it.

        Callers keep the result for many requests. `namespace` is that of the caller, a prefix.
        """
        if namespace:
            return TableUnits(self, operation, namespace)
        counts = self._consumed.get(operation)
        if counts is None:
            counts = self._consumed[operation] = TableUnits(self, operation, namespace)
        return counts

    def requests(self) -> dict[str, OperationCounts]:
        """All requests, by operation."""
        found = {name: OperationCounts() for name in self.operations}
        for name, counts in self.operations.items():
            found[name].merge(counts)
            found[name].faults = dict(counts.faults)
        for (operation, _), counts in self.latencies.items():
            found[operation if operation in found else OTHER].merge(counts)
        return found

    def served(self, service: str, code: str) -> None:
        """Count a request to an API beside DynamoDB's; the code of a success is empty."""
        key = labelled("service_requests_total", service, code or "OK")
        self.services[key] = self.services.get(key, 0) + 1

    def on_tables(self, operation: str, account: str, region: str) -> "TableLatencies":
        """The requests of an operation by table, as those of a caller name it.

        Callers keep the result for many requests.
        """
        namespace = namespace_prefix(account, region) if self.separate else ""
        return TableLatencies(self, operation, namespace)

    def throttled(self, refused: Sequence[ThrottledRequest]) -> None:
        """Count the throttle events of one request; more than one only of a batch or transaction.

        Events have the names of CloudWatch's metrics.
        """
        tables = set()
        for each in refused:
            arn, _, index = each.reasons[0].resource.partition(_INDEX)
            table = stored_name_of(arn, separate=self.separate)
            tables.add(table)
            is_write = "Write" in each.reasons[0].reason
            self._count(table, index, "WriteThrottleEvents" if is_write else "ReadThrottleEvents")
            for reason in each.reasons:
                cause = reason.reason.removeprefix("Table").removeprefix("Index")
                self._count(table, index, f"{cause.removesuffix('Exceeded')}ThrottleEvents")
        for table in tables:
            self._count(table, "", "ThrottledRequests")

    def _count(self, table: str, index: str, event: str) -> None:
        key = (table, index, event)
        if key not in self.throttles and len(self.throttles) >= METRIC_THROTTLES_MAX:
            key = (OTHER, OTHER, event)
        self.throttles[key] = self.throttles.get(key, 0) + 1

    def consumed_on(self, table: str, operation: str) -> UnitCounts:
        """The capacity units that an operation consumed on a table.

        Tables after the first `METRIC_TABLES_MAX` share a label.
        """
        return self.units.setdefault((self._labelled(table), operation), UnitCounts())

    def latency_on(self, table: str, operation: str) -> OperationCounts:
        """The requests of an operation on a table, with the labels of `consumed_on`."""
        return self.latencies.setdefault((operation, self._labelled(table)), OperationCounts())

    def counts_on(self, tables: Collection[str], operation: str) -> OperationCounts:
        """The requests of an operation on all of some tables."""
        if len(tables) == 1:
            (table,) = tables
            return self.latency_on(table, operation)
        keys = {(operation, self._labelled(table)) for table in tables}
        parts = [self.shared.setdefault(key, OperationCounts()) for key in keys]
        return SharedCounts(self.of(operation), parts)

    def _labelled(self, table: str) -> str:
        if table not in self._tables:
            if len(self._tables) >= METRIC_TABLES_MAX:
                return OTHER
            self._tables.add(table)
        return table


class SharedCounts(OperationCounts):
    """Requests of one operation on several tables, or on a stream.

    Args:
        whole: counts each request once.
        parts: those of the tables or the stream, each of which counts each request.
    """

    def __init__(self, whole: OperationCounts, parts: Sequence[OperationCounts]) -> None:
        super().__init__()
        self._whole = whole
        self._parts = parts

    def add(self, duration_ns: int) -> None:
        """Count a duration."""
        self._whole.add(duration_ns)
        for each in self._parts:
            each.add(duration_ns)

    def fail(self, code: str) -> None:
        """Count a fault that the operation has counted."""
        for each in self._parts:
            each.fail(code)


class TableUnits(dict[str, UnitCounts]):
    """Capacity units of one operation by table; a table's counts are made at the first access."""

    def __init__(self, metrics: Metrics, operation: str, namespace: str) -> None:
        super().__init__()
        self._metrics = metrics
        self._operation = operation
        self._namespace = namespace

    def __missing__(self, table: str) -> UnitCounts:
        """Add the counts of a table; a table that shares a label is only added while few are."""
        label = stored_name(table, self._namespace)
        counts = self._metrics.consumed_on(label, self._operation)
        if len(self) < METRIC_TABLES_MAX:
            self[table] = counts
        return counts


class TableLatencies(dict[Tables, OperationCounts]):
    """Requests of one operation by table; a table's counts are made at the first access.

    Requests on no table have the key None; those that may have several have a set of them, and
    those on a stream its name.
    """

    def __init__(self, metrics: Metrics, operation: str, namespace: str) -> None:
        super().__init__()
        self._metrics = metrics
        self._operation = operation
        self._namespace = namespace

    def __missing__(self, table: Tables) -> OperationCounts:
        """Add the counts of a table; a table that shares a label is only added while few are."""
        if not table:
            counts = self._metrics.of(self._operation)
        elif isinstance(table, tuple):
            name, label = table
            reads = self._metrics.consumed_on(stored_name(name, self._namespace), self._operation)
            whole = self._metrics.of(self._operation)
            counts = SharedCounts(whole, [reads.of_stream(label).latencies])
        elif isinstance(table, frozenset):
            tables = {stored_name(each, self._namespace) for each in table}
            counts = self._metrics.counts_on(tables, self._operation)
        else:
            counts = self._metrics.latency_on(stored_name(table, self._namespace), self._operation)
        if len(self) < METRIC_TABLES_MAX:
            self[table] = counts
        return counts
