"""The ItemCollectionMetrics of an answer: the sizes of the item collections that were written.

Source: API reference, ItemCollectionMetrics; the command line's reference, batch-write-item, whose
example has one entry for two writes of one collection.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from hashrange.model.canonical import canonical_item
from hashrange.model.structures.dynamodb import ItemCollectionMetrics
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording
from hashrange.tables.opened.open_table import OpenTable

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
