"""Index entries: what an index holds of an item. Pure.

An entry is an item's projection under the index's key. Whoever has all key attributes of an index,
each of its type, has an entry; an item without one of them has none.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.limits import ITEM_BYTES_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.messages.items import keys as messages
from hashrange.model.sizes import item_bytes, value_bytes
from hashrange.model.table import Index, KeyAttribute, Table
from hashrange.model.values import AttributeValue, Item
from hashrange.storage.engine import KEY_BYTES_MAX
from hashrange.tables import keyspace
from hashrange.tables.images import Image, image_of
from hashrange.tables.keyspace import index_entry_key, index_partition_prefix


class Entry(msgspec.Struct, frozen=True):
    """One entry, as it is stored."""

    key: bytes
    image: Image


class EntryChange(msgspec.Struct, frozen=True):
    """What a write makes of an item's entry in one index."""

    index: Index
    before: Entry | None
    after: Entry | None

    @property
    def moved(self) -> bool:
        """It leaves its key: it is deleted, or stands elsewhere now."""
        before, after = self.before, self.after
        return before is not None and (after is None or after.key != before.key)


def names_of(table: Table, index: Index) -> frozenset[str] | None:
    """The attributes that an index projects; None for all."""
    if index.projection == "ALL":
        return None
    keys = [attribute.name for attribute in (*table.key_attributes, *index.key_attributes)]
    return frozenset([*keys, *index.non_key])


def entry_of(table: Table, index: Index, item: Item, image: Image | None = None) -> Entry | None:
    """The entry of an item; None if it is not in the index.

    Args:
        table: of the item.
        index: of the table.
        item: canonical, with a valid key of the table.
        image: of the item, if it is at hand.
    """
    key = entry_key(table, index, item)
    if key is None:
        return None
    names = names_of(table, index)
    if names is None:
        return Entry(key, image or image_of(item, item_bytes(item)))
    projected = {name: value for name, value in item.items() if name in names}
    return Entry(key, image_of(projected, item_bytes(projected)))


def entry_key(table: Table, index: Index, item: Item) -> bytes | None:
    """The engine key of an item's entry, from its key attributes; None if one is missing or odd."""
    partition = _values(index, index.partition, item)
    sort = _values(index, index.sort, item)
    if partition is None or sort is None:
        return None
    prefix = index_partition_prefix(table.number, index.number, partition, sort)
    return index_entry_key(prefix, [item[attribute.name] for attribute in table.key_attributes])


def changes_of(
    table: Table,
    before: tuple[Item, Image] | None,
    after: tuple[Item, Image] | None,
    *,
    absent: AbstractSet[bytes] = frozenset(),
    key_bytes_max: int = KEY_BYTES_MAX,
) -> Iterator[EntryChange]:
    """What a write changes in the indexes that are kept, those that it does not change left out.

    Args:
        table: of the item.
        before: the item and its image; None for no item.
        after: the same, after the write.
        absent: keys of entries that `before` should have, but has not yet.
        key_bytes_max: of the engine. What `before` has is not in an index that is newer than it, if
            its entry would be longer; such an `after` is the engine's to refuse.
    """
    for index in table.kept_indexes:
        if index.state == "DELETING":
            continue
        old = None if before is None else entry_of(table, index, *before)
        if old is not None and (old.key in absent or len(old.key) > key_bytes_max):
            old = None
        new = None if after is None else entry_of(table, index, *after)
        if old != new:
            yield EntryChange(index, old, new)


def entry_keys_building(table: Table, image: Image | None, key_bytes_max: int) -> tuple[bytes, ...]:
    """The keys of the entries that an item has, or will have, in indexes that are being built."""
    if image is None:
        return ()
    item, kept = image.item(), table.kept_indexes
    keys = [entry_key(table, index, item) for index in kept if index.state == "BUILDING"]
    return tuple(key for key in keys if key is not None and len(key) <= key_bytes_max)


def adds_of(number: int, index: int, before: Image | None, after: Image | None) -> dict[bytes, int]:
    """By how much the counters of entries and bytes of an index move."""
    adds: dict[bytes, int] = {}
    items = (after is not None) - (before is not None)
    if items:
        adds[keyspace.item_count_key(number, index)] = items
    grown = (after.size if after else 0) - (before.size if before else 0)
    if grown:
        adds[keyspace.bytes_key(number, index)] = grown
    return adds


