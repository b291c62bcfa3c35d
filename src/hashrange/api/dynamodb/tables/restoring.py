"""Descriptions of tables that are being restored: they lack what is set up at the end.

Source: measured by users, September 2026.
"""

from typing import Final

import msgspec

from hashrange.api.dynamodb.definitions.billing import with_billing
from hashrange.model.structures.dynamodb import (
    BillingModeSummary,
    GlobalSecondaryIndexDescription,
    ProvisionedThroughputDescription,
    TableDescription,
)
from hashrange.model.table import Table

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
