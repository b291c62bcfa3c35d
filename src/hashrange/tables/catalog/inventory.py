"""The sizes and states of all tables, for metrics, read from the counters in pages."""

from collections.abc import Sequence

import msgspec

from hashrange.storage.engine import Engine
from hashrange.tables.catalog.catalog import Catalog, pages_of_names
from hashrange.tables.keys import keyspace
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import TableSize


class Inventory(msgspec.Struct):
    """The tables of an engine.

    Attributes:
        sizes: sizes by name, or by account:region:name in separate namespaces.
        tables: the number of tables, also of those without a size in `sizes`.
        indexes_in_work: the number of indexes that are being built or removed.
        dropping: the number of deleted tables whose rows or streams still exist.
    """

    sizes: dict[str, TableSize]
    tables: int = 0
    indexes_in_work: int = 0
    dropping: int = 0


async def inventory(engine: Engine, catalog: Catalog, *, sizes_max: int) -> Inventory:
    """Count all tables, and read the sizes of the first `sizes_max` by name.

    Raises StorageError.
    """
    result = Inventory({})
    async for names in pages_of_names(catalog):
        result.tables += len(names)
        room = sizes_max - len(result.sizes)
        await _add_sizes(engine, result, await _opened(catalog, names[:room]))
    result.dropping = len(await catalog.dropped.tables())
    return result


async def _opened(catalog: Catalog, names: Sequence[str]) -> dict[str, OpenTable]:
    tables = {name: catalog.cached(name) or await catalog.open(name) for name in names}
    return {name: table for name, table in tables.items() if table is not None}


async def _add_sizes(engine: Engine, result: Inventory, tables: dict[str, OpenTable]) -> None:
    keys: list[bytes] = []
    for table in tables.values():
        keys += (keyspace.item_count_key(table.number), keyspace.bytes_key(table.number))
    counts = [int.from_bytes(value or b"", signed=True) for value in await engine.read(keys)]
    for name, *size in zip(tables, counts[::2], counts[1::2], strict=True):
        result.sizes[name] = TableSize(*size)
    result.indexes_in_work += sum(
        index.state != "ACTIVE" for table in tables.values() for index in table.table.kept_indexes
    )
