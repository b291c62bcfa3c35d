"""The bytes of partitions, estimated from the bytes of tables and indexes. Pure.

The engine counts the bytes of a table and of each index, not those of partitions. New bytes are
attributed to partitions in proportion to the units that were written to them meanwhile, and deleted
bytes in proportion to their bytes. This is our choice: it is exact if items of one table have about
the same size.
"""

from collections.abc import Mapping
from typing import TypeAlias

from hashrange.capacity.resources import Resource, TableCapacity

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
