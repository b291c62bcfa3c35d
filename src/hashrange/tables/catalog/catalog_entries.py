"""Entries of the catalog: how definitions of tables are stored, under which names. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.model.namespaces import namespace_prefix
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables.keys.system_keys import catalog_key
from hashrange.tables.opened.open_table import OpenTable

PAGE_ROWS: Final = 500
PAGE_BYTES: Final = 4 * 1024 * 1024
"""Pages of entries that are read at once."""

decode_table: Final = msgspec.json.Decoder(Table).decode
encode_table: Final = msgspec.json.Encoder().encode


class ExtraRows(msgspec.Struct, frozen=True):
    """Rows that are written together with a catalog entry.

    Attributes:
        keys: of rows to read.
        puts: the rows to write, from the values of those keys and the new entry; None deletes one.
            Pure; may run again; raises to refuse all.
    """

    keys: Sequence[bytes]
    puts: Callable[[Sequence[bytes | None], Table], Mapping[bytes, bytes | None]]


NO_EXTRA_ROWS: Final = ExtraRows((), lambda _values, _table: {})


def opened_entry(engine: Engine, key: bytes, entry: bytes) -> OpenTable:
    """The table of an entry, with the entry as its fence."""
    return OpenTable(decode_table(entry), {key: entry}, engine.key_bytes_max, catalog_key=key)


def is_at(table: Table, key: bytes) -> bool:
    """Whether a catalog key is that of the table, with or without a namespace."""
    prefix = namespace_prefix(table.account, table.region)
    return key in {catalog_key(table.name), catalog_key(prefix + table.name)}
