"""TableDescription, the answer of CreateTable, DescribeTable, UpdateTable and DeleteTable.

Source: measured by users, September 2026.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.api.dynamodb.definitions.billing import with_billing
from hashrange.api.dynamodb.definitions.encryption import described_encryption
from hashrange.api.dynamodb.definitions.on_demand_limits import described_limits
from hashrange.api.dynamodb.definitions.table_names import as_it_is, as_shown
from hashrange.api.dynamodb.definitions.throughput import described_throughput
from hashrange.api.dynamodb.definitions.warm_throughput import described_warm
from hashrange.api.dynamodb.indexes.descriptions import (
    IndexesShown,
    describe_global_indexes,
    describe_local_indexes,
)
from hashrange.api.dynamodb.indexes.vectors import describe_vector_indexes, schema_attributes
from hashrange.api.dynamodb.replicas.descriptions import (
    described_replicas,
    described_witnesses,
    global_table_version,
    multi_region_consistency,
    settings_replication,
)
from hashrange.api.dynamodb.replicas.disassociation import described_protection
from hashrange.api.dynamodb.streams.specification import (
    described_stream,
    latest_stream_arn,
    latest_stream_label,
)
from hashrange.api.steps.operation import RequestContext
from hashrange.api.steps.table_lookup import deleting_table
from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import operations as messages
from hashrange.model.structures.dynamodb import (
    AttributeDefinition,
    BillingModeSummary,
    GlobalSecondaryIndexDescription,
    KeySchemaElement,
    ProvisionedThroughputDescription,
    RestoreSummary,
    TableClassSummary,
    TableDescription,
)
from hashrange.model.table import KeyAttribute, Table, TableStatus, VisibleSettings
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.lifecycle import is_warming
from hashrange.tables.opened.reader import TableSize

_replace: Final = msgspec.structs.replace


def is_restored(table: Table) -> bool:
    """Whether a table is being restored; not that a new replica is being filled."""
    return table.restore is not None and not table.restore.regions


def while_restored(described: TableDescription, table: Table) -> TableDescription:
    """The description of a table that `is_restored`; the billing mode is always in it."""
    on_demand = table.billing_mode == "PAY_PER_REQUEST"
    indexes = described.global_secondary_indexes
    shown = _replace(
        described,
        deletion_protection_enabled=None,
        provisioned_throughput=_units(described.provisioned_throughput, on_demand=on_demand),
        global_secondary_indexes=None
        if indexes is None
        else [_index(index, on_demand=on_demand) for index in indexes],
        warm_throughput=None,
    )
    return with_billing(shown, BillingModeSummary(billing_mode=table.billing_mode))


def _index(
    described: GlobalSecondaryIndexDescription, *, on_demand: bool
) -> GlobalSecondaryIndexDescription:
    units = _units(described.provisioned_throughput, on_demand=on_demand)
    return _replace(
        described, index_status=None, provisioned_throughput=units, warm_throughput=None
    )


def _units(
    described: ProvisionedThroughputDescription, *, on_demand: bool
) -> ProvisionedThroughputDescription:
    return _replace(described, number_of_decreases_today=None) if on_demand else described


class Sizes(msgspec.Struct, frozen=True):
    """Items and bytes of a table, and of its indexes by number."""

    table: TableSize
    indexes: Mapping[int, TableSize] = {}


NOTHING: Final = Sizes(TableSize(0, 0))


async def sizes_of(catalog: Catalog, table: Table) -> Sizes:
    """Read the current sizes of a table and its indexes."""
    indexes = {index.number: await catalog.size(table, index.number) for index in table.all_indexes}
    return Sizes(await catalog.size(table), indexes)


def describe(
    table: Table,
    sizes: Sizes,
    status: TableStatus,
    now_ms: int,
    *,
    transient_ms: int = 0,
    master_key_id: str | None = None,
) -> TableDescription:
    """The description of a table; members that are not set are left out."""
    shown = as_shown(table, as_it_is(table, now_ms), transient_ms)
    indexes = IndexesShown(
        status=status if status in {"CREATING", "DELETING"} else None,
        sizes=sizes.indexes,
        now_ms=now_ms,
        transient_ms=transient_ms,
    )
    warm = described_warm(shown.warm, warming=is_warming(table, now_ms, transient_ms))
    global_indexes = describe_global_indexes(table, indexes)
    described = TableDescription(
        attribute_definitions=[
            AttributeDefinition(attribute_name=attribute.name, attribute_type=attribute.type)
            for attribute in _key_attributes(table)
        ],
        table_name=table.name,
        key_schema=[
            KeySchemaElement(attribute_name=attribute.name, key_type=key_type)
            for attribute, key_type in zip(table.key_attributes, ("HASH", "RANGE"), strict=False)
        ],
        table_status=status,
        creation_date_time=table.created_ms / 1000,
        provisioned_throughput=described_throughput(shown.throughput, now_ms),
        table_size_bytes=sizes.table.size,
        item_count=sizes.table.items,
        table_arn=table.arn,
        table_id=table.id,
        table_class_summary=_table_class(shown),
        deletion_protection_enabled=table.deletion_protection,
        disassociation_protection_enabled=described_protection(table),
        on_demand_throughput=described_limits(table.on_demand),
        local_secondary_indexes=describe_local_indexes(table, sizes.indexes),
        vector_indexes=describe_vector_indexes(table, indexes),
        global_secondary_indexes=global_indexes,
        stream_specification=described_stream(table),
        latest_stream_label=latest_stream_label(table),
        latest_stream_arn=latest_stream_arn(table),
        sse_description=described_encryption(table, now_ms, transient_ms, master_key_id),
        restore_summary=_restore(table),
        global_table_version=global_table_version(table),
        replicas=described_replicas(table, warm, global_indexes or (), master_key_id),
        global_table_settings_replication_mode=settings_replication(table),
        multi_region_consistency=multi_region_consistency(table),
        global_table_witnesses=described_witnesses(table),
        warm_throughput=warm,
    )
    described = with_billing(described, _billing(table, shown))
    return while_restored(described, table) if is_restored(table) else described


def _key_attributes(table: Table) -> list[KeyAttribute]:
    """The attributes of all keys in the order of their names, with those of shown indexes."""
    keys = [table.key_attributes, *map(schema_attributes, table.all_indexes)]
    found = {attribute.name: attribute for key in keys for attribute in key}
    return [found[name] for name in sorted(found)]


async def refuse_deleting(catalog: Catalog, name: str, context: RequestContext) -> None:
    """Raise ResourceInUseException if a table of that name is still shown as DELETING."""
    opened = await catalog.open(name)
    is_leaving = opened is not None and opened.table.is_leaving
    if is_leaving or await deleting_table(catalog, name, context) is not None:
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.table_busy(name, "deleted"))


def _billing(table: Table, shown: VisibleSettings) -> BillingModeSummary | None:
    """The summary of a table that is or once was on demand; it has the new mode at once."""
    if table.billing_switched_ms is None:
        return None
    return BillingModeSummary(
        billing_mode=table.billing_mode,
        last_update_to_pay_per_request_date_time=_seconds(shown.billing_switched_ms),
    )


def _table_class(shown: VisibleSettings) -> TableClassSummary | None:
    if shown.table_class is None:
        return None
    return TableClassSummary(
        table_class=shown.table_class, last_update_date_time=_seconds(shown.class_changed_ms)
    )


def _restore(table: Table) -> RestoreSummary | None:
    restore = table.restore
    if restore is None:
        return None
    return RestoreSummary(
        source_backup_arn=restore.backup_arn,
        source_table_arn=restore.source_arn,
        restore_date_time=restore.time_ms / 1000,
        restore_in_progress=True,
    )


def _seconds(ms: int | None) -> float | None:
    return None if ms is None else ms / 1000
