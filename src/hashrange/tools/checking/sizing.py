"""Sizes and capacity units of access patterns, as far as a model says them. Pure."""

from typing import Any, Final

import msgspec

from hashrange.capacity.units import read_units, units_of_reads, write_units
from hashrange.limits.requests import PAGE_BYTES_MAX
from hashrange.model.operations import ITEM_OPERATIONS, Items
from hashrange.model.sizes import item_bytes
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.collections import key_template
from hashrange.tools.models.items import items_of
from hashrange.tools.models.schema import AccessPattern, Entity, Model
from hashrange.tools.models.table_parts import indexes_of, keys_of

WRITES: Final = {row.name for row in ITEM_OPERATIONS if not row.is_read}
SEVERAL: Final = {
    row.name for row in ITEM_OPERATIONS if row.items in {Items.BATCH, Items.TRANSACTION}
}
"""Batches and transactions."""
_TRANSACTION_FACTOR: Final = 2


class Units(msgspec.Struct, frozen=True, kw_only=True):
    """Capacity units of one call of an access pattern.

    Attributes:
        read: read units.
        write: write units of the table.
        index_write: write units of the indexes.
        requests: the number of requests; a Query or a Scan of more than 1 MB needs several.
    """

    read: float = 0.0
    write: float = 0.0
    index_write: float = 0.0
    requests: int = 1


def item_bytes_of(model: Model, pattern: AccessPattern) -> int | None:
    """The size of an item of a pattern: as it says, else as its entity or the samples say."""
    if pattern.item_bytes is not None:
        return pattern.item_bytes
    entity = model.entity_named(pattern.entity)
    return None if entity is None else entity_bytes(model, entity)


def entity_bytes(model: Model, entity: Entity) -> int | None:
    """The size of an item of an entity: as it says, else the mean of its samples."""
    if entity.item_bytes is not None:
        return entity.item_bytes
    items: list[Any] = items_of(model, entity)
    return sum(map(item_bytes, items)) // len(items) if items else None


def units_of(model: Model, pattern: AccessPattern) -> Units | None:
    """The units of one call, by the sizes that the model says; None if it says none."""
    size = item_bytes_of(model, pattern)
    if size is None:
        return None
    items = pattern.items or 1
    factor = _TRANSACTION_FACTOR if pattern.operation.startswith("Transact") else 1
    match pattern.operation:
        case "GetItem":
            return Units(read=read_units(size, consistent=pattern.consistent))
        case "Query" | "Scan":
            read = min(items, pattern.limit or items) * size
            return Units(
                read=read_units(read, consistent=pattern.consistent),
                requests=max(1, -(-read // PAGE_BYTES_MAX)),
            )
        case operation if operation in SEVERAL and operation not in WRITES:
            consistent = pattern.consistent or factor > 1
            one = units_of_reads([size], consistent=consistent)
            return Units(read=one * items * factor)
        case _:
            written = items if pattern.operation in SEVERAL else 1
            return Units(
                write=write_units(size) * written * factor,
                index_write=_index_units(model, pattern, size, written),
            )


def projection_units(model: Model, table: TableDefinition) -> dict[str, tuple[float, float]] | None:
    """Cost and saving of ALL in each index, as in `Facts`; None if no pattern has a rate."""
    patterns = [each for each in model.patterns if model.table_of_pattern(each) is table]
    if not any(each.rate for each in patterns):
        return None
    found: dict[str, tuple[float, float]] = {}
    for name, index in indexes_of(table.request).items():
        names = [name for key in keys_of(index) for name in key]
        writes = reads = 0.0
        for pattern in patterns:
            size, entity = item_bytes_of(model, pattern), model.entity_named(pattern.entity)
            if size is None:
                continue
            items = pattern.items or 1
            if pattern.index == name:
                read = min(items, pattern.limit or items)
                reads += pattern.rate * read * read_units(size, consistent=False)
            elif pattern.operation in WRITES and entity and key_template(entity, names) is not None:
                written = items if pattern.operation in SEVERAL else 1
                writes += pattern.rate * written * (write_units(size) - write_units(0))
        found[name] = (writes, reads)
    return found


def _index_units(model: Model, pattern: AccessPattern, size: int, written: int) -> float:
    """Write units of the entries in the indexes whose keys the written items have.

    Of a request the puts are known; entries that its updates change are not counted.
    """
    entity, table = model.entity_named(pattern.entity), model.table_of_pattern(pattern)
    if entity is None or table is None:
        return 0.0
    actions = (pattern.request or {}).get("TransactItems")
    units = 0.0
    for index in indexes_of(table.request).values():
        names = [name for key in keys_of(index) for name in key]
        if actions is not None:
            puts = [each["Put"]["Item"] for each in actions if "Put" in each]
            entries = sum(all(name in item for name in names) for item in puts)
        else:
            entries = written if key_template(entity, names) is not None else 0
        has_all = index["Projection"].get("ProjectionType") == "ALL"
        units += entries * (write_units(size) if has_all else write_units(0))
    return units
