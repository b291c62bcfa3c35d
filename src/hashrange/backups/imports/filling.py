"""Rows of items and index entries of a table that is being imported. Pure.

The record of an item has its index entries with it, so that nothing is decoded again when items of
equal keys are known. Behind the key and the sequence of `sorting`:

    value bytes (4), entries (1)
    value                           the stored item
    for each entry: key bytes (2), value bytes (4; 0 if it is that of the item), key, value
"""

from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import Final

from hashrange.backups.imports.lines import Refused
from hashrange.backups.imports.sorting import packed, unpacked
from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.messages.items.operations import item_too_large
from hashrange.messages.tables.backups import key_too_long
from hashrange.model.canonical import encoded_item
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image, image_from, sizes_of, stored
from hashrange.tables.keys import keyspace
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.index_entries import saved_of
from hashrange.tables.opened.indexes import check_keys_of_put, is_too_large
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import distinct_vectors, vectors_of

_head: Final = Struct(">IB")
_entry_head: Final = Struct(">HI")
_INDEX: Final = slice(5, 9)
"""The number of the index in the key of an entry."""


class RecordMaker:
    """Makes records of items, to be sorted.

    Args:
        table: the table of the import.
        version: of its items.
    """

    def __init__(self, table: OpenTable, version: int) -> None:
        self._table = table
        self._version = version
        self._vectors = distinct_vectors(table.table.vectors)
        self._keys = [each.name for each in table.table.key_attributes]

    def record_of(self, item: Item, sequence: int) -> bytes:
        """The record of an item. Raises Refused: it is no item of the table."""
        table = self._table
        try:
            encoded = encoded_item(item, Wording.CURRENT)
            item = encoded.item
            if encoded.size > ITEM_BYTES_MAX:
                raise invalid(item_too_large(), bare=True)
            key = key_of_item(table, item)
            if table.entries:
                check_keys_of_put(table, item)
                if is_too_large(table, item, encoded.size):
                    raise invalid(item_too_large(), bare=True)
        except DynamoError as error:
            raise Refused(error.message or str(error)) from error
        image = Image(encoded.size, encoded.json)
        value = stored(image, key, self._version)
        if not table.entries:
            self._check_length(key)
            return packed(key, sequence, value)
        entries = self._entries(item, image)
        parts = [_head.pack(len(value), len(entries)), value]
        for entry_key, entry_value in entries:
            self._check_length(entry_key)
            parts += [_entry_head.pack(len(entry_key), len(entry_value)), entry_key, entry_value]
        self._check_length(key)
        return packed(key, sequence, b"".join(parts))

    def _entries(self, item: Item, image: Image) -> list[tuple[bytes, bytes]]:
        """Key and value of each entry of an item; the value is empty if it is that of the item."""
        primary = keyspace.hash16([item[name] for name in self._keys])
        vectors = vectors_of(self._vectors, item, image.size)
        return [
            (key, b"" if index.has_all else stored(index.projected(key, item, vectors).image, key))
            for index in self._table.entries
            if index.vector is None or index.vector.attribute in vectors
            if (prefix := index.prefix(item)) is not None
            for key in (prefix + primary,)
        ]

    def _check_length(self, key: bytes) -> None:
        if len(key) > self._table.key_bytes_max:
            raise Refused(key_too_long(self._table.key_bytes_max))

    def rows_of(self, payloads: Mapping[bytes, bytes]) -> tuple[dict[bytes, bytes], list[bytes]]:
        """The rows of items, and the records of their index entries, from those of items."""
        if not self._table.entries:
            return dict(payloads), []
        rows: dict[bytes, bytes] = {}
        entries: list[bytes] = []
        for key, payload in payloads.items():
            size, count = _head.unpack_from(payload)
            place = _head.size + size
            rows[key] = value = payload[_head.size : place]
            if count:
                entries += _entries(payload, place, value)
        return rows, entries


def _entries(payload: bytes, place: int, value: bytes) -> Iterator[bytes]:
    """The records of index entries that begin at a place behind an item."""
    of_item: Image | None = None
    while place < len(payload):
        key_bytes, value_bytes = _entry_head.unpack_from(payload, place)
        place += _entry_head.size
        key = payload[place : place + key_bytes]
        place += key_bytes
        if value_bytes:
            yield packed(key, 0, payload[place : place + value_bytes])
            place += value_bytes
        else:
            of_item = of_item or image_from(value)
            yield packed(key, 0, stored(of_item, key))


def last_of_each(records: Sequence[bytes]) -> dict[bytes, bytes]:
    """The values of sorted records; of one key the last one."""
    return dict(map(unpacked, records))


def item_adds(table: OpenTable, rows: Mapping[bytes, bytes]) -> dict[bytes, int]:
    """Increments of the counters of a table for new items."""
    adds = {table.item_count_key: len(rows), table.bytes_key: sizes_of(rows.values())}
    if table.vector_names:
        # Here and not with the entries, which do not have the bytes of the lists.
        for image in map(image_from, rows.values()):
            for index, saved in saved_of(table.entries, image):
                adds[index.saved_key] = adds.get(index.saved_key, 0) + saved
    return adds


def entry_adds(number: int, rows: dict[bytes, bytes]) -> dict[bytes, int]:
    """Increments of the counters of indexes for new entries, whose keys are in order."""
    by_index: dict[bytes, list[bytes]] = {}
    first, last = next(iter(rows)), next(reversed(rows))
    if first[_INDEX] == last[_INDEX]:
        by_index[first[_INDEX]] = list(rows.values())
    else:
        for key, value in rows.items():
            by_index.setdefault(key[_INDEX], []).append(value)
    adds: dict[bytes, int] = {}
    for each, values in by_index.items():
        index = int.from_bytes(each)
        adds[keyspace.item_count_key(number, index)] = len(values)
        adds[keyspace.bytes_key(number, index)] = sizes_of(values)
    return adds
