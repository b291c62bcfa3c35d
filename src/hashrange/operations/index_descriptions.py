"""Indexes as DescribeTable shows them."""

from collections.abc import Mapping

from hashrange.model.table import Index, Table
from hashrange.operations.table_shapes import (
    GlobalSecondaryIndexDescription,
    KeySchemaElement,
    LocalSecondaryIndexDescription,
    Projection,
    ProvisionedThroughputDescription,
    WarmThroughputDescription,
)
from hashrange.tables.reader import TableSize
from hashrange.wire.arns import index_arn

_STATUS = {"ACTIVE": "ACTIVE", "BUILDING": "CREATING", "DELETING": "DELETING"}
_EMPTY = TableSize(0, 0)


def describe_local_indexes(
    table: Table, sizes: Mapping[int, TableSize]
) -> list[LocalSecondaryIndexDescription] | None:
    """None where there are none; `sizes` by the number of the index."""
    found = [
        LocalSecondaryIndexDescription(
            index_name=index.name,
            key_schema=key_schema(index),
            projection=_projection(index),
            index_size_bytes=sizes.get(index.number, _EMPTY).size,
            item_count=sizes.get(index.number, _EMPTY).items,
            index_arn=index_arn(table.arn, index.name),
        )
        for index in table.indexes
        if index.is_local
    ]
    return found or None


def describe_global_indexes(
    table: Table, sizes: Mapping[int, TableSize], *, status: str | None = None
) -> list[GlobalSecondaryIndexDescription] | None:
    """None where there are none; `status` is shown instead of the indexes' own."""
    found = [
        _global(table, index, sizes.get(index.number, _EMPTY), status)
        for index in table.indexes
        if not index.is_local
    ]
    return found or None


def _global(
    table: Table, index: Index, size: TableSize, status: str | None
) -> GlobalSecondaryIndexDescription:
    on_demand = table.billing_mode == "PAY_PER_REQUEST"
    throughput = index.throughput
    return GlobalSecondaryIndexDescription(
        index_name=index.name,
        key_schema=key_schema(index),
        projection=_projection(index),
        index_status=status or _STATUS[index.state],
        backfilling=True if index.state == "BUILDING" else None,
        provisioned_throughput=ProvisionedThroughputDescription(
            number_of_decreases_today=0,
            read_capacity_units=throughput.read_units,
            write_capacity_units=throughput.write_units,
        ),
        index_size_bytes=size.size,
        item_count=size.items,
        index_arn=index_arn(table.arn, index.name),
        warm_throughput=WarmThroughputDescription(
            read_units_per_second=12_000 if on_demand else throughput.read_units,
            write_units_per_second=4_000 if on_demand else throughput.write_units,
            status="ACTIVE",
        ),
    )


def key_schema(index: Index) -> list[KeySchemaElement]:
    """HASH elements, then RANGE elements, as they were given."""
    partition = [
        KeySchemaElement(attribute_name=attribute.name, key_type="HASH")
        for attribute in index.partition
    ]
    sort = [
        KeySchemaElement(attribute_name=attribute.name, key_type="RANGE")
        for attribute in index.sort
    ]
    return partition + sort


def _projection(index: Index) -> Projection:
    return Projection(
        projection_type=index.projection, non_key_attributes=list(index.non_key) or None
    )
