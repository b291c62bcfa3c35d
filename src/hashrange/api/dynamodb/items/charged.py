"""Charges of single items by their places, and ItemCollectionMetrics.

Elsewhere units are only counted by table: nobody needs the place of each item.

Source: API reference, ItemCollectionMetrics; the command line's reference, batch-write-item, whose
example has one entry for two writes of one collection.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hashrange.capacity.units import Charge, KeyValues, write_units
from hashrange.model.canonical import canonical_item
from hashrange.model.structures.dynamodb import ItemCollectionMetrics
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import WriteResult


def is_limited(tables: Iterable[OpenTable]) -> bool:
    """Whether charges are wanted for each item of one of the tables."""
    return any(table.wants_places for table in tables)


def key_values(table: OpenTable, item: Item) -> KeyValues:
    """The key of an item, or of one that has the attributes of its key."""
    sort = table.sort_name
    return (item[table.partition_name],), None if sort is None else (item[sort],)


def charges_of_write(
    name: str, key: bytes, done: WriteResult[Any], *, times: int = 1
) -> list[Charge]:
    """The charges of a write: of its item, `times` as much as a write alone, and of its entries."""
    own = Charge(name, write_units=times * write_units(done.size), position=key[ITEM_POSITION])
    return [
        own,
        *(
            Charge(name, index=index, write_units=units, position=position, key=key)
            for index, position, units, key in done.entry_units or ()
        ),
    ]


def charges_of_writes(
    names: Sequence[str], keys: Sequence[bytes], done: Sequence[WriteResult[Any]], *, times: int = 1
) -> list[Charge]:
    """The charges of several writes; `names` are those of the tables as sent."""
    return [
        charge
        for name, key, one in zip(names, keys, done, strict=True)
        for charge in charges_of_write(name, key, one, times=times)
    ]


def charges_of_items(
    names: Sequence[str], keys: Sequence[bytes], units: Sequence[float], *, is_write: bool = False
) -> list[Charge]:
    """A charge for each item."""
    return [
        Charge(
            name,
            read_units=0.0 if is_write else each,
            write_units=each if is_write else 0.0,
            position=key[ITEM_POSITION],
        )
        for name, key, each in zip(names, keys, units, strict=True)
    ]


_GB: Final = 1024**3


def metrics_of(
    table: OpenTable, sent: Mapping[str, AttributeValue], collection_bytes: int
) -> ItemCollectionMetrics:
    """The collection of an item.

    Args:
        table: that of the item.
        sent: the item or its key, as the client sent it; valid.
        collection_bytes: the counted size of the collection.
    """
    name = table.partition_name
    least = float(max(collection_bytes, 0) // _GB)
    return ItemCollectionMetrics(
        item_collection_key=canonical_item({name: sent[name]}, Wording.CURRENT).item,
        size_estimate_range_gb=(least, least + 1),
    )


def metrics_by_table(
    metrics: Iterable[tuple[str, ItemCollectionMetrics]],
) -> dict[str, list[ItemCollectionMetrics]] | None:
    """The metrics of a batch: for each table its collections, once, in the order of first use.

    Args:
        metrics: for each write the name of its table, and its collection after the write.
    """
    found: dict[str, dict[str, ItemCollectionMetrics]] = {}
    for name, each in metrics:
        found.setdefault(name, {})[repr(each.item_collection_key)] = each
    return {name: list(each.values()) for name, each in found.items()} or None
