"""Bounds of what the metrics count, all our own."""

from typing import Final

PRINCIPAL_RATES_MAX: Final = 4096
"""Our own: principals whose requests are counted; the oldest are forgotten."""
METRIC_TABLES_MAX: Final = 1000
METRIC_PARTITIONS_MAX: Final = 500
"""Partitions that are shown one by one."""
CAPACITY_VIEW_TABLES_MAX: Final = 50
"""Tables whose partitions are shown."""
METRIC_OPERATIONS_MAX: Final = 100
METRIC_THROTTLES_MAX: Final = 10_000
"""Throttle events with their tables and indexes."""
METRIC_CODES_MAX: Final = 100
"""Codes of the faults of one operation."""
