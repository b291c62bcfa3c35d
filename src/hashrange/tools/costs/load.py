"""The units of a load, from the size of its items and its rates, with the arithmetic.

Source: Developer Guide, "Capacity unit consumption for read operations" and "… for write
operations". A transaction doubles the units of the table, and not those of its global indexes.
"""

from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.capacity.units import read_units, write_units
from hashrange.limits.tables import READ_UNIT_BYTES, WRITE_UNIT_BYTES

Consistency: TypeAlias = Literal["eventual", "strong", "transactional"]
READ_FACTORS: Final[dict[Consistency, float]] = {
    "eventual": 0.5,
    "strong": 1.0,
    "transactional": 2.0,
}
_KB: Final = 1024


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """Requests to single items.

    Attributes:
        item_bytes: the size of an item.
        reads: items a second.
        index_count: the number of global indexes that each write changes.
        index_item_bytes: the size of an entry of an index; None for that of the item.
    """

    item_bytes: int
    reads: float
    writes: float
    consistency: Consistency = "eventual"
    index_count: int = 0
    index_item_bytes: int | None = None


class LoadUnits(msgspec.Struct, frozen=True, kw_only=True):
    """The units of a load, a second.

    Attributes:
        write_units: of the table, without its indexes.
        arithmetic: a line for each of them.
    """

    read_units: float
    write_units: float
    index_write_units: float
    arithmetic: list[str]


def load_units(load: Load) -> LoadUnits:
    """The units of a load."""
    factor = READ_FACTORS[load.consistency]
    is_transactional = load.consistency == "transactional"
    each_read = read_units(load.item_bytes, consistent=True)
    each_write = write_units(load.item_bytes)
    write_factor = 2 if is_transactional else 1
    entry_bytes = load.item_bytes if load.index_item_bytes is None else load.index_item_bytes
    each_entry = write_units(entry_bytes)
    reads = load.reads * each_read * factor
    writes = load.writes * each_write * write_factor
    entries = load.writes * load.index_count * each_entry
    each_reads = f"{_divided(load.item_bytes, READ_UNIT_BYTES)} = {each_read:g}"
    each_writes = f"{_divided(load.item_bytes, WRITE_UNIT_BYTES)} = {each_write:g}"
    doubled = " x 2 (transactional)" if is_transactional else ""
    rate = f"{load.reads:g} a second x {each_read:g} x {factor:g} ({load.consistency})"
    arithmetic = [
        f"reads: {each_reads}; {rate} = {reads:g}",
        f"writes: {each_writes}; {load.writes:g} a second x {each_write:g}{doubled} = {writes:g}",
    ]
    if load.index_count:
        each_entries = f"{_divided(entry_bytes, WRITE_UNIT_BYTES)} = {each_entry:g}"
        rate = f"{load.writes:g} a second x {load.index_count} x {each_entry:g}"
        arithmetic.append(f"writes of indexes: {each_entries}; {rate} = {entries:g}")
    return LoadUnits(
        read_units=reads, write_units=writes, index_write_units=entries, arithmetic=arithmetic
    )


def _divided(size: int, unit: int) -> str:
    return f"{size / _KB:g} KB / {unit // _KB} KB, rounded up"
