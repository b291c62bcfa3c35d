"""The usage of a model: its access patterns at their rates, and the items of its entities."""

from typing import Final

import msgspec

from hashrange.capacity.costs.live import ITEM_OVERHEAD_BYTES
from hashrange.capacity.costs.usage import GB_BYTES, Usage, stream_reads
from hashrange.tools.checking.sizing import entity_bytes, units_of
from hashrange.tools.models.schema import Model

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
