"""Rules of tables and their indexes: numbers, sizes, and whether they are used. Pure."""

from collections.abc import Iterator
from typing import Any, Final

from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.limits.tables import (
    GLOBAL_INDEXES_MAX,
    ITEM_COLLECTION_BYTES_MAX,
    LOCAL_INDEXES_MAX,
)
from hashrange.tools.checking.findings import Finding
from hashrange.tools.checking.sizing import entity_bytes, item_bytes_of, projection_units
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.collections import collections_of, key_template
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import indexes_of, keys_of
from hashrange.tools.models.templates import is_constant
from hashrange.tools.rules import TABLE, Facts, findings

_YEAR_SECONDS: Final = 365 * 24 * 3600
_DAY_SECONDS: Final = 24 * 3600
_LEAST_RATE: Final = 1e-6
"""Of a pattern without a rate, which reads an index all the same."""


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


def design(model: Model) -> Iterator[Finding]:
    """The findings of the rules of table design on the tables, with the facts of the model."""
    for table in model.tables:
        for each in findings(facts_of(model, table)):
            text = f"{each.text}. {each.remedy}"
            yield Finding(kind=each.rule, place=f"table {table.name}", text=text)


def facts_of(model: Model, table: TableDefinition) -> Facts:
    """The data and the load of a table in a model."""
    patterns = [each for each in model.patterns if model.table_of_pattern(each) is table]
    reads: dict[str, float] = {}
    for pattern in patterns:
        index = pattern.index or (pattern.request or {}).get("IndexName")
        if isinstance(index, str):
            reads[index] = reads.get(index, 0.0) + max(pattern.rate, _LEAST_RATE)
    sizes = [entity_bytes(model, entity) or 0 for entity in model.entities_of(table)]
    largest = max(sizes, default=0)
    return Facts(
        definition=table,
        item_bytes=largest if 0 < largest <= ITEM_BYTES_MAX else None,
        collection_bytes={TABLE: _largest_collection(model, table)},
        projection_units=projection_units(model, table),
        reads_per_second=reads if patterns else None,
    )


def _largest_collection(model: Model, table: TableDefinition) -> float:
    """Bytes of the items with one partition key, by the numbers of items that the model says."""
    return max(
        (
            sum(
                (entity.items_per_key or 0) * (entity_bytes(model, entity) or 0)
                for entity, _sort in collection.members
            )
            for collection in collections_of(model)
            if collection.table == table.name and collection.index is None
        ),
        default=0,
    )


def index_items(model: Model) -> Iterator[Finding]:
    """Indexes that no item has the key of."""
    for table in model.tables:
        entities = list(model.entities_of(table))
        for name, index in indexes_of(table.request).items():
            names = [each for key in keys_of(index) for each in key]
            if entities and not any(_has_key(entity, names) for entity in entities):
                place = f"index {name} of table {table.name}"
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
    """Item collections that grow above 10 GB in tables with local indexes."""
    for table in model.tables:
        if table.request.get("LocalSecondaryIndexes") and table.time_to_live is None:
            for collection in collections_of(model):
                if collection.table == table.name and collection.index is None:
                    for entity, _sort in collection.members:
                        yield from _growth(model, table, entity, collection.partition)


def _growth(
    model: Model, table: TableDefinition, entity: Entity, partition: str
) -> Iterator[Finding]:
    """A collection that its writes make larger than 10 GB in a year, without expiry."""
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
            yield Finding(kind="collection-growth", place=f"table {table.name}", text=text)


def part_of_pattern(table: TableDefinition, index: str | None) -> Any:
    """The index that a pattern reads, or the request of the table; None if there is none."""
    return table.request if index is None else indexes_of(table.request).get(index)
