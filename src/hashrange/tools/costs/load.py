"""The units of a load, from the size of its items and its rates, with the arithmetic.

Source: Developer Guide, "Capacity unit consumption for read operations" and "… for write
operations". A transaction doubles the units of the table, and not those of its global indexes.
"""

from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.capacity.costs.live_workload import ITEM_OVERHEAD_BYTES
from hashrange.capacity.costs.usage import GB_BYTES, Usage, stream_reads
from hashrange.capacity.units import read_units, write_units
from hashrange.limits.tables import READ_UNIT_BYTES, WRITE_UNIT_BYTES
from hashrange.tools.checking.sizing import entity_bytes, units_of
from hashrange.tools.models.schema import Model

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


_NO_RATE: Final = "without a rate"
_NO_SIZE: Final = "without the size of an item"


class ModelUsage(msgspec.Struct, frozen=True, kw_only=True):
    """The usage of a model.

    Attributes:
        arithmetic: a line for each access pattern that has a rate.
        left_out: access patterns that are not counted, with the reason.
    """

    usage: Usage
    arithmetic: list[str]
    left_out: list[str]


def usage_of_model(model: Model) -> ModelUsage:
    """The usage of all tables of a model together. Storage has no entries of indexes."""
    reads = writes = index_writes = 0.0
    arithmetic, left_out = [], []
    for pattern in model.patterns:
        units = units_of(model, pattern)
        if not pattern.rate or units is None:
            left_out.append(f"{pattern.name} ({_NO_SIZE if units is None else _NO_RATE})")
            continue
        reads += pattern.rate * units.read
        writes += pattern.rate * units.write
        index_writes += pattern.rate * units.index_write
        written = units.write + units.index_write
        arithmetic.append(
            f"{pattern.name}: {pattern.rate:g} a second x {units.read:g} read and {written:g} "
            f"write units = {pattern.rate * units.read:g} and {pattern.rate * written:g}"
        )
    usage = Usage(
        read_units=reads,
        write_units=writes,
        index_write_units=index_writes,
        storage_gb=_storage_gb(model),
        pitr=any(table.recovery_days is not None for table in model.tables),
    )
    streams = [table.request.get("StreamSpecification") or {} for table in model.tables]
    if any(each.get("StreamEnabled") for each in streams):
        usage = msgspec.structs.replace(usage, stream_reads=stream_reads(usage))
    return ModelUsage(usage=usage, arithmetic=arithmetic, left_out=left_out)


def _storage_gb(model: Model) -> float:
    stored = 0.0
    for entity in model.entities:
        size = entity_bytes(model, entity)
        stored += (entity.items or 0) * ((size or 0) + ITEM_OVERHEAD_BYTES)
    return stored / GB_BYTES
