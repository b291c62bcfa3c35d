"""Checks of items and updates against the indexes of their table. Pure.

This is done once, before requests are accepted, so there are no concurrent writes. It reads every
item of those tables and stores its progress, so that it continues after a crash.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from operator import itemgetter
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import ITEM_BYTES_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.messages.items import values as messages
from hashrange.model.sizes import value_bytes
from hashrange.model.table import Index, KeyAttribute, Table
from hashrange.model.values import AttributeValue, Item
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.items.images import image_from
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.keyspace import TABLE_ITSELF
from hashrange.tables.opened.index_entries import IndexEntries
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import check_vector, check_vectors_of

_SHORT_CHARS: Final = min(PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX) // 4
"""A string of so few characters is a valid key of any index, whatever the characters are."""


def is_too_large(table: OpenTable, item: Item, size: int) -> bool:
    """Whether an item of `size` bytes is too large together with its entries in local indexes.

    Source: Developer Guide, "Quotas"; users' reports.
    """
    # No entry is larger than its item, so most items need no entries for this check.
    if size * (1 + len(table.table.indexes)) <= ITEM_BYTES_MAX:
        return False
    found = [each.entry(item) for each in table.entries if each.index.is_local]
    return size + sum(entry.image.size for entry in found if entry is not None) > ITEM_BYTES_MAX


def check_keys_of_put(table: OpenTable, item: Item) -> None:
    """Refuse an item with invalid key attributes of indexes.

    Raises ValidationException: another type, an empty value, or too many bytes.
    """
    for name, kind in table.index_keys:
        value = item.get(name)
        if value is not None:
            text = value.get(kind)
            # Most values are numbers or short strings, which are valid.
            if text is None or not (kind == "N" or 0 < len(text) <= _SHORT_CHARS):
                _check_keys_of_put(table.table, item)
                break
    if table.vector_names:
        check_vectors_of(table.table, item)


def _check_keys_of_put(table: Table, item: Item) -> None:
    """As `check_keys_of_put`. Of several indexes the first in the alphabet is named.

    Source: public tests that were run against the service, 2026.
    """
    faults = [
        (index.name, fault)
        for index in table.all_indexes
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
        for index in table.indexes + table.vectors
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
    for index in table.vectors:
        if index.vector is not None and index.vector.attribute in written:
            check_vector(index, item)
    for index in table.indexes + table.vectors:  # `all_indexes`, without its call
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


PAGE_ROWS: Final = 5000
PAGE_BYTES: Final = 4 * 1024 * 1024

_log: Final = logging.getLogger(__name__)
_decode_table: Final = msgspec.json.Decoder(Table).decode
_encode: Final = msgspec.json.Encoder().encode


async def count_collections(engine: Engine, page_rows: int = PAGE_ROWS) -> None:
    """Count the item collections of all tables with local indexes that have no counters yet."""
    async for key, entry in pairs(engine, system_keys.catalog_range()):
        table = _decode_table(entry)
        if table.counts_collections or not any(index.is_local for index in table.indexes):
            continue
        _log.info("counting the item collections of %s", table.name)
        while await _count_page(engine, table, page_rows):
            pass
        counted = msgspec.structs.replace(table, counts_collections=True)
        puts = {key: _encode(counted)}
        deletes = [keyspace.building_key(table.number, TABLE_ITSELF)]
        changes = Changes(answer=None, puts=puts, deletes=deletes)
        await engine.write([key, *deletes], partial(_always, changes))


async def _count_page(engine: Engine, table: Table, page_rows: int) -> bool:
    """Count a page of items; whether there may be more."""
    progress = keyspace.building_key(table.number, TABLE_ITSELF)
    start, end = keyspace.items_range(table.number)
    (last_key,) = await engine.read([progress])
    if last_key is not None:
        start = last_key + b"\x00"
    page = await engine.scan(start, end, limit=page_rows, bytes_max=PAGE_BYTES)
    if not page:
        return False
    adds: dict[bytes, int] = defaultdict(int)
    for key, value in page:
        adds[keyspace.collection_key(key)] += collection_share(table, value)
    changes = Changes(answer=None, puts={progress: page[-1][0]}, adds=adds)
    await engine.write([progress], partial(_always, changes))
    return True


def collection_share(table: Table, stored: bytes) -> int:
    """The bytes of a stored item and of its entries in local indexes."""
    image = image_from(stored)
    item = image.item()
    local = [IndexEntries(table, index) for index in table.indexes if index.is_local]
    entries = [each.entry(item, image) for each in local]
    return image.size + sum(entry.image.size for entry in entries if entry is not None)


def _always(changes: Changes[None], _: object) -> Changes[None]:
    return changes
