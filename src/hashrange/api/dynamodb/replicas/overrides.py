"""Settings that one replica has for itself: given, described, and overwritten. Pure.

Source: Developer Guide, "How DynamoDB global tables work", on the synchronisation of settings: a
change of a setting in any replica replaces the overrides of it.
"""

from collections.abc import Callable
from typing import Final, TypeVar, cast

import msgspec

from hashrange.api.dynamodb.definitions.billing import billed, reclassed
from hashrange.api.dynamodb.definitions.on_demand_limits import limited
from hashrange.api.dynamodb.indexes.settings import index_updated
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import indexes as index_messages
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import (
    IndexOverrides,
    Overrides,
    Replication,
)
from hashrange.model.structures.dynamodb import (
    OnDemandThroughput,
    ProvisionedThroughput,
    UpdateGlobalSecondaryIndexAction,
)
from hashrange.model.table import Index, Table, TableClass

Given = TypeVar("Given", Overrides, IndexOverrides)

_replace: Final = msgspec.structs.replace


def overridden(table: Table, region: str, overrides: Overrides, *, now_ms: int, most: int) -> Table:
    """A member of a group when the replica in a region gets settings of its own.

    The replica itself gets the settings, but for the key; all others only the knowledge of them.

    Raises DynamoError: ValidationException, ResourceNotFoundException, LimitExceededException for
    more units than `most`, the quota of a table.
    """
    group = table.replication
    assert group is not None, "a member of a group"
    if table.region == region:
        table = _with_settings(table, overrides, now_ms, most)
    elif group.overrides.read_units is None:
        overrides = _different(overrides, table)
    return _with_each(table, lambda each, old: _merged(old, overrides) if each == region else old)


def possible(overrides: Overrides, table: Table) -> Overrides:
    """The overrides of a new replica without those that its source makes impossible.

    The service ignores units for an on-demand table, and unknown indexes, but only in a new
    replica. Source: users' measurements, October 2026.
    """
    if table.billing_mode == "PAY_PER_REQUEST":
        indexes = tuple(_replace(each, read_units=None) for each in overrides.indexes)
        overrides = _replace(overrides, read_units=None, indexes=indexes)
    names = {index.name for index in table.indexes if not index.is_local}
    known = tuple(
        each
        for each in overrides.indexes
        if each.name in names and each != IndexOverrides(name=each.name)
    )
    return _replace(overrides, indexes=known)


def _different(overrides: Overrides, table: Table) -> Overrides:
    """The overrides with zero for read units that are those of the table: no override any more."""
    if overrides.read_units == table.throughput.read_units:
        return _replace(overrides, read_units=0)
    return overrides


def overwritten(
    table: Table,
    *,
    units: bool,
    limits: bool,
    table_class: bool,
    key: bool,
    indexes: dict[str, tuple[bool, bool]],
) -> Table:
    """A member of a group when settings of all replicas have changed.

    Args:
        table: the member.
        units: the read units of the table.
        limits: its on-demand maximum of reads.
        table_class: its class.
        key: the kind of its encryption.
        indexes: units and maximum, by the names of the indexes that have changed.
    """
    if table.replication is None:
        return table

    def left(old: Overrides) -> Overrides:
        kept = [_without(each, *indexes.get(each.name, (False, False))) for each in old.indexes]
        return _replace(
            old,
            read_units=None if units else old.read_units,
            max_read_units=None if limits else old.max_read_units,
            table_class=None if table_class else old.table_class,
            key=None if key else old.key,
            indexes=tuple(each for each in kept if each != IndexOverrides(name=each.name)),
        )

    return _with_each(table, lambda _region, old: left(old))


def without_overrides(table: Table) -> Table:
    """A member of a group when the mode of capacity has changed: only keys and classes are left."""
    return _with_each(
        table,
        lambda _region, old: Overrides(table_class=old.table_class, key=old.key),
    )


def _without(index: IndexOverrides, units: bool, limits: bool) -> IndexOverrides:  # noqa: FBT001
    return IndexOverrides(
        name=index.name,
        read_units=None if units else index.read_units,
        max_read_units=None if limits else index.max_read_units,
    )


def _with_each(table: Table, change: Callable[[str, Overrides], Overrides]) -> Table:
    replication = table.replication
    if replication is None:
        return table
    changed: Replication = _replace(
        replication,
        overrides=change(table.region, replication.overrides),
        replicas=tuple(
            _replace(each, overrides=change(each.region, each.overrides))
            for each in replication.replicas
        ),
    )
    return _replace(table, replication=changed)


def _merged(old: Overrides, new: Overrides) -> Overrides:
    """Overrides after an update: absent members do not change."""
    indexes = {each.name: each for each in old.indexes}
    for index in new.indexes:
        before = indexes.get(index.name, IndexOverrides(name=index.name))
        indexes[index.name] = _given(before, index)
    merged = _replace(_given(old, new), indexes=tuple(indexes.values()))
    return _replace(merged, read_units=merged.read_units or None)


def _given(old: Given, new: Given) -> Given:
    members = {name: getattr(new, name) for name in new.__struct_fields__}
    return _replace(old, **{name: value for name, value in members.items() if value is not None})


def _with_settings(table: Table, overrides: Overrides, now_ms: int, most: int) -> Table:
    units, on_demand = overrides.read_units, overrides.max_read_units
    if units is not None:
        if table.billing_mode == "PAY_PER_REQUEST":
            raise invalid(messages.units_on_demand())
        if units != table.throughput.read_units:
            sent = ProvisionedThroughput(
                read_capacity_units=units, write_capacity_units=table.throughput.write_units
            )
            table = billed(table, None, sent, now_ms=now_ms, most=most)
    if on_demand is not None:
        if table.billing_mode == "PROVISIONED":
            raise invalid(messages.maximum_of_provisioned())
        table = limited(table, OnDemandThroughput(max_read_request_units=on_demand), most)
    if overrides.table_class is not None:
        table = reclassed(table, cast("TableClass", overrides.table_class), now_ms)
    for each in overrides.indexes:
        index = _index(table, each.name)
        updated = _with_index_settings(index, table, each, now_ms=now_ms, most=most)
        others = (updated if old is index else old for old in table.indexes)
        table = _replace(table, indexes=tuple(others))
    return table


def _index(table: Table, name: str) -> Index:
    index = table.index(name)
    if index is None or index.is_local or index.state == "DELETING":
        text = index_messages.index_not_found(name, table.name)
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
    return index


def _with_index_settings(
    index: Index, table: Table, overrides: IndexOverrides, *, now_ms: int, most: int
) -> Index:
    units, limits = None, None
    if overrides.read_units not in {None, index.throughput.read_units}:
        units = ProvisionedThroughput(
            read_capacity_units=overrides.read_units,
            write_capacity_units=index.throughput.write_units,
        )
    if overrides.max_read_units is not None:
        limits = OnDemandThroughput(max_read_request_units=overrides.max_read_units)
    if units is None and limits is None:
        return index
    sent = UpdateGlobalSecondaryIndexAction(
        index_name=index.name, provisioned_throughput=units, on_demand_throughput=limits
    )
    return index_updated(index, table, sent, now_ms=now_ms, most=most)
