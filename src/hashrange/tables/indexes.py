"""Index entries. Pure.

An entry is the projection of an item, stored under the index's key. An item that has all key
attributes of an index, with the declared types, has an entry; other items have none.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from operator import itemgetter
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.limits.items import ITEM_BYTES_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.messages.items import keys as messages
from hashrange.model.sizes import item_bytes, value_bytes
from hashrange.model.table import Index, KeyAttribute, Table
from hashrange.model.values import AttributeValue, Item
from hashrange.storage.engine import KEY_BYTES_MAX
from hashrange.tables import keyspace
from hashrange.tables.images import Image, image_of
from hashrange.tables.keyspace import index_entry_key, index_partition_prefix


class Entry(msgspec.Struct, frozen=True):
    """The key and the image of one entry."""

    key: bytes
    image: Image


class EntryChange(msgspec.Struct, frozen=True):
    """The change of an item's entry in one index by a write."""

    index: Index
    before: Entry | None
    after: Entry | None

    @property
    def moved(self) -> bool:
        """The entry is deleted, or gets another key."""
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
        table: the table of the item.
        index: an index of the table.
        item: canonical, with a valid key of the table.
        image: the image of the item, if the caller has it.
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
    """The engine key of an item's entry; None if a key attribute is missing or invalid."""
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
    """The changes of an item's entries by a write; unchanged entries are left out.

    Args:
        table: the table of the item.
        before: the item and its image before the write; None for no item.
        after: the item and its image after the write; None for no item.
        absent: keys of entries of `before` that do not exist yet, in indexes being built.
        key_bytes_max: the bound of the engine. Building an index skips entries with longer keys, so
            `before` has none; the engine refuses such an entry of `after`.
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
    """The keys of the entries that an item can have in indexes that are being built."""
    if image is None:
        return ()
    item, kept = image.item(), table.kept_indexes
    keys = [entry_key(table, index, item) for index in kept if index.state == "BUILDING"]
    return tuple(key for key in keys if key is not None and len(key) <= key_bytes_max)


def adds_of(number: int, index: int, before: Image | None, after: Image | None) -> dict[bytes, int]:
    """The amounts to add to the counters of an index: its entries and their bytes."""
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
    # No entry is larger than its item, so most items need no entries for this check.
    if size * (1 + len(table.indexes)) <= ITEM_BYTES_MAX:
        return False
    entries = [entry_of(table, index, item) for index in table.indexes if index.is_local]
    return size + sum(entry.image.size for entry in entries if entry is not None) > ITEM_BYTES_MAX


def check_keys_of_put(table: Table, item: Item) -> None:
    """Refuse an item with invalid key attributes of indexes.

    Of several indexes the first in the alphabet is named. Source: public tests that were run
    against the service, 2026.

    Raises ValidationException: another type, an empty value, or too many bytes.
    """
    faults = [
        (index.name, fault)
        for index in table.indexes
        if (fault := _fault_of_put(index, item)) is not None
    ]
    if faults:
        raise min(faults, key=itemgetter(0))[1]


def _fault_of_put(index: Index, item: Item) -> DynamoError | None:
    for attribute in index.key_attributes:
        value = item.get(attribute.name)
        if value is None:
            continue
        if attribute.type not in value:
            return _mismatch(index, attribute, next(iter(value)))
        if value.get("S") == "":
            return invalid(messages.index_key_empty_string(attribute.name, index.name), bare=True)
        if value.get("B") == "":
            return invalid(messages.index_key_empty_binary(attribute.name, index.name), bare=True)
    for attribute in index.key_attributes:
        value = item.get(attribute.name)
        if value is not None and not _fits(attribute, index, value):
            if attribute in index.partition:
                return invalid(messages.partition_key_too_large(), bare=True)
            return invalid(messages.sort_key_too_large(), bare=True)
    return None


def check_kinds_of_update(table: Table, kinds: Mapping[str, str]) -> None:
    """Refuse an update that writes a value of another type into a key of an index.

    Args:
        table: the table of the item.
        kinds: the new types that are known without the item, by attribute.

    Raises:
        DynamoError: ValidationException.
    """
    mismatches = [
        (index, attribute, kinds[attribute.name])
        for index in table.indexes
        for attribute in index.key_attributes
        if kinds.get(attribute.name, attribute.type) != attribute.type
    ]
    if mismatches:
        raise _mismatch(*min(mismatches, key=lambda mismatch: mismatch[0].name))


def check_keys_of_update(table: Table, item: Item, targets: Iterable[str]) -> None:
    """Refuse an updated item if one of the attributes `targets` is an invalid key of an index.

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


def _fits(attribute: KeyAttribute, index: Index, value: AttributeValue) -> bool:
    most = PARTITION_KEY_BYTES_MAX if attribute in index.partition else SORT_KEY_BYTES_MAX
    return "N" in value or value_bytes(value) <= most


def _values(
    index: Index, attributes: Iterable[KeyAttribute], item: Item
) -> list[AttributeValue] | None:
    """The values of key attributes; None if one is missing or invalid.

    Items that are older than an index may have invalid values; they have no entry in it.
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
