"""The bytes of a table and of its global indexes, from the counters of the engine."""

from hashrange.api.admission.sizes import Sizes
from hashrange.storage.engine import Engine
from hashrange.tables.keys.keyspace import bytes_key
from hashrange.tables.opened.open_table import OpenTable


async def sizes_of(engine: Engine, opened: OpenTable) -> Sizes:
    """The sizes of a table, whose local indexes are in its own partitions. Raises StorageError."""
    table = opened.table
    names = ["", *("" if index.is_local else index.name for index in table.indexes)]
    numbers = [0, *(index.number for index in table.indexes)]
    counters = await engine.read([bytes_key(table.number, number) for number in numbers])
    sizes: dict[str, float] = {}
    for name, counter in zip(names, counters, strict=True):
        size = 0 if counter is None else int.from_bytes(counter, "big", signed=True)
        sizes[name] = sizes.get(name, 0.0) + size
    return sizes
