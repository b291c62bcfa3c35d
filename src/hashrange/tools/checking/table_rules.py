"""Rules of tables and their indexes: numbers, sizes, and whether they are used. Pure."""

from collections.abc import Iterator
from typing import Any

from hashrange.limits.tables import (
    GLOBAL_INDEXES_MAX,
    ITEM_COLLECTION_BYTES_MAX,
    LOCAL_INDEXES_MAX,
)
from hashrange.tools.checking.findings import Finding
from hashrange.tools.checking.sizing import entity_bytes, item_bytes_of
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.collections import collections_of, key_template
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import indexes_of, keys_of
from hashrange.tools.models.templates import is_constant

_YEAR_SECONDS = 365 * 24 * 3600
_DAY_SECONDS = 24 * 3600


def index_counts(model: Model) -> Iterator[Finding]:
    """More indexes than a table can have."""
    for table in model.tables:
        for kind, limit in (("global", GLOBAL_INDEXES_MAX), ("local", LOCAL_INDEXES_MAX)):
            indexes = table.request.get(f"{kind.capitalize()}SecondaryIndexes") or ()
            if len(indexes) > limit:
                text = f"it has {len(indexes)} {kind} indexes; DynamoDB allows {limit}"
                yield Finding(
                    kind=f"too-many-{kind}-indexes", place=f"table {table.name}", text=text
                )


def index_uses(model: Model) -> Iterator[Finding]:
    """Indexes that no pattern reads, or that no item has the key of."""
    for table in model.tables:
        entities = list(model.entities_of(table))
        used = {
            pattern.index or (pattern.request or {}).get("IndexName")
            for pattern in model.patterns
            if model.table_of_pattern(pattern) is table
        }
        for name, index in indexes_of(table.request).items():
            place = f"index {name} of table {table.name}"
            if model.patterns and name not in used:
                text = "no access pattern reads it, and each write pays for it"
                yield Finding(kind="unused-index", place=place, text=text)
            names = [each for key in keys_of(index) for each in key]
            if entities and not any(_has_key(entity, names) for entity in entities):
                text = f"no entity has all attributes of its key: {', '.join(names)}"
                yield Finding(kind="index-of-no-items", place=place, text=text)


def _has_key(entity: Entity, names: list[str]) -> bool:
    return key_template(entity, names) is not None or any(
        all(name in item for name in names) for item in entity.samples
    )


def entity_uses(model: Model) -> Iterator[Finding]:
    """Entities that no pattern reads or writes, in a model whose patterns name entities."""
    named = {pattern.entity for pattern in model.patterns}
    if named == {None} or not named:
        return
    shared = {
        entity.name
        for collection in collections_of(model)
        if len(collection.members) > 1
        for entity, _sort in collection.members
    }
    for entity in model.entities:
        if entity.name not in named | shared:
            text = "no access pattern has this entity"
            yield Finding(kind="unused-entity", place=f"entity {entity.name}", text=text)


def local_collections(model: Model) -> Iterator[Finding]:
    """Item collections above 10 GB in tables with local indexes, by their number or rate."""
    for table in model.tables:
        if not table.request.get("LocalSecondaryIndexes"):
            continue
        for collection in collections_of(model):
            if collection.table != table.name or collection.index is not None:
                continue
            total = sum(
                (entity.items_per_key or 0) * (entity_bytes(model, entity) or 0)
                for entity, _sort in collection.members
            )
            place = f"table {table.name}"
            if total > ITEM_COLLECTION_BYTES_MAX:
                text = (
                    f"the item collection {collection.partition} has {total / 1024**3:.1f} GB; "
                    "a table with local indexes allows 10 GB"
                )
                yield Finding(kind="collection-too-large", place=place, text=text)
                continue
            for entity, _sort in collection.members:
                yield from _growth(model, table, entity, collection.partition)


def _growth(
    model: Model, table: TableDefinition, entity: Entity, partition: str
) -> Iterator[Finding]:
    """A collection that its writes make larger than 10 GB in a year, without expiry."""
    if table.time_to_live is not None:
        return
    for pattern in model.patterns:
        if pattern.entity != entity.name or pattern.operation != "PutItem":
            continue
        share = pattern.hottest_key_share
        if share is None:
            share = 1.0 if is_constant(partition) else 0.0
        speed = pattern.rate * share * (item_bytes_of(model, pattern) or 0)
        if speed * _YEAR_SECONDS > ITEM_COLLECTION_BYTES_MAX:
            days = ITEM_COLLECTION_BYTES_MAX / speed / _DAY_SECONDS
            text = (
                f"the item collection {partition} reaches 10 GB after {days:.0f} days of "
                f"pattern {pattern.name}; a table with local indexes allows no more"
            )
            yield Finding(kind="collection-too-large", place=f"table {table.name}", text=text)


def part_of_pattern(table: TableDefinition, index: str | None) -> Any:
    """The index that a pattern reads, or the request of the table; None if there is none."""
    return table.request if index is None else indexes_of(table.request).get(index)
