"""`dynamodb_data_model.json` of the DynamoDB MCP server of AWS: requests and commands. Pure.

`tables` are CreateTable requests, `items` are those of BatchWriteItem, and an access pattern has a
command of the AWS CLI. Source: awslabs/mcp, "DynamoDB Data Model JSON Generation Guide".
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.command_lines import request_of
from hashrange.tools.models.samples import typed_item, types_in
from hashrange.tools.models.schema import AccessPattern, Entity, Model, ModelError
from hashrange.tools.models.table_parts import key_types


class _Write(msgspec.Struct, frozen=True):
    put: dict[str, dict[str, Any]] = msgspec.field(name="PutRequest")


class _Element(msgspec.Struct, frozen=True, rename="pascal"):
    attribute_name: str
    key_type: str


class _Definition(msgspec.Struct, frozen=True, rename="pascal"):
    attribute_name: str
    attribute_type: str


class _Index(msgspec.Struct, frozen=True, rename="pascal"):
    index_name: str
    key_schema: tuple[_Element, ...]
    projection: dict[str, Any]


class _Table(msgspec.Struct, frozen=True, rename="pascal"):
    """The members of CreateTable that other modules read; all are passed on."""

    table_name: str
    key_schema: tuple[_Element, ...]
    attribute_definitions: tuple[_Definition, ...]
    global_secondary_indexes: tuple[_Index, ...] | None = None
    local_secondary_indexes: tuple[_Index, ...] | None = None


class _Pattern(msgspec.Struct, frozen=True):
    pattern: str | int
    description: str = ""
    table: str | None = None
    index: str | None = None
    dynamodb_operation: str | None = None
    implementation: str | None = None
    reason: str | None = None


class _Document(msgspec.Struct, frozen=True):
    tables: tuple[dict[str, Any], ...]
    items: dict[str, tuple[_Write, ...]] = {}
    access_patterns: tuple[_Pattern, ...] = ()


def model_of_data_model(members: Mapping[str, Any], name: str) -> Model:
    """The model of a document. Raises ModelError, msgspec.ValidationError."""
    document = msgspec.convert(members, _Document)
    msgspec.convert({"tables": document.tables}, dict[str, tuple[_Table, ...]])
    tables = tuple(
        TableDefinition(request={"BillingMode": "PAY_PER_REQUEST", **table})
        for table in document.tables
    )
    entities = []
    for table in tables:
        types = key_types(table.request)
        writes = document.items.get(table.name, ())
        items = tuple(typed_item(write.put.get("Item", {}), types) for write in writes)
        found = types_in(items)
        entities.append(
            Entity(
                name=table.name,
                table=table.name,
                attributes=found,
                optional=tuple(each for each in found if any(each not in item for item in items)),
                samples=items,
            )
        )
    patterns = tuple(
        _pattern(pattern, number) for number, pattern in enumerate(document.access_patterns)
    )
    return Model(name=name, tables=tables, entities=tuple(entities), patterns=patterns)


def _pattern(pattern: _Pattern, number: int) -> AccessPattern:
    common: dict[str, Any] = {
        "name": str(pattern.pattern),
        "description": pattern.description,
        "table": pattern.table,
        "index": pattern.index,
    }
    if not pattern.implementation:
        return AccessPattern(**common, note=pattern.reason or "it has no implementation")
    try:
        operation, request = request_of(pattern.implementation)
    except ModelError as error:
        place = f"$.access_patterns[{number}].implementation"
        raise ModelError(f"{error} - at `{place}`") from error
    return AccessPattern(**common, operation=operation, request=request)
