"""The load of a live server between two snapshots, and a workload for simulations made of it.

The consumed units of a table include those of its indexes, so writes of indexes are not
distinguished.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import ceil
from typing import Any, Final

import msgspec

from hashrange.capacity.costs.usage import GB_BYTES, Usage, stream_reads
from hashrange.capacity.simulation.workload import KEYS_MAX
from hashrange.capacity.units import read_units, write_units
from hashrange.model.namespaces import stored_name_of
from hashrange.observe.rates import rates
from hashrange.observe.snapshot import KeyCounts, Snapshot

ITEM_OVERHEAD_BYTES: Final = 100
"""Bytes that DynamoDB adds to each stored item in its bill. Source: "DynamoDB item sizes"."""


class MeasuredLoad(msgspec.Struct, frozen=True, kw_only=True):
    """The load of some tables of a server.

    Attributes:
        seconds: how long they were watched.
        read_units: a second, with those of indexes.
    """

    seconds: float
    read_units: float
    write_units: float


def counted_names(shown: Mapping[str, Any]) -> frozenset[str]:
    """The names under which a server counts a table, from its description by DescribeTable.

    With `--namespaces separate` these have the account and the region before the name.
    """
    return frozenset(
        stored_name_of(shown["TableArn"], separate=separate) for separate in (False, True)
    )


def measured_load(
    before: Snapshot, after: Snapshot, names: AbstractSet[str] | None = None
) -> MeasuredLoad:
    """The load between two snapshots, of the table counted under these names, or of all tables."""
    found = rates(before, after)
    chosen = [each for each in found.tables if names is None or each.name in names]
    return MeasuredLoad(
        seconds=found.seconds,
        read_units=sum(each.read_units for each in chosen),
        write_units=sum(each.write_units for each in chosen),
    )


def stored_gb(descriptions: Sequence[Mapping[str, Any]]) -> float:
    """The storage of tables and their indexes, as it is billed."""
    total = 0
    for shown in descriptions:
        total += shown["TableSizeBytes"] + shown["ItemCount"] * ITEM_OVERHEAD_BYTES
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index in shown.get(kind) or ():
                total += index.get("IndexSizeBytes", 0)
                total += index.get("ItemCount", 0) * ITEM_OVERHEAD_BYTES
    return total / GB_BYTES


def live_usage(
    load: MeasuredLoad, descriptions: Sequence[Mapping[str, Any]], *, recovery: bool = False
) -> Usage:
    """The usage of tables, from their load and their descriptions by DescribeTable."""
    usage = Usage(
        read_units=load.read_units,
        write_units=load.write_units,
        storage_gb=stored_gb(descriptions),
        pitr=recovery,
        replicas=max((len(each.get("Replicas") or ()) for each in descriptions), default=0),
    )
    has_stream = any(
        (each.get("StreamSpecification") or {}).get("StreamEnabled") for each in descriptions
    )
    reads = stream_reads(usage) if has_stream else 0.0
    return msgspec.structs.replace(usage, stream_reads=reads)


_RARE: Final = 0.01
"""A key with a smaller share of the samples is not hot."""


def workload_text(
    shown: Mapping[str, Any], load: MeasuredLoad, hot_keys: KeyCounts | None = None
) -> str:
    """The text of a workload file.

    Writes and reads are of single items of the average size, as the counts of a server do not show
    operations apart; each write has an entry in each index.

    Args:
        shown: the description of the table by DescribeTable.
        load: what the table consumed.
        hot_keys: the sampled partition keys of the server.
    """
    return "\n".join([*_table(shown, load), *_traffic(shown, load, hot_keys)]) + "\n"


def _table(shown: Mapping[str, Any], load: MeasuredLoad) -> Iterator[str]:
    name = shown["TableName"]
    yield f"# Taken from the table {name}, watched for {load.seconds:.0f} s:"
    yield f"# {load.read_units:,.1f} read and {load.write_units:,.1f} write units a second."
    yield ""
    yield f'title = "{name}"'
    yield "seconds = 3600"
    yield ""
    yield "[table]"
    mode = "provisioned" if _is_provisioned(shown) else "on-demand"
    yield f'mode = "{mode}"'
    yield from _units(shown)
    has_sort_key = any(each["KeyType"] == "RANGE" for each in shown["KeySchema"])
    yield f'sort_key = "{"random" if has_sort_key else "none"}"'
    local = [each["IndexName"] for each in shown.get("LocalSecondaryIndexes") or ()]
    if local:
        names = ", ".join(f'"{each}"' for each in local)
        yield f"local_indexes = [{names}]"
    yield f"stored_bytes = {shown['TableSizeBytes']}"
    for index in shown.get("GlobalSecondaryIndexes") or ():
        yield ""
        yield f'[indexes."{index["IndexName"]}"]'
        yield from _units(index)


def _traffic(
    shown: Mapping[str, Any], load: MeasuredLoad, hot_keys: KeyCounts | None
) -> Iterator[str]:
    count = shown["ItemCount"]
    size = ceil(shown["TableSizeBytes"] / count) if count else 1024
    indexes = [
        each["IndexName"]
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for each in shown.get(kind) or ()
    ]
    each_write = write_units(size) * (1 + len(indexes))
    each_read = read_units(size, consistent=False)
    for name, operation, rate in (
        ("writes", "update", load.write_units / each_write),
        ("reads", "get", load.read_units / each_read),
    ):
        yield ""
        yield "[[traffic]]"
        yield f'name = "{name}"'
        yield f'operation = "{operation}"'
        yield f"rate = {rate:.4g}"
        yield f"item_bytes = {size}"
        yield f"keys = {_keys(shown, hot_keys)}"
        if operation == "update" and indexes:
            entries = ", ".join(f'"{each}" = {_uniform(shown)}' for each in indexes)
            yield f"entries = {{ {entries} }}"


def _units(shown: Mapping[str, Any]) -> Iterator[str]:
    units = shown.get("ProvisionedThroughput") or {}
    for name, member in (
        ("read_units", "ReadCapacityUnits"),
        ("write_units", "WriteCapacityUnits"),
    ):
        if units.get(member):
            yield f"{name} = {units[member]}"
    maxima = shown.get("OnDemandThroughput") or {}
    for name, member in (
        ("max_read_units", "MaxReadRequestUnits"),
        ("max_write_units", "MaxWriteRequestUnits"),
    ):
        if maxima.get(member, -1) > 0:
            yield f"{name} = {maxima[member]}"


def _is_provisioned(shown: Mapping[str, Any]) -> bool:
    return bool((shown.get("ProvisionedThroughput") or {}).get("WriteCapacityUnits"))


def _keys(shown: Mapping[str, Any], hot_keys: KeyCounts | None) -> str:
    """The hottest key of the sample and the others, or keys of equal frequency."""
    names = counted_names(shown)
    of_table = [each for each in (hot_keys.keys if hot_keys else ()) if each.table in names]
    total = hot_keys.total if hot_keys else 0
    if of_table and total and of_table[0].count > 1:
        share = of_table[0].count / total
        if share >= _RARE:
            return f'{{ kind = "hot", count = {_count(shown)}, share = {share:.3g} }}'
    return _uniform(shown)


def _uniform(shown: Mapping[str, Any]) -> str:
    return f'{{ kind = "uniform", count = {_count(shown)} }}'


def _count(shown: Mapping[str, Any]) -> int:
    count: int = shown["ItemCount"]
    return min(max(count, 1), KEYS_MAX)
