"""What the server has done, counted in plain numbers; `exposition` makes text of them when asked.

A request pays for a few additions. Labels are bounded: whatever comes after
the bound is reached shares one.
"""

from collections.abc import Mapping
from typing import Protocol

from hashrange.limits import METRIC_OPERATIONS_MAX, METRIC_TABLES_MAX
from hashrange.observe.counts import OTHER, OperationCounts, UnitCounts
from hashrange.observe.figures import Figures
from hashrange.observe.process_figures import process_figures
from hashrange.observe.traffic import Traffic


class TableFigures(Protocol):
    """What a table holds."""

    @property
    def items(self) -> int:
        """Items."""

    @property
    def size(self) -> int:
        """Bytes, as DynamoDB counts them."""


class Metrics:
    """All counts of one server."""

    def __init__(self) -> None:
        self.traffic = Traffic()
        self.operations: dict[str, OperationCounts] = {}
        self.units: dict[tuple[str, str], UnitCounts] = {}
        self._tables: set[str] = set()
        self._consumed: dict[str, TableUnits] = {}

    def of(self, operation: str) -> OperationCounts:
        """The counts of an operation, by its name; one name for all that the server does not know.

        To be looked up once for many requests.
        """
        counts = self.operations.get(operation)
        if counts is None:
            label = operation if len(self.operations) < METRIC_OPERATIONS_MAX else OTHER
            counts = self.operations.setdefault(label, OperationCounts())
        return counts

    def consumed(self, operation: str) -> "TableUnits":
        """The capacity units that an operation of the API, by its name, consumed on any table.

        To be looked up once for many requests.
        """
        counts = self._consumed.get(operation)
        if counts is None:
            counts = self._consumed[operation] = TableUnits(self, operation)
        return counts

    def consumed_on(self, table: str, operation: str) -> UnitCounts:
        """Likewise, on one table; tables after the first thousand share a label."""
        if table not in self._tables:
            if len(self._tables) < METRIC_TABLES_MAX:
                self._tables.add(table)
            else:
                table = OTHER
        return self.units.setdefault((table, operation), UnitCounts())

    def text(
        self,
        figures: Figures | None = None,
        tables: Mapping[str, TableFigures] | None = None,
        process: Mapping[str, float] | None = None,
    ) -> bytes:
        """All metrics in Prometheus' text format. A millisecond for some hundred labels.

        Args:
            figures: rows of `observe.figures`.
            tables: what they hold, by name.
            process: figures of all processes; of this one if None.
        """
        # Costs 30 ms to import, which a server that nobody scrapes need not pay.
        from hashrange.observe.exposition import text  # noqa: PLC0415 - see above

        return text(self, figures or {}, tables or {}, process or process_figures())


class TableUnits(dict[str, UnitCounts]):
    """What one operation consumed, by table; counts of a table are made when they are asked for."""

    def __init__(self, metrics: Metrics, operation: str) -> None:
        super().__init__()
        self._metrics = metrics
        self._operation = operation

    def __missing__(self, table: str) -> UnitCounts:
        """Counts that were not asked for yet, or that are shared with other tables."""
        counts = self._metrics.consumed_on(table, self._operation)
        if len(self) < METRIC_TABLES_MAX:
            self[table] = counts
        return counts
