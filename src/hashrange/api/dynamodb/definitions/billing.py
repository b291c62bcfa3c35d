"""Changes of billing mode, units and class of a table by UpdateTable. Pure.

A table class is recorded and described, without effect on storage.
"""

from typing import Final, cast

import msgspec

from hashrange.api.dynamodb.definitions.table_names import as_it_is
from hashrange.api.dynamodb.definitions.throughput import (
    changed_throughput,
    check_maximum,
    decreases_today,
    shown_while_changing,
    throughput_of,
)
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import (
    CLASS_CHANGES_DAYS,
    CLASS_CHANGES_MAX,
    ON_DEMAND_SWITCHES_HOURS,
    ON_DEMAND_SWITCHES_MAX,
)
from hashrange.messages.tables import operations as messages
from hashrange.messages.tables import replicas as replica_messages
from hashrange.messages.tables import throughput as texts
from hashrange.model.structures.dynamodb import (
    BillingModeSummary,
    ProvisionedThroughput,
    TableDescription,
    ThroughputModeSummary,
)
from hashrange.model.table import OnDemandLimits, Table, TableClass
from hashrange.wire import enums

_WINDOW_MS: Final = ON_DEMAND_SWITCHES_HOURS * 60 * 60 * 1000


def billed(
    table: Table, mode: str | None, units: ProvisionedThroughput | None, *, now_ms: int, most: int
) -> Table:
    """The table with a new billing mode and new units; None leaves them unchanged.

    Raises ValidationException, and LimitExceededException for changes that are too frequent, and
    for more units than `most`, the quota of a table.
    """
    new_mode = mode or table.billing_mode
    if new_mode == "PAY_PER_REQUEST":
        if units is not None:
            raise invalid(messages.units_on_demand())
        return table if table.billing_mode == new_mode else _to_on_demand(table, now_ms)
    if units is None:
        return table
    if table.billing_mode == new_mode:
        return _with_units(table, units, now_ms, most)
    return _to_provisioned(table, units, now_ms, most)


def _to_on_demand(table: Table, now_ms: int) -> Table:
    """Source: Developer Guide, "Considerations when switching capacity modes".

    A table that was made on demand has made one switch. Measured, September 2026.
    """
    recent = [at_ms for at_ms in table.on_demand_switches_ms if at_ms > now_ms - _WINDOW_MS]
    if len(recent) >= ON_DEMAND_SWITCHES_MAX:
        next_ms = recent[0] + _WINDOW_MS
        text = texts.too_many_switches(ON_DEMAND_SWITCHES_MAX, recent[-1], next_ms)
        raise DynamoError(Fault.LIMIT_EXCEEDED, text)
    before, old = as_it_is(table, now_ms), table.throughput
    # The dates and the count of decreases stay.
    none = msgspec.structs.replace(old, read_units=0, write_units=0)
    # Until the switch is complete the service shows a decrease, which it does not count.
    shown = msgspec.structs.replace(
        none, decreased_ms=now_ms, decreases_today=decreases_today(old, now_ms)
    )
    return msgspec.structs.replace(
        table,
        billing_mode="PAY_PER_REQUEST",
        billing_switched_ms=now_ms,
        on_demand_switches_ms=(*recent, now_ms),
        throughput=none,
        warm=before.warm,
        changed_ms=now_ms,
        meanwhile=msgspec.structs.replace(before, throughput=shown),
    )


def _to_provisioned(table: Table, units: ProvisionedThroughput, now_ms: int, most: int) -> Table:
    new = throughput_of(units)
    check_maximum(new, table.region, most)
    after = msgspec.structs.replace(
        table,
        billing_mode="PROVISIONED",
        throughput=msgspec.structs.replace(
            table.throughput, read_units=new.read_units, write_units=new.write_units
        ),
        on_demand=OnDemandLimits(),
        warm=as_it_is(table, now_ms).warm,
        changed_ms=now_ms,
    )
    # Until the switch is complete the service shows an increase, whose date does not stay.
    shown = msgspec.structs.replace(after.throughput, increased_ms=now_ms)
    meanwhile = msgspec.structs.replace(as_it_is(after, now_ms), throughput=shown)
    return msgspec.structs.replace(after, meanwhile=meanwhile)


def _with_units(table: Table, units: ProvisionedThroughput, now_ms: int, most: int) -> Table:
    before, old, new = as_it_is(table, now_ms), table.throughput, throughput_of(units)
    if (new.read_units, new.write_units) == (old.read_units, old.write_units):
        raise invalid(messages.throughput_unchanged(old.read_units, old.write_units))
    check_maximum(new, table.region, most)
    new = changed_throughput(old, units, now_ms)
    shown = shown_while_changing(old, new, now_ms)
    return msgspec.structs.replace(
        table,
        throughput=new,
        warm=before.warm,
        changed_ms=now_ms,
        meanwhile=msgspec.structs.replace(before, throughput=shown),
    )


def with_billing(
    description: TableDescription, summary: BillingModeSummary | None
) -> TableDescription:
    """A description with another billing mode, in both summaries."""
    mode = summary and ThroughputModeSummary(
        table_throughput_mode=summary.billing_mode,
        last_update_to_pay_per_request_date_time=summary.last_update_to_pay_per_request_date_time,
    )
    return msgspec.structs.replace(
        description, billing_mode_summary=summary, table_throughput_mode_summary=mode
    )


DEFAULT_CLASS: Final = "STANDARD"
"""The class of a table for which none was set."""
_CLASS_WINDOW_MS: Final = CLASS_CHANGES_DAYS * 24 * 60 * 60 * 1000


def checked_class(name: str | None) -> TableClass | None:
    """The class of that name. Raises ValidationException with a text of its own."""
    if name is not None and name not in enums.TABLE_CLASS.values:
        raise invalid(messages.unknown_table_class())
    return cast("TableClass | None", name)


def reclassed(
    table: Table, table_class: TableClass, now_ms: int, *, is_peer: bool = False
) -> Table:
    """The table with another class; its current class changes nothing and is not counted.

    `is_peer`: it is another replica than that of the request.

    Raises LimitExceededException, also for the current class. Source: Developer Guide, "DynamoDB
    table classes"; measured by users, October 2026.
    """
    recent = [at_ms for at_ms in table.class_changes_ms if at_ms > now_ms - _CLASS_WINDOW_MS]
    if len(recent) >= CLASS_CHANGES_MAX:
        most, days = CLASS_CHANGES_MAX, CLASS_CHANGES_DAYS
        text = messages.too_many_class_changes(most, days)
        if is_peer:
            text = replica_messages.too_many_class_changes(table.region, most, days)
        raise DynamoError(Fault.LIMIT_EXCEEDED, text)
    if table_class == (table.table_class or DEFAULT_CLASS):
        return table
    return msgspec.structs.replace(
        table,
        table_class=table_class,
        class_changed_ms=now_ms,
        class_changes_ms=(*recent, now_ms),
        changed_ms=now_ms,
        meanwhile=as_it_is(table, now_ms),
    )
