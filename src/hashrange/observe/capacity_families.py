"""Metrics of the capacity of tables and their partitions; only for a scrape, as `exposition`."""

from collections.abc import Iterator, Sequence

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from hashrange.observe.snapshot import CapacityUse


def capacity_families(uses: Sequence[CapacityUse]) -> Iterator[Metric]:
    """Partitions, burst, and of each partition its bytes, units and throttled requests."""
    if not uses:
        return
    counts = GaugeMetricFamily(
        "hashrange_partitions", "Partitions of a table or index.", labels=["table", "index"]
    )
    left = GaugeMetricFamily(
        "hashrange_units_left",
        "Units that are left, with those kept for bursts; negative after large requests.",
        labels=["table", "index", "kind"],
    )
    labels = ["table", "index", "partition"]
    size = GaugeMetricFamily(
        "hashrange_partition_bytes", "Bytes of a partition, estimated.", labels=labels
    )
    units = CounterMetricFamily(
        "hashrange_partition_units",
        "Units that a partition consumed since it exists.",
        labels=[*labels, "kind"],
    )
    throttled = CounterMetricFamily(
        "hashrange_partition_throttled",
        "Requests that were throttled at a partition.",
        labels=[*labels, "kind"],
    )
    for use in uses:
        place = [use.table, use.index]
        counts.add_metric(place, use.partition_count)
        left.add_metric([*place, "read"], use.read_left)
        left.add_metric([*place, "write"], use.write_left)
        for each in use.partitions:
            at = [*place, str(each.number)]
            size.add_metric(at, each.item_bytes)
            units.add_metric([*at, "read"], each.read_units)
            units.add_metric([*at, "write"], each.write_units)
            throttled.add_metric([*at, "read"], each.throttled_reads)
            throttled.add_metric([*at, "write"], each.throttled_writes)
    yield from (counts, left, size, units, throttled)
