"""All tables with what they hold, for metrics: from the counters, in pages."""

from collections.abc import Sequence

import msgspec

from hashrange.storage.engine import Engine
from hashrange.tables import keyspace
from hashrange.tables.catalog import Catalog, pages_of_names
from hashrange.tables.opened import OpenTable
from hashrange.tables.reader import TableSize


class Inventory(msgspec.Struct):
    """What there is.

    Attributes:
        sizes: by name; of separate namespaces by account:region:name.
        tables: how many there are, those without a size here included.
        indexes_in_work: that are being built or removed.
        dropping: tables deleted whose rows or streams are still there.
    """

    sizes: dict[str, TableSize]
    tables: int = 0
    indexes_in_work: int = 0
    dropping: int = 0


async def inventory(engine: Engine, catalog: Catalog, *, sizes_max: int) -> Inventory:
    """Look at all tables; of the first `sizes_max` by name at their sizes too.

    Raises StorageError.
    """
    found = Inventory({})
    async for names in pages_of_names(catalog):
        found.tables += len(names)
        room = sizes_max - len(found.sizes)
        await _look(engine, found, await _opened(catalog, names[:room]))
    found.dropping = len(await catalog.dropped())
    return found


async def _opened(catalog: Catalog, names: Sequence[str]) -> dict[str, OpenTable]:
    tables = {name: catalog.cached(name) or await catalog.open(name) for name in names}
    return {name: table for name, table in tables.items() if table is not None}


async def _look(engine: Engine, found: Inventory, tables: dict[str, OpenTable]) -> None:
    keys: list[bytes] = []
    for table in tables.values():
        keys += (keyspace.item_count_key(table.number), keyspace.bytes_key(table.number))
    counts = [int.from_bytes(value or b"", signed=True) for value in await engine.read(keys)]
    for name, *size in zip(tables, counts[::2], counts[1::2], strict=True):
        found.sizes[name] = TableSize(*size)
    found.indexes_in_work += sum(
        index.state != "ACTIVE" for table in tables.values() for index in table.table.kept_indexes
    )
