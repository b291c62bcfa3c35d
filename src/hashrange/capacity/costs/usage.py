"""The usage of a table in a month, which a bill is made of."""

from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.capacity.partitions import partitions_for
from hashrange.capacity.prices import MONTH_HOURS
from hashrange.limits.tables import PARTITION_BYTES_MAX

DAY_HOURS: Final = 24
GB_BYTES: Final = 1024**3
_HOUR_SECONDS: Final = 3600


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """The load and the size of a table with its indexes.

    Attributes:
        read_units: units a second, of the table and its indexes, in the hours of the load.
        write_units: the same of writes of the table, without its indexes.
        index_write_units: the same of writes of all indexes together.
        hours_a_day: how long the load lasts; there is none in the other hours.
        read_peak: the highest rate of reads, as a multiple of that of the load.
        write_peak: the same of writes, those of indexes included.
        storage_gb: of the table and its indexes, in one region.
        pitr: whether point-in-time recovery is on.
        stream_reads: GetRecords requests in a month; those of triggers of Lambda are free.
        replicas: the number of other regions with a replica.
        backup_gb: on-demand backups that are kept.
        restore_gb: restored in a month; the same for exports and imports, which count the
            uncompressed data.
        egress_gb: sent to the internet in a month.
        dax_nodes: numbers of nodes by their type, as `dax.r5.large`.
        vector_write_gb: written to vector indexes in a month.
        vector_search_gb: read by searches of vectors in a month.
    """

    read_units: float = 0.0
    write_units: float = 0.0
    index_write_units: float = 0.0
    hours_a_day: float = DAY_HOURS
    read_peak: float = 1.0
    write_peak: float = 1.0
    storage_gb: float = 0.0
    pitr: bool = False
    stream_reads: float = 0.0
    replicas: int = 0
    backup_gb: float = 0.0
    restore_gb: float = 0.0
    export_gb: float = 0.0
    incremental_export_gb: float = 0.0
    import_gb: float = 0.0
    egress_gb: float = 0.0
    dax_nodes: Mapping[str, int] = {}
    vector_write_gb: float = 0.0
    vector_search_gb: float = 0.0

    @property
    def load_hours(self) -> float:
        """The hours of a month with the load."""
        return MONTH_HOURS * self.hours_a_day / DAY_HOURS

    @property
    def load_seconds(self) -> float:
        """The seconds of a month with the load."""
        return self.load_hours * _HOUR_SECONDS

    @property
    def regions(self) -> int:
        """The number of regions that have the table."""
        return self.replicas + 1


def stream_reads(usage: Usage) -> float:
    """GetRecords requests of one consumer that asks each shard of the stream once a second.

    A partition has one shard.
    """
    by_throughput = partitions_for(
        usage.read_units * usage.read_peak, usage.write_units * usage.write_peak
    )
    by_size = -(-usage.storage_gb * GB_BYTES // PARTITION_BYTES_MAX)
    return max(by_throughput, by_size) * MONTH_HOURS * float(_HOUR_SECONDS)
