"""The settings that all replicas of a global table have in common, as one value. Pure.

Replicas on other servers receive all of them together; the value that was changed last wins.
"""

from typing import Final

import msgspec

from hashrange.model.table import (
    BillingMode,
    Index,
    KeyAttribute,
    OnDemandLimits,
    Table,
    TableClass,
    Throughput,
    WarmUnits,
)

_replace: Final = msgspec.structs.replace
_US: Final = 1000


class SharedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings; `indexes` are the global ones, without those that are being removed."""

    version: tuple[int, str]
    billing_mode: BillingMode
    throughput: Throughput
    on_demand: OnDemandLimits
    warm: WarmUnits
    table_class: TableClass | None
    attributes: tuple[KeyAttribute, ...]
    indexes: tuple[Index, ...]
    expiry: Index | None


def shared_settings(table: Table) -> SharedSettings:
    """Those of a replica."""
    assert table.replication is not None, "a global table"
    return SharedSettings(
        version=table.replication.settings_version,
        billing_mode=table.billing_mode,
        throughput=table.throughput,
        on_demand=table.on_demand,
        warm=table.warm,
        table_class=table.table_class,
        attributes=table.attributes,
        indexes=tuple(each for each in table.indexes if _is_shared(each)),
        expiry=None if _is_ending(table.expiry) else table.expiry,
    )


def settings_changed(table: Table, now_ms: int) -> Table:
    """A replica after a change of its shared settings by a request."""
    replication = table.replication
    if replication is None or not any(each.is_remote for each in replication.replicas):
        return table
    version = max(now_ms * _US, replication.settings_version[0] + 1), table.region
    return _replace(table, replication=_replace(replication, settings_version=version))


def adopted(table: Table, settings: SharedSettings, now_ms: int) -> Table:
    """A replica with settings of another one; the same table if its own were changed later.

    An index is removed before another one of its name is built: until it is gone the settings are
    not those of this version, and are to be sent again.
    """
    replication = table.replication
    if replication is None or settings.version <= replication.settings_version:
        return table
    if (ending := _to_end(table, settings)) is not None:
        return ending
    wanted = {each.name: each for each in settings.indexes}
    number, indexes = table.next_index, []
    for index in table.indexes:
        found = wanted.pop(index.name, None)
        if not _is_shared(index):
            indexes.append(index)
        elif found is None:
            indexes.append(_replace(index, state="DELETING"))
        else:
            limits = {"throughput": found.throughput, "on_demand": found.on_demand}
            indexes.append(_replace(index, **limits, warm=found.warm))
    for index in wanted.values():
        indexes.append(_built(index, number, now_ms))
        number += 1
    expiry, changed_ms = table.expiry, table.expiry_changed_ms
    if expiry is None and settings.expiry is not None:
        expiry, changed_ms = _built(settings.expiry, number, now_ms), now_ms
        number += 1
    elif expiry is not None and settings.expiry is None:
        expiry, changed_ms = _replace(expiry, state="DELETING"), now_ms
    return _replace(
        table,
        billing_mode=settings.billing_mode,
        throughput=settings.throughput,
        on_demand=settings.on_demand,
        warm=settings.warm,
        table_class=settings.table_class,
        attributes=settings.attributes,
        indexes=tuple(indexes),
        next_index=number,
        expiry=expiry,
        expiry_changed_ms=changed_ms,
        replication=_replace(replication, settings_version=settings.version),
    )


def _is_shared(index: Index) -> bool:
    return not index.is_local and index.state != "DELETING"


def _is_ending(expiry: Index | None) -> bool:
    return expiry is not None and expiry.state == "DELETING"


def _to_end(table: Table, settings: SharedSettings) -> Table | None:
    """The table with those indexes ending that must be gone first; None if there are none."""
    wanted = {each.name: _form(each) for each in settings.indexes}
    stale = [
        each.number
        for each in table.indexes
        if not each.is_local
        and each.name in wanted
        and (each.state == "DELETING" or wanted[each.name] != _form(each))
    ]
    expiry, new = table.expiry, settings.expiry
    ends = expiry is not None and new is not None
    ends = ends and (_is_ending(expiry) or _form(expiry) != _form(new))
    if not stale and not ends:
        return None
    indexes = tuple(
        _replace(each, state="DELETING") if each.number in stale else each for each in table.indexes
    )
    ending = _replace(expiry, state="DELETING") if expiry is not None and ends else expiry
    return _replace(table, indexes=indexes, expiry=ending)


def _form(index: Index | None) -> tuple[object, ...]:
    assert index is not None
    return index.partition, index.sort, index.projection, index.non_key


def _built(index: Index, number: int, now_ms: int) -> Index:
    return _replace(
        index, number=number, state="BUILDING", created_ms=now_ms, meanwhile=None, insights=None
    )
