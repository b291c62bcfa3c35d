"""The bytes of partitions, estimated from the bytes of tables and indexes. Pure.

The engine counts the bytes of a table and of each index, not those of partitions. New bytes are
attributed to partitions in proportion to the units that were written to them meanwhile, and deleted
bytes in proportion to their bytes. This is our choice: it is exact if items of one table have about
the same size.
"""

from collections.abc import Mapping
from typing import TypeAlias

from hashrange.capacity.resources import Resource, TableCapacity
from hashrange.storage.engine import Engine
from hashrange.tables.keys.keyspace import bytes_key
from hashrange.tables.opened.open_table import OpenTable

Sizes: TypeAlias = Mapping[str, float]
"""Bytes of the table, with its local indexes, under the empty name, and of its global indexes."""

Marks: TypeAlias = dict[str, dict[int, float]]
"""Write units of partitions at the last estimate, by table or index and number."""


def estimate_sizes(capacity: TableCapacity, sizes: Sizes, marks: Marks) -> Marks:
    """Change the bytes of all partitions; returns the marks for the next call."""
    new: Marks = {}
    for resource in capacity.resources():
        name = resource.index or ""
        if name in sizes:
            _attribute(resource, sizes[name], marks.get(name, {}))
        new[name] = {each.number: each.write_units for each in resource.partitions}
    return new


def _attribute(resource: Resource, size: float, marks: Mapping[int, float]) -> None:
    partitions = resource.partitions
    known = sum(each.item_bytes for each in partitions)
    grown = size - known
    if grown < 0:
        for each in partitions:
            each.item_bytes *= max(0.0, size) / known
        return
    written = [max(0.0, each.write_units - marks.get(each.number, 0.0)) for each in partitions]
    total = sum(written)
    if not total:
        # Written before the server throttled: hashes spread items evenly.
        written = [float(each.width) for each in partitions]
        total = sum(written)
    for each, share in zip(partitions, written, strict=True):
        each.item_bytes += grown * share / total


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
