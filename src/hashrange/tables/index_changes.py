"""The changes of index entries by the change of an item, and their write units. Pure."""

from collections.abc import Sequence
from typing import Final

from hashrange.capacity.charges import KeyValues
from hashrange.capacity.units import write_units
from hashrange.model.table import Index
from hashrange.model.values import Item
from hashrange.tables.capacity_keys import ENTRY_POSITION
from hashrange.tables.change_log import is_change
from hashrange.tables.images import stored
from hashrange.tables.index_entries import Entry, IndexEntries
from hashrange.tables.item_changes import Contributor, EntryUnits, ItemChange
from hashrange.tables.keyspace import hash16

_NO_ITEM: Final[Item] = {}


def index_contributor(
    indexes: Sequence[IndexEntries], key_names: Sequence[str], key_bytes_max: int
) -> Contributor:
    """The contributor of a table with indexes.

    Args:
        indexes: those that writes maintain.
        key_names: the attributes of the table's key.
        key_bytes_max: the bound of the engine. Building an index skips entries with longer keys, so
            an item has none before its change; the engine refuses such an entry of one after.
    """

    def contribute(change: ItemChange) -> None:
        before, after = change.before, change.after
        old_item = _NO_ITEM if before is None else before.item()
        new_item = _NO_ITEM if after is None else change.item or after.item()
        primary = b""
        for entries in indexes:
            old_prefix, new_prefix = entries.prefix(old_item), entries.prefix(new_item)
            if old_prefix is None and new_prefix is None:
                continue
            primary = primary or hash16(map((new_item or old_item).__getitem__, key_names))
            old = new = None
            if before is not None and old_prefix is not None:
                key = old_prefix + primary
                if key not in change.absent and len(key) <= key_bytes_max:
                    old = Entry(key, before if entries.has_all else entries.projected(old_item))
            if after is not None and new_prefix is not None:
                image = after if entries.has_all else entries.projected(new_item)
                new = Entry(new_prefix + primary, image)
            if old != new:
                _add(change, entries, old, new)

    return contribute


def _add(change: ItemChange, entries: IndexEntries, old: Entry | None, new: Entry | None) -> None:
    """Add the change of one entry."""
    changes, index = change.changes, entries.index
    before = after = None
    old_units = new_units = 0.0
    is_moved = False
    if old is not None:
        before, old_units = old.image, write_units(old.image.size)
        is_moved = new is None or new.key != old.key
        if is_moved:
            changes.deletes.append(old.key)
    if new is not None:
        after, new_units = new.image, write_units(new.image.size)
        changes.puts[new.key] = stored(after)
    grown = entries.count(changes.adds, before, after)
    if index.is_local:
        change.grown += grown
    # The index of expiry has no units; neither has a change of the order of attributes.
    if index.is_expiry or not (is_moved or is_change(before, after)):
        return
    units = old_units + new_units if is_moved else max(old_units, new_units)
    change.units[index.name] = units
    if change.places is None:
        return
    if is_moved and old is not None:
        change.places.append(_place(index, old, old_units))
        units = new_units
    if new is not None:
        change.places.append(_place(index, new, units))


def _place(index: Index, entry: Entry, units: float) -> EntryUnits:
    key: KeyValues | None = None
    if index.insights is not None and index.insights.since_ms is not None:
        item = entry.image.item()
        sort = [item[attribute.name] for attribute in index.sort]
        key = [item[attribute.name] for attribute in index.partition], sort or None
    return index.name, entry.key[ENTRY_POSITION], units, key
