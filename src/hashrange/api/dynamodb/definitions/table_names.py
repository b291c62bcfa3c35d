"""Checks of TableName before all other checks, and values as errors show them."""

import re
from typing import Final

import msgspec

from hashrange.api.steps.constraints import NAME_PATTERN
from hashrange.errors import DynamoError, invalid
from hashrange.limits.tables import (
    ON_DEMAND_WARM_READ_UNITS,
    ON_DEMAND_WARM_WRITE_UNITS,
    TABLE_NAME_CHARS_MAX,
    TABLE_NAME_CHARS_MIN,
)
from hashrange.messages import wire
from hashrange.messages.tables import operations as messages
from hashrange.model.table import BillingMode, Index, Table, Throughput, VisibleSettings, WarmUnits
from hashrange.tables.catalog.catalog import not_found
from hashrange.tables.catalog.lifecycle import is_changing, is_warming
from hashrange.wire.arns import table_name_of

_matches: Final = re.compile(NAME_PATTERN, re.ASCII).fullmatch


class TableReference(msgspec.Struct, frozen=True):
    """A table in a request: its name or ARN as sent, and its name."""

    sent: str
    name: str

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return (self.sent,)


class TableReferences(msgspec.Struct, frozen=True):
    """The tables of a request, names or ARNs as sent; may be empty."""

    table_names: tuple[str, ...]


def existing_tables(name_or_arn: str | None) -> TableReferences:
    """The table of an operation whose TableName is optional. Raises as `existing_table_name`."""
    if name_or_arn is None:
        return TableReferences(())
    return TableReferences(existing_table(name_or_arn).table_names)


def existing_table(name_or_arn: str | None) -> TableReference:
    """The table of an operation on an existing table. Raises as `existing_table_name`."""
    name = existing_table_name(name_or_arn)
    return TableReference(str(name_or_arn), name)


def existing_table_name(name_or_arn: str | None) -> str:
    """The name of an existing table, from a name or an ARN. Raises ValidationException.

    The texts are the model's. Source: measured by users, October 2026; older captures have another
    text for the length, number 6 of docs/internals/messages.md.
    """
    name = new_table_name(name_or_arn)
    broken = []
    if len(name) < TABLE_NAME_CHARS_MIN:
        broken.append(wire.length_at_least(TABLE_NAME_CHARS_MIN))
    elif len(name) > TABLE_NAME_CHARS_MAX:
        broken.append(wire.length_at_most(TABLE_NAME_CHARS_MAX))
    if not _matches(name):
        broken.append(wire.pattern(NAME_PATTERN))
    if broken:
        violations = [wire.value_echoed(name, "tableName", each) for each in broken]
        raise invalid(wire.envelope(violations))
    return name


def new_table_name(name_or_arn: str | None) -> str:
    """The name of a new table, from a name or an ARN; the model's constraints are not checked."""
    if name_or_arn is None:
        raise invalid(messages.name_required())
    return table_name_of(name_or_arn)


def no_such_table(name_or_arn: str) -> DynamoError:
    """The ResourceNotFoundException of the operations on tables, which names the table."""
    return not_found(table_name_of(name_or_arn))


def as_it_is(table: Table, now_ms: int) -> VisibleSettings:
    """The current settings of a table, with all changes."""
    return VisibleSettings(
        at_ms=now_ms,
        throughput=table.throughput,
        warm=warm_units(table.billing_mode, table.throughput, table.warm),
        billing_switched_ms=table.billing_switched_ms,
        table_class=table.table_class,
        class_changed_ms=table.class_changed_ms,
    )


def index_as_it_is(mode: BillingMode, index: Index, now_ms: int) -> VisibleSettings:
    """The current settings of an index of a table of that mode, with all changes."""
    return VisibleSettings(
        at_ms=now_ms,
        throughput=index.throughput,
        warm=warm_units(mode, index.throughput, index.warm),
    )


def as_shown(changed: Table | Index, now: VisibleSettings, transient_ms: int) -> VisibleSettings:
    """The settings to show: those of `now`, or until a change is complete, those before it."""
    before = changed.meanwhile
    if before is None:
        return now
    if before.at_ms == changed.changed_ms and is_changing(changed, now.at_ms, transient_ms):
        return before
    if before.at_ms == changed.warm_changed_ms and is_warming(changed, now.at_ms, transient_ms):
        return msgspec.structs.replace(now, warm=before.warm)
    return now


def warm_units(mode: BillingMode, throughput: Throughput, most: WarmUnits) -> WarmUnits:
    """The warm throughput of a table or index; `most` is the highest that was ever requested."""
    if mode == "PAY_PER_REQUEST":
        read, write = ON_DEMAND_WARM_READ_UNITS, ON_DEMAND_WARM_WRITE_UNITS
    else:
        read, write = throughput.read_units, throughput.write_units
    return WarmUnits(
        read_units=max(read, most.read_units), write_units=max(write, most.write_units)
    )
