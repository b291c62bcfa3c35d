"""TableDescription: what CreateTable, DescribeTable, UpdateTable and DeleteTable answer."""

from typing import Final

from hashrange.limits import ON_DEMAND_WARM_READ_UNITS, ON_DEMAND_WARM_WRITE_UNITS
from hashrange.model.table import Table, TableStatus
from hashrange.operations.operation import Moment
from hashrange.operations.table_shapes import (
    AttributeDefinition,
    BillingModeSummary,
    KeySchemaElement,
    ProvisionedThroughputDescription,
    TableClassSummary,
    TableDescription,
    WarmThroughputDescription,
)
from hashrange.tables.catalog import Catalog
from hashrange.tables.lifecycle import still_shown
from hashrange.tables.reader import TableSize

_DAY_MS: Final = 24 * 60 * 60 * 1000


def describe(table: Table, size: TableSize, status: TableStatus, now_ms: int) -> TableDescription:
    """The table as clients see it; members appear only when they are set."""
    on_demand = table.billing_mode == "PAY_PER_REQUEST"
    throughput = table.throughput
    warm_read = ON_DEMAND_WARM_READ_UNITS if on_demand else throughput.read_units
    warm_write = ON_DEMAND_WARM_WRITE_UNITS if on_demand else throughput.write_units
    return TableDescription(
        attribute_definitions=[
            AttributeDefinition(attribute_name=attribute.name, attribute_type=attribute.type)
            for attribute in table.attributes
        ],
        table_name=table.name,
        key_schema=[
            KeySchemaElement(attribute_name=attribute.name, key_type=key_type)
            for attribute, key_type in zip(table.key_attributes, ("HASH", "RANGE"), strict=False)
        ],
        table_status=status,
        creation_date_time=table.created_ms / 1000,
        provisioned_throughput=ProvisionedThroughputDescription(
            last_increase_date_time=_seconds(throughput.increased_ms),
            last_decrease_date_time=_seconds(throughput.decreased_ms),
            number_of_decreases_today=decreases_today(table, now_ms),
            read_capacity_units=throughput.read_units,
            write_capacity_units=throughput.write_units,
        ),
        table_size_bytes=size.size,
        item_count=size.items,
        table_arn=table.arn,
        table_id=table.id,
        billing_mode_summary=_billing(table),
        table_class_summary=_table_class(table),
        deletion_protection_enabled=table.deletion_protection,
        warm_throughput=WarmThroughputDescription(
            read_units_per_second=warm_read, write_units_per_second=warm_write, status="ACTIVE"
        ),
    )


async def deleting_table(catalog: Catalog, name: str, moment: Moment) -> Table | None:
    """The dropped table of that name that is still shown as DELETING."""
    if not moment.transient_ms:
        return None
    for table in await catalog.dropped():
        if table.name == name and still_shown(table, moment.now_ms, moment.transient_ms):
            return table
    return None


def decreases_today(table: Table, now_ms: int) -> int:
    """How often throughput was decreased in the UTC day of `now_ms`."""
    decreased_ms = table.throughput.decreased_ms
    if decreased_ms is None or decreased_ms // _DAY_MS != now_ms // _DAY_MS:
        return 0
    return table.throughput.decreases_today


def _billing(table: Table) -> BillingModeSummary | None:
    """Only tables that are on demand, or once were, have one."""
    if table.billing_switched_ms is None:
        return None
    return BillingModeSummary(
        billing_mode=table.billing_mode,
        last_update_to_pay_per_request_date_time=_seconds(table.billing_switched_ms),
    )


def _table_class(table: Table) -> TableClassSummary | None:
    if table.table_class is None:
        return None
    return TableClassSummary(
        table_class=table.table_class, last_update_date_time=_seconds(table.class_changed_ms)
    )


def _seconds(ms: int | None) -> float | None:
    return None if ms is None else ms / 1000
