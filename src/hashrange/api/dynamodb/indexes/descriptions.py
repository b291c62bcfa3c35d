"""Secondary indexes in descriptions of tables."""

from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.api.dynamodb.definitions.on_demand_limits import described_limits, echoed_limits
from hashrange.api.dynamodb.definitions.table_names import as_shown, index_as_it_is
from hashrange.api.dynamodb.definitions.throughput import described_throughput
from hashrange.api.dynamodb.definitions.warm_throughput import described_warm
from hashrange.model.structures.dynamodb import (
    GlobalSecondaryIndexDescription,
    KeySchemaElement,
    LocalSecondaryIndexDescription,
    OnDemandThroughput,
    Projection,
)
from hashrange.model.table import Index, Table, WarmUnits
from hashrange.tables.catalog.lifecycle import index_status_of, is_allocating, is_warming
from hashrange.tables.opened.reader import TableSize
from hashrange.wire.arns import index_arn

_EMPTY: Final = TableSize(0, 0)


class IndexesShown(msgspec.Struct, frozen=True, kw_only=True):
    """The circumstances in which the global indexes of a table are described.

    `status` overrides the status of each index, unless it is None; `sizes` are by number.
    """

    status: str | None
    sizes: Mapping[int, TableSize]
    now_ms: int
    transient_ms: int


def describe_local_indexes(
    table: Table, sizes: Mapping[int, TableSize]
) -> list[LocalSecondaryIndexDescription] | None:
    """The local indexes, None if there are none; `sizes` are by number."""
    found = [
        LocalSecondaryIndexDescription(
            index_name=index.name,
            key_schema=key_schema(index),
            projection=described_projection(index),
            index_size_bytes=sizes.get(index.number, _EMPTY).size,
            item_count=sizes.get(index.number, _EMPTY).items,
            index_arn=index_arn(table.arn, index.name),
        )
        for index in table.indexes
        if index.is_local
    ]
    return found or None


def with_echoed_limits(
    described: list[GlobalSecondaryIndexDescription] | None,
    requested: Mapping[str | None, OnDemandThroughput | None],
) -> list[GlobalSecondaryIndexDescription] | None:
    """Global indexes as UpdateTable answers them; `requested` are maxima by the index's name.

    Measured, September 2026.
    """
    return described and [
        msgspec.structs.replace(
            each,
            on_demand_throughput=echoed_limits(
                each.on_demand_throughput, requested.get(each.index_name)
            ),
        )
        for each in described
    ]


def describe_global_indexes(
    table: Table, shown: IndexesShown
) -> list[GlobalSecondaryIndexDescription] | None:
    """The global indexes, None if there are none."""
    found = [_global(table, index, shown) for index in table.indexes if not index.is_local]
    return found or None


def _global(table: Table, index: Index, shown: IndexesShown) -> GlobalSecondaryIndexDescription:
    now_ms, transient_ms = shown.now_ms, shown.transient_ms
    size = shown.sizes.get(index.number, _EMPTY)
    status = shown.status or index_status_of(index, now_ms, transient_ms)
    visible = as_shown(index, index_as_it_is(table.billing_mode, index, now_ms), transient_ms)
    # A new index has no warm throughput before it is ready.
    warming = is_warming(index, now_ms, transient_ms) or (
        status == "CREATING" and index.warm != WarmUnits()
    )
    return GlobalSecondaryIndexDescription(
        index_name=index.name,
        key_schema=key_schema(index),
        projection=described_projection(index),
        index_status=status,
        backfilling=backfilling(index, shown),
        provisioned_throughput=described_throughput(visible.throughput, now_ms),
        index_size_bytes=size.size,
        item_count=size.items,
        index_arn=index_arn(table.arn, index.name),
        on_demand_throughput=described_limits(index.on_demand),
        warm_throughput=described_warm(visible.warm, warming=warming),
    )


def backfilling(index: Index, shown: IndexesShown) -> bool | None:
    """True while an index of an existing table is filled, False while it is being allocated."""
    if is_allocating(index, shown.now_ms, shown.transient_ms):
        return False
    return True if index.state == "BUILDING" else None


def key_schema(index: Index) -> list[KeySchemaElement]:
    """The HASH elements, then the RANGE elements, in the order of the definition."""
    partition = [
        KeySchemaElement(attribute_name=attribute.name, key_type="HASH")
        for attribute in index.partition
    ]
    sort = [
        KeySchemaElement(attribute_name=attribute.name, key_type="RANGE")
        for attribute in index.sort
    ]
    return partition + sort


def described_projection(index: Index) -> Projection:
    """The attributes that an index has beside the keys."""
    return Projection(
        projection_type=index.projection, non_key_attributes=sorted(index.non_key) or None
    )
