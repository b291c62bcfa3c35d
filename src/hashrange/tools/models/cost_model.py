"""`dynamodb_data_model.json` of AWS's agents that estimate costs: rates and sizes. Pure.

Tables have `table_name`, `key_schema`, `entities` and `gsis`; access patterns have `peak_rps`,
`items_per_request` and `estimated_item_size_bytes`.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashrange.model.data_types import KEY_TYPES
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.schema import OPERATIONS, AccessPattern, Entity, Model, ModelError
from hashrange.tools.models.table_parts import (
    attribute_definitions,
    indexes_of,
    key_schema,
    keys_of,
    projection_of,
)

_LOWER: Final = str.lower


class _Attribute(msgspec.Struct, frozen=True):
    name: str | None = None
    type: str = "S"
    attribute_name: str | None = None
    attribute_type: str | None = None

    def named(self) -> str:
        """The name of the attribute, in either spelling."""
        return self.name or self.attribute_name or ""

    def kind(self) -> str:
        """The type of the attribute, in either spelling."""
        return (self.attribute_type or self.type).upper()


class _Entity(msgspec.Struct, frozen=True):
    entity_name: str
    attributes: tuple[_Attribute, ...] = ()
    estimated_item_size_bytes: int | None = None
    estimated_item_count: int | None = None


class _KeySchema(msgspec.Struct, frozen=True):
    partition_key: str
    sort_key: str | None = None


class _Projection(msgspec.Struct, frozen=True):
    type: str = "ALL"
    attributes: tuple[str, ...] = ()
    non_key_attributes: tuple[str, ...] = ()


class _Index(msgspec.Struct, frozen=True):
    index_name: str
    partition_key: str | None = None
    sort_key: str | None = None
    projection: _Projection | str = _Projection()


class _Table(msgspec.Struct, frozen=True):
    table_name: str
    key_schema: _KeySchema
    table_class: str = "STANDARD"
    attribute_definitions: tuple[_Attribute, ...] = ()
    entities: tuple[_Entity, ...] = ()
    gsis: tuple[_Index, ...] = ()
    lsis: tuple[_Index, ...] = ()
    streams: dict[str, Any] = {}
    provisioned_capacity: dict[str, int] | None = None
    ttl_attribute: str | None = None


class _Pattern(msgspec.Struct, frozen=True):
    pattern_id: str | int | None = None
    name: str | None = None
    description: str = ""
    operation: str = "Query"
    table: str | None = None
    index: str | None = None
    peak_rps: float = 0.0
    avg_rps: float | None = None
    estimated_item_size_bytes: int | None = None
    items_per_request: int = 1
    consistency: str = "eventual"
    projection: tuple[str, ...] | None = None
    entity: str | None = None
    entities_written: tuple[Any, ...] = ()


class _Document(msgspec.Struct, frozen=True):
    tables: tuple[_Table, ...]
    access_patterns: tuple[_Pattern, ...] = ()


def model_of_cost_model(members: Mapping[str, Any], name: str) -> Model:
    """The model of a document. Raises ModelError, msgspec.ValidationError.

    The requests of its patterns have the whole partition key of their table or index.
    """
    document = msgspec.convert(members, _Document)
    model = Model(
        name=name,
        tables=tuple(_definition(table) for table in document.tables),
        entities=tuple(
            _entity(table, entity) for table in document.tables for entity in table.entities
        ),
    )
    patterns = tuple(
        _pattern(model, pattern, number)
        for number, pattern in enumerate(document.access_patterns, 1)
    )
    return msgspec.structs.replace(model, patterns=patterns)


def _types(table: _Table) -> dict[str, str]:
    declared = [each for entity in table.entities for each in entity.attributes]
    return {each.named(): each.kind() for each in (*declared, *table.attribute_definitions)}


def _definition(table: _Table) -> TableDefinition:
    known = _types(table)
    types: dict[str, str] = {}

    def schema(partition: str, sort: str | None) -> list[dict[str, str]]:
        for name in (partition, sort):
            if name:
                kind = known.get(name, "S")
                types[name] = kind if kind in KEY_TYPES else "S"
        return key_schema((partition,), (sort,) if sort else ())

    own = table.key_schema
    request: dict[str, Any] = {
        "TableName": table.table_name,
        "KeySchema": schema(own.partition_key, own.sort_key),
        "AttributeDefinitions": [],
        "BillingMode": "PAY_PER_REQUEST",
    }
    throughput = {}
    if table.provisioned_capacity:
        request["BillingMode"] = "PROVISIONED"
        units = table.provisioned_capacity
        throughput["ProvisionedThroughput"] = {
            "ReadCapacityUnits": units.get("read", 5),
            "WriteCapacityUnits": units.get("write", 5),
        }
    request |= throughput
    for member, indexes in (
        ("GlobalSecondaryIndexes", table.gsis),
        ("LocalSecondaryIndexes", table.lsis),
    ):
        is_global = member.startswith("Global")
        for index in indexes:
            if is_global and not index.partition_key:
                raise ModelError(f"index {index.index_name} has no partition_key")
            partition = index.partition_key or own.partition_key
            request.setdefault(member, []).append(
                {
                    "IndexName": index.index_name,
                    "KeySchema": schema(partition, index.sort_key),
                    "Projection": _projection(index),
                    **(throughput if is_global else {}),
                }
            )
    request["AttributeDefinitions"] = attribute_definitions(types)
    if table.streams.get("enabled"):
        view = table.streams.get("view_type", "NEW_AND_OLD_IMAGES")
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
    if table.table_class != "STANDARD":
        request["TableClass"] = table.table_class
    return TableDefinition(request=request, time_to_live=table.ttl_attribute)


def _projection(index: _Index) -> dict[str, Any]:
    if isinstance(index.projection, str):
        return projection_of(index.projection)
    if index.projection.type.upper() == "INCLUDE":
        return projection_of(index.projection.attributes or index.projection.non_key_attributes)
    return projection_of(index.projection.type.upper())


def _entity(table: _Table, entity: _Entity) -> Entity:
    """An entity with the keys of its table, also if it does not list them."""
    keys = [name for name in (table.key_schema.partition_key, table.key_schema.sort_key) if name]
    types = _types(table)
    return Entity(
        name=entity.entity_name,
        table=table.table_name,
        attributes={
            **{name: types.get(name, "S") for name in keys},
            **{each.named(): each.kind() for each in entity.attributes},
        },
        item_bytes=entity.estimated_item_size_bytes,
        items=entity.estimated_item_count,
    )


def _pattern(model: Model, pattern: _Pattern, number: int) -> AccessPattern:
    operation = next(
        (each for each in OPERATIONS if _LOWER(each) == _LOWER(pattern.operation)),
        pattern.operation,
    )
    entity = pattern.entity or next(
        (each for each in pattern.entities_written if isinstance(each, str)), None
    )
    made = AccessPattern(
        name=str(pattern.name or pattern.pattern_id or number),
        description=pattern.description,
        operation=operation,
        entity=entity,
        table=pattern.table,
        index=pattern.index,
        returns=pattern.projection or (),
        consistent=pattern.consistency == "strong",
        rate=pattern.peak_rps,
        item_bytes=pattern.estimated_item_size_bytes,
        items=max(1, pattern.items_per_request),
    )
    table = model.table_of_pattern(made)
    if table is None:
        return made
    if entity is None:
        entity = next((each.name for each in model.entities_of(table)), None)
    if operation == "Query":
        part = indexes_of(table.request).get(pattern.index or "", table.request)
        partition, _sort = keys_of(part)
        return msgspec.structs.replace(
            made, entity=entity, key={name: f"{{{name}}}" for name in partition}
        )
    return msgspec.structs.replace(made, entity=entity)
