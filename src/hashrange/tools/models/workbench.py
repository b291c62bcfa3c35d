"""Models of NoSQL Workbench, versions 2.0 and 3.0: facets are entities. Pure.

Sources: exports of NoSQL Workbench, and the sample models that it has.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from hashrange.tools.copying.item_lines import Item
from hashrange.tools.definition import AutoScaling, TableDefinition
from hashrange.tools.models.samples import typed_item, types_in
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import attribute_definitions, key_schema

PROVISIONED: Final = "PROVISIONED"
INDEX_MEMBERS: Final = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")


class _Part(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A part of a document; its other members are not read."""


class _Attribute(_Part, frozen=True, kw_only=True):
    attribute_name: str
    attribute_type: str = "S"


class _Keys(_Part, frozen=True, kw_only=True):
    partition_key: _Attribute
    sort_key: _Attribute | None = None

    def schema(self) -> list[dict[str, str]]:
        """`KeySchema` with this key."""
        sort = () if self.sort_key is None else (self.sort_key.attribute_name,)
        return key_schema((self.partition_key.attribute_name,), sort)

    def attributes(self) -> Iterator[_Attribute]:
        """The partition key, and the sort key if there is one."""
        yield self.partition_key
        if self.sort_key is not None:
            yield self.sort_key


class _Projection(_Part, frozen=True, kw_only=True):
    projection_type: str = "ALL"
    non_key_attributes: tuple[str, ...] | None = None


class _Index(_Part, frozen=True, kw_only=True):
    index_name: str
    key_attributes: _Keys
    projection: _Projection = _Projection()


class _Facet(_Part, frozen=True, kw_only=True):
    facet_name: str
    key_attribute_alias: dict[str, str | None] | None = None
    non_key_attributes: tuple[str, ...] | None = None
    table_data: tuple[dict[str, Any], ...] | None = None


class _Table(_Part, frozen=True, kw_only=True):
    table_name: str
    key_attributes: _Keys
    non_key_attributes: tuple[_Attribute, ...] | None = None
    table_facets: tuple[_Facet, ...] | None = None
    global_secondary_indexes: tuple[_Index, ...] | None = None
    local_secondary_indexes: tuple[_Index, ...] | None = None
    table_data: tuple[dict[str, Any], ...] | None = None
    billing_mode: str = "PAY_PER_REQUEST"
    provisioned_capacity_settings: dict[str, Any] | None = None


class _Metadata(_Part, frozen=True, kw_only=True):
    description: str | None = None


class _Document(_Part, frozen=True, kw_only=True):
    model_name: str
    model_metadata: _Metadata = _Metadata()
    data_model: tuple[_Table, ...]


def model_of_workbench(members: Mapping[str, Any], _name: str) -> Model:
    """The model of a document. Raises ModelError, msgspec.ValidationError."""
    document = msgspec.convert(members, _Document)
    entities: list[Entity] = []
    for table in document.data_model:
        entities += _entities(table)
    return Model(
        name=document.model_name,
        description=document.model_metadata.description or "",
        tables=tuple(_definition(table) for table in document.data_model),
        entities=tuple(entities),
        workbench=members,
    )


def without_data(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without its items, which a model has in its samples."""
    return {
        **document,
        "DataModel": [
            {
                **{name: value for name, value in table.items() if name != "TableData"},
                "TableFacets": [
                    {name: value for name, value in facet.items() if name != "TableData"}
                    for facet in table.get("TableFacets") or ()
                ],
            }
            for table in document.get("DataModel") or ()
        ],
    }


def _definition(table: _Table) -> TableDefinition:
    types: dict[str, str] = {}
    request: dict[str, Any] = {
        "TableName": table.table_name,
        "KeySchema": table.key_attributes.schema(),
        "AttributeDefinitions": [],
        "BillingMode": table.billing_mode,
    }
    settings = table.provisioned_capacity_settings or {}
    units = settings.get("ProvisionedThroughput")
    throughput = (
        {"ProvisionedThroughput": units or {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}
        if table.billing_mode == PROVISIONED
        else {}
    )
    request |= throughput
    types |= {
        each.attribute_name: each.attribute_type for each in table.key_attributes.attributes()
    }
    for member, indexes in zip(
        INDEX_MEMBERS,
        (table.global_secondary_indexes, table.local_secondary_indexes),
        strict=True,
    ):
        for index in indexes or ():
            for each in index.key_attributes.attributes():
                types.setdefault(each.attribute_name, each.attribute_type)
            projection: dict[str, Any] = {"ProjectionType": index.projection.projection_type}
            if index.projection.non_key_attributes:
                projection["NonKeyAttributes"] = list(index.projection.non_key_attributes)
            request.setdefault(member, []).append(
                {
                    "IndexName": index.index_name,
                    "KeySchema": index.key_attributes.schema(),
                    "Projection": projection,
                    **(throughput if member == INDEX_MEMBERS[0] else {}),
                }
            )
    request["AttributeDefinitions"] = attribute_definitions(types)
    return TableDefinition(request=request, scaling=_scaling(table, settings))


def _scaling(table: _Table, settings: Mapping[str, Any]) -> AutoScaling | None:
    own = settings.get("AutoScalingWrite") or settings.get("AutoScalingRead")
    if table.billing_mode != PROVISIONED or not isinstance(own, dict):
        return None
    target = own.get("ScalableTargetRequest") or {}
    policy = own.get("ScalingPolicyConfiguration") or {}
    return msgspec.convert(
        {
            "units_min": target.get("MinCapacity", 1),
            "units_max": target.get("MaxCapacity", 10),
            "target_percent": policy.get("TargetValue", 70),
        },
        AutoScaling,
        strict=False,
    )


def _entities(table: _Table) -> Iterator[Entity]:
    """An entity for each facet, and one for the items that no facet has."""
    keys = [each.attribute_name for each in table.key_attributes.attributes()]
    types = {each.attribute_name: each.attribute_type for each in table.non_key_attributes or ()}
    known = {
        **types,
        **{each.attribute_name: each.attribute_type for each in table.key_attributes.attributes()},
    }
    listed: set[str] = set()
    for facet in table.table_facets or ():
        items = tuple(typed_item(item, known) for item in facet.table_data or ())
        listed |= {_key_text(item, keys) for item in items}
        names = facet.non_key_attributes or ()
        yield Entity(
            name=facet.facet_name,
            table=table.table_name,
            templates=dict(_aliases(facet, keys)),
            attributes={name: types.get(name, "S") for name in names},
            optional=_optional(names, items),
            samples=items,
        )
    items = tuple(typed_item(item, known) for item in table.table_data or ())
    rest = tuple(item for item in items if _key_text(item, keys) not in listed)
    if rest or not table.table_facets:
        attributes = {
            **types,
            **{name: kind for name, kind in types_in(rest).items() if name not in known},
        }
        yield Entity(
            name=table.table_name,
            table=table.table_name,
            attributes=attributes,
            optional=_optional(attributes, rest),
            samples=rest,
        )


def _aliases(facet: _Facet, keys: list[str]) -> Iterator[tuple[str, str]]:
    """The aliases of key attributes that are templates."""
    aliases = facet.key_attribute_alias or {}
    for name, member in zip(keys, ("PartitionKeyAlias", "SortKeyAlias"), strict=False):
        alias = aliases.get(member)
        if alias is not None and ("{" in alias or "#" in alias):
            yield name, alias


def _key_text(item: Item, keys: list[str]) -> str:
    return repr([item.get(name) for name in keys])


def _optional(names: Any, items: tuple[Item, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if items and any(name not in item for item in items))
