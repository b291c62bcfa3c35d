"""The settings that all replicas of a global table have in common. Pure.

The indexes and time to live are one value, of which the last change wins as a whole, since indexes
name attributes of each other. All else are registers (`tables/catalog/registers.py`).
"""

from typing import Final

import msgspec

from hashrange.model.replication import Register, Version
from hashrange.model.table import Index, KeyAttribute, Table
from hashrange.tables.catalog.registers import (
    applied,
    merged_registers,
    next_version,
    noted,
    with_registers,
)

_replace: Final = msgspec.structs.replace


class SharedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings; `indexes` are global and vector ones, without those that are being removed."""

    version: Version
    attributes: tuple[KeyAttribute, ...]
    indexes: tuple[Index, ...]
    expiry: Index | None
    registers: dict[str, Register]


def shared_settings(table: Table) -> SharedSettings:
    """The shared settings of a replica."""
    assert table.replication is not None, "a global table"
    return SharedSettings(
        version=table.replication.settings_version,
        attributes=table.attributes,
        indexes=tuple(each for each in table.all_indexes if _is_shared(each)),
        expiry=None if _is_ending(table.expiry) else table.expiry,
        registers=table.replication.registers,
    )


def settings_changed(before: Table, after: Table, now_ms: int) -> Table:
    """A replica after a request in its region has changed settings, or a group has begun."""
    replication = after.replication
    if replication is None or not replication.replicas:
        return after
    version = next_version(after, now_ms)
    noted_after = noted(before, after, version)
    replication = noted_after.replication
    assert replication is not None, "as before"
    if _definition(before) == _definition(after):
        return noted_after
    replication = _replace(replication, settings_version=version)
    return _replace(noted_after, replication=replication)


def settings_of_peer(changed: Table, entry: Table) -> Table:
    """Another replica of this server, in the same write: it knows what the changed one knows."""
    source, replication = changed.replication, entry.replication
    if source is None or replication is None:
        return entry
    entry = with_registers(entry, source.registers)
    assert entry.replication is not None, "as before"
    replication = _replace(entry.replication, settings_version=source.settings_version)
    return _replace(entry, replication=replication)


def _definition(table: Table) -> tuple[object, ...]:
    """The definition, which changes as a whole."""
    shared = shared_settings(table) if table.replication is not None else None
    if shared is None:
        return ()
    expiry = None if shared.expiry is None else _form(shared.expiry)
    return shared.attributes, [(each.name, *_form(each)) for each in shared.indexes], expiry


def adopted(table: Table, settings: SharedSettings, now_ms: int) -> Table:
    """A replica with settings of another one; the same table if its own were changed later.

    An index is removed before another one of its name is built: until it is gone the settings are
    not those of this version, and are to be sent again.
    """
    replication = table.replication
    if replication is None:
        return table
    if settings.version > replication.settings_version:
        if (ending := _to_end(table, settings)) is not None:
            return ending
        table = _with_definition(table, settings, now_ms)
        replication = table.replication
        assert replication is not None, "as before"
    registers = merged_registers(replication.registers, settings.registers)
    return applied(with_registers(table, registers), now_ms)


def _with_definition(table: Table, settings: SharedSettings, now_ms: int) -> Table:
    wanted = {each.name: each for each in settings.indexes}
    number, indexes = table.next_index, []
    for index in table.all_indexes:
        if not _is_shared(index) or wanted.pop(index.name, None) is not None:
            indexes.append(index)
        else:
            indexes.append(_replace(index, state="DELETING"))
    for index in wanted.values():
        indexes.append(_built(index, number, now_ms))
        number += 1
    expiry, changed_ms = table.expiry, table.expiry_changed_ms
    if expiry is None and settings.expiry is not None:
        expiry, changed_ms = _built(settings.expiry, number, now_ms), now_ms
        number += 1
    elif expiry is not None and settings.expiry is None:
        expiry, changed_ms = _replace(expiry, state="DELETING"), now_ms
    assert table.replication is not None, "a global table"
    return _replace(
        table,
        attributes=settings.attributes,
        indexes=tuple(each for each in indexes if each.vector is None),
        vectors=tuple(each for each in indexes if each.vector is not None),
        next_index=number,
        expiry=expiry,
        expiry_changed_ms=changed_ms,
        replication=_replace(table.replication, settings_version=settings.version),
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
        for each in table.all_indexes
        if not each.is_local
        and each.name in wanted
        and (each.state == "DELETING" or wanted[each.name] != _form(each))
    ]
    expiry, new = table.expiry, settings.expiry
    ends = expiry is not None and new is not None
    ends = ends and (_is_ending(expiry) or _form(expiry) != _form(new))
    if not stale and not ends:
        return None
    indexes, vectors = (
        tuple(_replace(each, state="DELETING") if each.number in stale else each for each in kept)
        for kept in (table.indexes, table.vectors)
    )
    ending = _replace(expiry, state="DELETING") if expiry is not None and ends else expiry
    return _replace(table, indexes=indexes, vectors=vectors, expiry=ending)


def _form(index: Index | None) -> tuple[object, ...]:
    assert index is not None
    return index.partition, index.sort, index.projection, index.non_key, index.vector


def _built(index: Index, number: int, now_ms: int) -> Index:
    return _replace(
        index, number=number, state="BUILDING", created_ms=now_ms, meanwhile=None, insights=None
    )