def is_too_large(table: Table, item: Item, size: int) -> bool:
    """Whether an item of `size` bytes is too large together with its entries in local indexes.

    Source: Developer Guide, "Quotas"; users' reports.
    """
    # No entry is larger than its item: most items need not be looked at.
    if size * (1 + len(table.indexes)) <= ITEM_BYTES_MAX:
        return False
    entries = [entry_of(table, index, item) for index in table.indexes if index.is_local]
    return size + sum(entry.image.size for entry in entries if entry is not None) > ITEM_BYTES_MAX


def check_keys_of_put(table: Table, item: Item) -> None:
    """Refuse an item whose attributes cannot be keys of the indexes that they are keys of.

    Raises ValidationException: another type, an empty value, or too many bytes.
    """
    for index in table.indexes:
        for attribute in index.key_attributes:
            value = item.get(attribute.name)
            if value is None:
                continue
            if attribute.type not in value:
                raise _mismatch(index, attribute, next(iter(value)))
            if value.get("S") == "":
                raise invalid(
                    messages.index_key_empty_string(attribute.name, index.name), bare=True
                )
            if value.get("B") == "":
                raise invalid(
                    messages.index_key_empty_binary(attribute.name, index.name), bare=True
                )
        _check_sizes(index, item)


def check_kinds_of_update(table: Table, kinds: Mapping[str, str]) -> None:
    """Refuse an update that writes a value of another type into a key of an index.

    Args:
        table: of the item.
        kinds: types that are known without the item, by attribute.

    Raises:
        DynamoError: ValidationException.
    """
    for index in table.indexes:
        for attribute in index.key_attributes:
            kind = kinds.get(attribute.name, attribute.type)
            if kind != attribute.type:
                raise _mismatch(index, attribute, kind)


def check_keys_of_update(table: Table, item: Item, targets: Iterable[str]) -> None:
    """Refuse what an update has written into attributes that are keys of indexes.

    Raises ValidationException: another type, an empty value, or too many bytes.
    """
    written = set(targets)
    for index in table.indexes:
        for attribute in index.key_attributes:
            value = item.get(attribute.name)
            if value is None or attribute.name not in written:
                continue
            if attribute.type not in value:
                raise invalid(messages.index_key_updated_to_other_type(), bare=True)
            if value.get("S") == "":
                raise invalid(messages.index_key_updated_to_empty_string(), bare=True)
            if value.get("B") == "":
                raise invalid(messages.index_key_updated_to_empty_binary(), bare=True)
            if not _fits(attribute, index, value):
                raise invalid(messages.index_key_updated_beyond_size(), bare=True)


def _mismatch(index: Index, attribute: KeyAttribute, actual: str) -> DynamoError:
    text = messages.index_key_type_mismatch(attribute.name, attribute.type, actual, index.name)
    return invalid(text, bare=True)


def _check_sizes(index: Index, item: Item) -> None:
    for attribute in index.key_attributes:
        value = item.get(attribute.name)
        if value is not None and not _fits(attribute, index, value):
            if attribute in index.partition:
                raise invalid(messages.partition_key_too_large(), bare=True)
            raise invalid(messages.sort_key_too_large(), bare=True)


def _fits(attribute: KeyAttribute, index: Index, value: AttributeValue) -> bool:
    most = PARTITION_KEY_BYTES_MAX if attribute in index.partition else SORT_KEY_BYTES_MAX
    return "N" in value or value_bytes(value) <= most


def _values(
    index: Index, attributes: Iterable[KeyAttribute], item: Item
) -> list[AttributeValue] | None:
    """The values of key attributes; None if one is missing, or could not be a key.

    Items that were there before an index may have what an index refuses: they are left out.
    """
    values: list[AttributeValue] = []
    for attribute in attributes:
        value = item.get(attribute.name)
        if value is None or attribute.type not in value or value in _EMPTY:
            return None
        if not _fits(attribute, index, value):
            return None
        values.append(value)
    return values


_EMPTY: Final[tuple[AttributeValue, ...]] = ({"S": ""}, {"B": ""})
