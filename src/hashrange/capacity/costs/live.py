"""The load of a live server: what its tables consumed between two snapshots, and how they are made.

The consumed units of a table include those of its indexes, so writes of indexes are not
distinguished.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

import msgspec

from hashrange.capacity.costs.usage import GB_BYTES, Usage, stream_reads
from hashrange.model.namespaces import stored_name_of
from hashrange.observe.rates import rates
from hashrange.observe.snapshot import Snapshot

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
