"""The figures of a table, from `/metrics` and `/top.json` of a server. Pure."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

import msgspec
from prometheus_client.parser import text_string_to_metric_families

from hashrange.limits.tables import INSIGHT_MINUTES_MAX
from hashrange.model.operations import OPERATION_FACTS
from hashrange.observe.partition_rates import PartitionRate, partition_rates
from hashrange.observe.snapshot import CapacityUse, Snapshot
from hashrange.tools.facts import TABLE, LiveFigures, LivePartition

_TOTAL: Final = "_total"
_THROTTLES: Final = "hashrange_throttle_events_total"
_READS: Final = "hashrange_consumed_read_units_total"
_WRITES: Final = "hashrange_consumed_write_units_total"
_REQUESTS: Final = "hashrange_requests_total"
_CONFLICTS: Final = ("TransactionConflictException", "ReplicatedWriteConflictException")
_WRITE_OPERATIONS: Final = {
    name for name, row in OPERATION_FACTS.items() if row.items is not None and not row.is_read
}
_KEYS_SHOWN: Final = 3
_THROTTLED_KEYS: Final = "PKT"

Counters: TypeAlias = Mapping[tuple[str, tuple[tuple[str, str], ...]], float]
"""The values of a page of metrics, by name and labels."""


class Seen(msgspec.Struct, frozen=True):
    """Both pages of a server at one time."""

    counters: Counters
    snapshot: Snapshot


def counters_of(text: str) -> Counters:
    """The values of a page of metrics. Raises ValueError."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def figures(names: AbstractSet[str], after: Seen, before: Seen | None = None) -> LiveFigures:
    """The counts of a server for a table.

    Args:
        names: those under which the server counts the table.
        after: the pages of the server.
        before: those of an earlier time; None to count from the start of the server.
    """
    old = None if before is None else before.snapshot
    counted = _Counted(
        names, _difference(after.counters, None if before is None else before.counters)
    )
    return LiveFigures(
        throttles=counted.throttles(),
        throttled_keys=dict(_throttled_keys(names, after.snapshot)),
        operation_units=counted.units(),
        partitions=_partitions(names, after.snapshot, old),
        stream_lag_seconds=counted.highest("hashrange_trigger_lag_seconds"),
        records_given_up=counted.value("hashrange_trigger_records_given_up_total"),
        conflicts=counted.codes(_CONFLICTS),
        writes=counted.writes(),
    )


def index_reads(names: AbstractSet[str], snapshot: Snapshot) -> Mapping[str, float] | None:
    """Read units of the table and each global index since they exist; None if not counted."""
    uses = _uses(names, snapshot)
    if not any(each.read_units or each.write_units for use in uses for each in use.partitions):
        return None
    return {use.index: sum(each.read_units for each in use.partitions) for use in uses}


class _Counted:
    """The values that belong to a table, and those of the whole server."""

    def __init__(self, names: AbstractSet[str], counters: Counters) -> None:
        self._counters = counters
        self._names = names

    def _of(self, name: str) -> Iterator[tuple[dict[str, str], float]]:
        for (each, labels), value in self._counters.items():
            if each == name:
                yield dict(labels), value

    def _of_table(self, name: str) -> Iterator[tuple[dict[str, str], float]]:
        for labels, value in self._of(name):
            if labels["table"] in self._names:
                yield labels, value

    def value(self, name: str) -> float:
        return sum(value for _labels, value in self._of(name))

    def highest(self, name: str) -> float:
        return max((value for _labels, value in self._of(name)), default=0.0)

    def throttles(self) -> dict[tuple[str, str], float]:
        found: dict[tuple[str, str], float] = {}
        for labels, value in self._of_table(_THROTTLES):
            if value:
                key = (labels["index"], labels["event"])
                found[key] = found.get(key, 0.0) + value
        return found

    def units(self) -> dict[str, tuple[float, float]]:
        found: dict[str, tuple[float, float]] = {}
        for name, read, write in ((_READS, 1.0, 0.0), (_WRITES, 0.0, 1.0)):
            for labels, value in self._of_table(name):
                before = found.get(labels["operation"], (0.0, 0.0))
                found[labels["operation"]] = (
                    before[0] + read * value,
                    before[1] + write * value,
                )
        return found

    def codes(self, errors: tuple[str, ...]) -> dict[str, float]:
        found = dict.fromkeys(errors, 0.0)
        for labels, value in self._of(_REQUESTS):
            if labels["code"] in found:
                found[labels["code"]] += value
        return found

    def writes(self) -> float:
        return sum(
            value
            for labels, value in self._of(_REQUESTS)
            if labels["operation"] in _WRITE_OPERATIONS
        )


def _difference(after: Counters, before: Counters | None) -> Counters:
    """The growth of counters; all of it if the server was started again in between."""
    if before is None:
        return after
    return {
        key: value - before.get(key, 0.0)
        if key[0].endswith(_TOTAL) and value >= before.get(key, 0.0)
        else value
        for key, value in after.items()
    }


def _throttled_keys(names: AbstractSet[str], snapshot: Snapshot) -> Iterator[tuple[str, list[str]]]:
    for each in snapshot.contributors:
        is_wanted = each.rule == _THROTTLED_KEYS and each.table in names
        if is_wanted and each.keys and each.minutes in {0, INSIGHT_MINUTES_MAX}:
            yield each.index, [key.key for key in each.keys[:_KEYS_SHOWN]]


def _uses(names: AbstractSet[str], snapshot: Snapshot) -> list[CapacityUse]:
    return [use for use in snapshot.capacity if use.table in names]


def _partitions(
    names: AbstractSet[str], after: Snapshot, before: Snapshot | None
) -> list[LivePartition] | None:
    """The partitions with their shares; None if the server does not limit capacity."""
    uses = _uses(names, after)
    if not uses:
        return None
    # An earlier use without partitions makes their counts since they exist the difference.
    begun = [msgspec.structs.replace(use, partitions=()) for use in uses]
    old = begun if before is None else _uses(names, before)
    counts = {_place(use): use.partition_count for use in uses}
    found = partition_rates(old, uses, after.hot_keys, 1.0)
    totals: dict[str, float] = {}
    for rate in found:
        totals[rate.place] = totals.get(rate.place, 0.0) + _units(rate)
    return [
        LivePartition(
            index=rate.place.partition("/")[2] or TABLE,
            number=rate.number,
            count=counts[rate.place],
            share=_units(rate) / (totals[rate.place] or 1.0),
            units=_units(rate),
            throttled=round(rate.throttled),
            hot_key=rate.hot_key,
            hot_key_share=rate.hot_share,
        )
        for rate in found
    ]


def _place(use: CapacityUse) -> str:
    return f"{use.table}/{use.index}" if use.index else use.table


def _units(rate: PartitionRate) -> float:
    return rate.read_units + rate.write_units
