"""Schemas of OneTable, `onetable:1.1.0`, in JSON. Pure.

Source: dynamodb-onetable, "OneTable Schema Specification".
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from hashrange.model.data_types import SETS
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.schema import Entity, Model, ModelError
from hashrange.tools.models.table_parts import (
    attribute_definitions,
    indexes_of,
    key_schema,
    key_types,
    keys_of,
    projection_of,
)
from hashrange.tools.models.templates import parts_of

FORMAT: Final = "onetable:1.1.0"
_PRIMARY: Final = "primary"
_TYPES: Final = {
    "string": "S",
    "number": "N",
    "boolean": "BOOL",
    "object": "M",
    "array": "L",
    "set": "SS",
    "binary": "B",
    "buffer": "B",
    "arraybuffer": "B",
    "date": "S",
}
_NAMES: Final = {
    "S": "string",
    "N": "number",
    "BOOL": "boolean",
    "M": "object",
    "L": "array",
    **dict.fromkeys(SETS, "set"),
    "B": "binary",
    "NULL": "string",
}
_PLACEHOLDER: Final = re.compile(r"\$\{([^}:]+)(?::(\d{1,3}):0)?\}")
_STEM: Final = re.compile(r"[^A-Za-z0-9_.-]")


class _Index(msgspec.Struct, frozen=True):
    hash: str | None = None
    sort: str | None = None
    type: Literal["local", "global"] = "global"
    project: str | tuple[str, ...] = "all"


class _Field(msgspec.Struct, frozen=True):
    type: str | None = None
    value: str | None = None
    required: bool = False
    items: Any = None


class _Document(msgspec.Struct, frozen=True):
    indexes: dict[str, _Index]
    models: dict[str, dict[str, _Field]]
    params: dict[str, Any] = {}
    name: str | None = None


def model_of_onetable(members: Mapping[str, Any], name: str) -> Model:
    """The model of a schema: one table. Raises ModelError, msgspec.ValidationError."""
    document = msgspec.convert(members, _Document)
    if _PRIMARY not in document.indexes or not document.indexes[_PRIMARY].hash:
        raise ModelError("indexes.primary has no hash")
    table = _STEM.sub("-", document.name or name).ljust(3, "-")
    dates = "S" if document.params.get("isoDates") else "N"
    fields = {
        each: {field: _type(of, dates) for field, of in own.items()}
        for each, own in document.models.items()
    }
    types = {field: kind for own in fields.values() for field, kind in own.items()}
    return Model(
        name=document.name or name,
        tables=(_definition(table, document, types),),
        entities=tuple(_entity(document, each, fields[each]) for each in document.models),
    )


def _type(field: _Field, dates: str) -> str:
    kind = (field.type or "string").lower()
    return dates if kind == "date" else _TYPES.get(kind, "S")


def _definition(name: str, document: _Document, types: Mapping[str, str]) -> TableDefinition:
    request: dict[str, Any] = {"TableName": name, "KeySchema": [], "AttributeDefinitions": []}
    used: dict[str, str] = {}
    primary = document.indexes[_PRIMARY].hash or ""
    for index_name, index in document.indexes.items():
        partition = primary if index.type == "local" else index.hash or primary
        for key in (partition, index.sort):
            if key:
                used[key] = types.get(key, "S") if types.get(key) in {"N", "B"} else "S"
        schema = key_schema((partition,), (index.sort,) if index.sort else ())
        if index_name == _PRIMARY:
            request["KeySchema"] = schema
            continue
        project = index.project
        if isinstance(project, str):
            project = "KEYS_ONLY" if project.lower() == "keys" else "ALL"
        member = "LocalSecondaryIndexes" if index.type == "local" else "GlobalSecondaryIndexes"
        request.setdefault(member, []).append(
            {
                "IndexName": index_name,
                "KeySchema": schema,
                "Projection": projection_of(project),
            }
        )
    request["AttributeDefinitions"] = attribute_definitions(used)
    return TableDefinition(request={**request, "BillingMode": "PAY_PER_REQUEST"})


def _entity(document: _Document, name: str, types: Mapping[str, str]) -> Entity:
    type_field = str(document.params.get("typeField") or "_type")
    fields = document.models[name]
    templates = {
        field: _template(of.value, type_field, name)
        for field, of in fields.items()
        if of.value is not None
    }
    templates.setdefault(type_field, name)
    attributes = {field: kind for field, kind in types.items() if field not in templates}
    keys = {index.hash for index in document.indexes.values()}
    keys |= {index.sort for index in document.indexes.values()}
    return Entity(
        name=name,
        templates=templates,
        attributes=attributes,
        optional=tuple(
            field
            for field in attributes
            if not fields[field].required and field not in keys and not _is_used(field, templates)
        ),
    )


def _is_used(field: str, templates: Mapping[str, str]) -> bool:
    return any(f"{{{field}" in template for template in templates.values())


def _template(text: str, type_field: str, name: str) -> str:
    def slot(match: re.Match[str]) -> str:
        if match[1] == type_field:
            return name
        return f"{{{match[1]}:0{match[2]}}}" if match[2] else f"{{{match[1]}}}"

    return _PLACEHOLDER.sub(slot, text)


def onetable_of(model: Model) -> dict[str, Any]:
    """The schema of a model with one table. Raises ModelError: it has several."""
    if len(model.tables) != 1:
        raise ModelError(f"a schema of OneTable has one table, and the model {len(model.tables)}")
    table = model.tables[0]
    types = key_types(table.request)
    partition, sort = keys_of(table.request)
    indexes: dict[str, Any] = {_PRIMARY: _index_of(partition, sort)}
    for name, index in indexes_of(table.request).items():
        own_partition, own_sort = keys_of(index)
        is_local = index in (table.request.get("LocalSecondaryIndexes") or ())
        made = _index_of([] if is_local else own_partition, own_sort)
        projection = index["Projection"]
        indexes[name] = {
            **made,
            **({"type": "local"} if is_local else {}),
            "project": {"ALL": "all", "KEYS_ONLY": "keys"}.get(
                projection["ProjectionType"], projection.get("NonKeyAttributes")
            ),
        }
    return {
        "format": FORMAT,
        "version": "0.0.1",
        "name": table.name,
        "indexes": indexes,
        "models": {entity.name: _fields(entity, types) for entity in model.entities},
        "params": {"typeField": "_type", "isoDates": True},
    }


def _index_of(partition: list[str], sort: list[str]) -> dict[str, str]:
    if len(partition) > 1 or len(sort) > 1:
        raise ModelError("OneTable has no keys of several attributes")
    return {member: names[0] for member, names in (("hash", partition), ("sort", sort)) if names}


def _fields(entity: Entity, types: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        name: {"type": _NAMES[types.get(name, "S")], "value": _value(template)}
        for name, template in entity.templates.items()
        if name != "_type"
    }
    for name, kind in entity.attributes.items():
        required = {} if name in entity.optional else {"required": True}
        fields[name] = {"type": _NAMES.get(kind, "string"), **required}
    return fields


def _value(template: str) -> str:
    return "".join(
        part
        if isinstance(part, str)
        else f"${{{part.name}:{part.width}:0}}"
        if part.width
        else f"${{{part.name}}}"
        for part in parts_of(template)
    )
