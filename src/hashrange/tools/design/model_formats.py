"""Writes models for NoSQL Workbench and CloudFormation; what a document had is kept. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.optional_packages import imported
from hashrange.tools.copying.item_lines import Item
from hashrange.tools.definition import TableDefinition
from hashrange.tools.design.cloudformation import template_of
from hashrange.tools.design.steps import identifiers
from hashrange.tools.design.yaml_text import yaml_of
from hashrange.tools.models.document import document_of
from hashrange.tools.models.files import json_text
from hashrange.tools.models.items import completed
from hashrange.tools.models.markdown import markdown_of
from hashrange.tools.models.onetable import onetable_of
from hashrange.tools.models.samples import types_in
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import key_types, keys_of
from hashrange.tools.models.workbench import INDEX_MEMBERS, PROVISIONED, model_of_workbench

VERSION: Final = "3.0"
_ROLE: Final = "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"


def workbench_of(model: Model) -> dict[str, Any]:
    """The document of a model: the one that it was read from if nothing has changed."""
    base = model.workbench or {}
    if base:
        read = model_of_workbench(base, model.name)
        if msgspec.structs.replace(read, dialect=model.dialect) == model:
            return dict(base)
    metadata = {
        "Author": "",
        "DateCreated": "",
        "DateLastModified": "",
        **(base.get("ModelMetadata") or {"Version": VERSION}),
        "Description": model.description,
        "AWSService": "Amazon DynamoDB",
    }
    tables = {
        table.get("TableName"): table
        for table in base.get("DataModel") or ()
        if isinstance(table, dict)
    }
    return {
        **base,
        "ModelName": model.name,
        "ModelMetadata": metadata,
        "DataModel": [
            {**tables.get(table.name, {}), **_table(model, table, tables.get(table.name) or {})}
            for table in model.tables
        ],
    }


def _table(model: Model, table: TableDefinition, base: Mapping[str, Any]) -> dict[str, Any]:
    request, types = table.request, key_types(table.request)
    entities = list(model.entities_of(table))
    items = {
        entity.name: [completed(entity, item, types) for item in entity.samples]
        for entity in entities
    }
    facets = {
        facet.get("FacetName"): facet
        for facet in base.get("TableFacets") or ()
        if isinstance(facet, dict)
    }
    keys = [name for names in keys_of(request) for name in names]
    attributes = _attributes(entities, items.values(), types)
    made: dict[str, Any] = {
        "TableName": table.name,
        "KeyAttributes": _keys(request, types),
        "NonKeyAttributes": [
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in attributes.items()
            if name not in keys
        ],
        "TableFacets": [
            {**facets.get(entity.name, {}), **_facet(entity, items[entity.name], keys)}
            for entity in entities
            # The entity of a table without facets has the name of the table.
            if entity.name != table.name or entity.templates
        ],
        "TableData": [item for each in items.values() for item in each],
        "DataAccess": base.get("DataAccess") or {"MySql": {}},
        "BillingMode": request.get("BillingMode") or PROVISIONED,
    }
    for member in INDEX_MEMBERS:
        indexes = [_index(index, types) for index in request.get(member) or ()]
        if indexes or member == INDEX_MEMBERS[0]:
            made[member] = indexes
    if made["BillingMode"] == PROVISIONED:
        made["ProvisionedCapacitySettings"] = {
            **(base.get("ProvisionedCapacitySettings") or {}),
            **_capacity(table),
        }
    return made


def _attributes(
    entities: Iterable[Entity], items: Iterable[list[Item]], types: Mapping[str, str]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for entity in entities:
        found |= {name: types.get(name, "S") for name in entity.templates}
        found |= entity.attributes
    return {**types, **types_in(item for each in items for item in each), **found}


def _keys(part: Mapping[str, Any], types: Mapping[str, str]) -> dict[str, Any]:
    """`KeyAttributes` of a table or an index; of a key of several attributes, the first ones."""
    return {
        member: {"AttributeName": names[0], "AttributeType": types.get(names[0], "S")}
        for member, names in zip(("PartitionKey", "SortKey"), keys_of(part), strict=True)
        if names
    }


def _index(index: Mapping[str, Any], types: Mapping[str, str]) -> dict[str, Any]:
    return {
        "IndexName": index["IndexName"],
        "KeyAttributes": _keys(index, types),
        "Projection": index["Projection"],
    }


def _facet(entity: Entity, items: list[Item], keys: list[str]) -> dict[str, Any]:
    aliases = {
        member: entity.templates.get(name, name)
        for member, name in zip(("PartitionKeyAlias", "SortKeyAlias"), keys, strict=False)
    }
    names = [*entity.templates, *entity.attributes]
    return {
        "FacetName": entity.name,
        "KeyAttributeAlias": aliases,
        "NonKeyAttributes": list(dict.fromkeys(name for name in names if name not in keys)),
        "TableData": items,
    }


def _capacity(table: TableDefinition) -> dict[str, Any]:
    made: dict[str, Any] = {"ProvisionedThroughput": table.request.get("ProvisionedThroughput")}
    scaling = table.scaling
    if scaling is not None:
        setting = {
            "ScalableTargetRequest": {
                "MinCapacity": scaling.units_min,
                "MaxCapacity": scaling.units_max,
                "ServiceRole": _ROLE,
            },
            "ScalingPolicyConfiguration": {"TargetValue": scaling.target_percent},
        }
        made |= {"AutoScalingRead": setting, "AutoScalingWrite": setting}
    return made


def template_of_model(model: Model) -> str:
    """The template of all tables; with several, logical ids begin with those of their tables."""
    templates = [template_of(table) for table in model.tables]
    if len(templates) == 1:
        return yaml_of(templates[0])
    names = identifiers([table.name for table in model.tables])
    merged: dict[str, Any] = {
        **templates[0],
        "Description": f"The DynamoDB tables of {model.name}",
        "Resources": {},
        "Outputs": {},
    }
    for table, template in zip(model.tables, templates, strict=True):
        ids = {each: f"{names[table.name]}{each}" for each in template["Resources"]}
        for section in ("Resources", "Outputs"):
            merged[section] |= {
                f"{names[table.name]}{each}": _renamed(value, ids)
                for each, value in template[section].items()
            }
    return yaml_of(merged)


def _renamed(node: Any, ids: Mapping[str, str]) -> Any:
    """A part of a template with other logical ids."""
    match node:
        case {"Ref": str() as name}:
            return {"Ref": ids.get(name, name)}
        case {"Fn::GetAtt": [str() as name, *rest]}:
            return {"Fn::GetAtt": [ids.get(name, name), *rest]}
        case {"Fn::Sub": str() as text}:
            return {
                "Fn::Sub": re.sub(r"(?<=\$\{)\w+", lambda found: ids.get(found[0], found[0]), text)
            }
        case dict():
            return {name: _renamed(value, ids) for name, value in node.items()}
        case list():
            return [_renamed(each, ids) for each in node]
        case _:
            return node


TOML: Final = "tomli-w>=1.1"
"""The package as an argument of pip."""
Writer: TypeAlias = Callable[[Model], str]


def toml_of(model: Model) -> str:
    """A model in the form of hashrange, in TOML. Raises MissingPackageError."""
    module: Any = imported("tomli_w", TOML, "Models in TOML are written by tomli-w")
    text: str = module.dumps(_without_nulls(document_of(model)))
    return text


def _without_nulls(value: Any) -> Any:
    """Data without nulls, which TOML does not have; requests of DynamoDB have none either."""
    match value:
        case dict():
            return {name: _without_nulls(each) for name, each in value.items() if each is not None}
        case list():
            return [_without_nulls(each) for each in value if each is not None]
        case _:
            return value


def _json(document: Callable[[Model], Mapping[str, Any]]) -> Writer:
    return lambda model: json_text(document(model)) + "\n"


FORMATS: Final[Mapping[str, Writer]] = {
    "toml": toml_of,
    "json": _json(document_of),
    "workbench": _json(workbench_of),
    "onetable": _json(onetable_of),
    "cloudformation": template_of_model,
    "markdown": markdown_of,
}
"""The writers by the name of a format. They raise ModelError: a model cannot be written so."""
