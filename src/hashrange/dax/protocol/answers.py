"""Parts of answers: maps of fields, consumed capacity, sizes of item collections."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.dax.protocol.values import encode_value
from hashrange.model.structures.dynamodb import Capacity, ConsumedCapacity, ItemCollectionMetrics
from hashrange.wire.cbor.encoding import (
    BREAK,
    NULL,
    START_MAP,
    array,
    byte_string,
    double,
    encode_integer,
    mapping,
    text,
)

SUCCESS: Final = b"\x80"
"""Before the items of an answer; the codes of an error stand in its place."""
ITEM, CAPACITY, ATTRIBUTES, METRICS = 0, 1, 2, 3
ITEMS, COUNT, LAST_KEY, SCANNED_COUNT = 7, 8, 9, 10
"""The fields of an answer about one table."""
_UNITS, _READ, _WRITE, _NAME, _TABLE, _GLOBAL, _LOCAL = range(1, 8)

_decode: Final = msgspec.json.Decoder().decode


def decoded(items: Any) -> Any:
    """An item, or a list of items, that may be the JSON of the storage."""
    return _decode(items) if isinstance(items, msgspec.Raw) else items


def fields(members: Iterable[tuple[int, bytes | None]]) -> bytes:
    """A successful answer with the fields that are there, in a map of indefinite length.

    So DAX sends it; the client of Java finds no attributes in a map of definite length.
    """
    there = [encode_integer(number) + value for number, value in members if value is not None]
    return SUCCESS + START_MAP + b"".join(there) + BREAK


def capacity(consumed: ConsumedCapacity | None) -> bytes | None:
    """Consumed capacity, but that of transactions; None if it was not asked for."""
    if consumed is None:
        return None
    table = NULL if consumed.table is None else double(consumed.table.capacity_units)
    return byte_string(
        text(consumed.table_name)
        + double(consumed.capacity_units)
        + table
        + _indexes(consumed.global_secondary_indexes)
        + _indexes(consumed.local_secondary_indexes)
    )


def capacities(consumed: Sequence[ConsumedCapacity] | None) -> bytes:
    """Consumed capacities of a batch."""
    found = map(capacity, consumed or ())
    return array([each for each in found if each is not None])


def _indexes(indexes: Mapping[str, Capacity] | None) -> bytes:
    if indexes is None:
        return NULL
    return mapping((text(name), double(each.capacity_units)) for name, each in indexes.items())


def transaction_capacities(consumed: Sequence[ConsumedCapacity] | None) -> bytes:
    """Consumed capacities of a transaction, which distinguish reads from writes."""
    return array([_of_transaction(each) for each in consumed or ()])


def _of_transaction(consumed: ConsumedCapacity) -> bytes:
    members = [(_NAME, text(consumed.table_name)), *_levels(consumed)]
    if consumed.table is not None:
        members.append((_TABLE, _numbered(_levels(consumed.table))))
    for number, indexes in (
        (_GLOBAL, consumed.global_secondary_indexes),
        (_LOCAL, consumed.local_secondary_indexes),
    ):
        if indexes is not None:
            named = [(text(name), _numbered(_levels(each))) for name, each in indexes.items()]
            members.append((number, mapping(named)))
    return _numbered(members)


def _numbered(members: Iterable[tuple[int, bytes]]) -> bytes:
    return mapping((encode_integer(number), value) for number, value in members)


def _levels(units: Capacity | ConsumedCapacity) -> list[tuple[int, bytes]]:
    found = [(_UNITS, double(units.capacity_units))]
    if units.read_capacity_units is not None:
        found.append((_READ, double(units.read_capacity_units)))
    if units.write_capacity_units is not None:
        found.append((_WRITE, double(units.write_capacity_units)))
    return found


def metrics(collection: ItemCollectionMetrics | None) -> bytes | None:
    """The size of an item collection; None if it was not asked for."""
    if collection is None:
        return None
    (key,) = collection.item_collection_key.values()
    least, most = collection.size_estimate_range_gb
    return byte_string(encode_value(key) + double(least) + double(most))


def metrics_by_table(
    collections: Mapping[str, Sequence[ItemCollectionMetrics]] | None,
) -> bytes:
    """Metrics of a batch or a transaction."""
    found = []
    for name, of_table in (collections or {}).items():
        encoded = map(metrics, of_table)
        found.append((text(name), array([each for each in encoded if each is not None])))
    return mapping(found)
