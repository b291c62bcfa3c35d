"""Limits of capacity: sizes of units, quotas, changes in a day, partitions."""

from typing import Final

from hashrange.limits.items import ITEM_BYTES_MAX

CAPACITY_UNITS_MAX: Final = 1_000_000_000_000
ACCOUNT_CAPACITY_UNITS_MAX: Final = 80_000
TABLE_CAPACITY_UNITS_MAX: Final = 40_000
ON_DEMAND_WARM_READ_UNITS: Final = 12_000
ON_DEMAND_WARM_WRITE_UNITS: Final = 4_000
DECREASES_AT_WILL: Final = 4
"""Decreases of provisioned throughput in a UTC day without a pause between them."""
DECREASE_PAUSE_SECONDS: Final = 3600
"""Pause before each further decrease of that day, which allows 27 in all."""
ON_DEMAND_SWITCHES_MAX: Final = 4
"""Switches from provisioned to on demand in any 24 hours."""
ON_DEMAND_SWITCHES_HOURS: Final = 24
READ_UNIT_BYTES: Final = 4096
WRITE_UNIT_BYTES: Final = 1024

assert ITEM_BYTES_MAX % READ_UNIT_BYTES == 0, "the largest item costs a whole number of read units"

PARTITION_READ_UNITS_MAX: Final = 3000
"""Units a second of one partition; reads and writes are limited separately."""
PARTITION_WRITE_UNITS_MAX: Final = 1000
PARTITION_BYTES_MAX: Final = 10 * 1024**3
BURST_SECONDS: Final = 300
"""A table or index keeps its unused units of this many seconds."""
ON_DEMAND_GROWTH_SECONDS: Final = 30 * 60
"""A new peak of an on-demand table counts as its previous peak after this time."""
PARTITIONS_MAX: Final = 4096
"""Our own: of one table or index; it is not split any further."""
CAPACITY_TABLES_MAX: Final = 10_000
"""Our own: tables whose capacity a process keeps in memory."""
HOT_KEY_WARNINGS_MAX: Final = 1000
"""Our own: partitions of which a process remembers that it has warned."""
STREAM_READS_PER_SECOND_MAX: Final = 5
"""GetRecords on one shard of a stream."""
STREAM_READ_BYTES_PER_SECOND_MAX: Final = 2 * 1024**2
STREAM_SHARD_READERS_MAX: Final = 10_000
"""Our own: shards whose reads a process counts."""
