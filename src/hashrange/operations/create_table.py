"""CreateTable."""

from typing import Final, cast

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import KEY_ATTRIBUTES_MAX, TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages import tables as messages
from hashrange.model.table import BillingMode, KeyAttribute, Table, TableClass, Throughput
from hashrange.model.values import KeyType
from hashrange.operations.constraints import NAME_PATTERN
from hashrange.operations.descriptions import deleting_table, describe
from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.operations.table_constraints import (
    ATTRIBUTE_DEFINITION,
    KEY_SCHEMA_ELEMENT,
    TABLE_SETTINGS,
    TAG,
)
from hashrange.operations.table_names import new_table_name
from hashrange.operations.table_shapes import (
    AttributeDefinition,
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    TableDescription,
    Tag,
    Untyped,
    WarmThroughput,
    api_name,
)
from hashrange.operations.tags import checked_tags
from hashrange.operations.throughput import check_units, throughput_of
from hashrange.operations.unbuilt import refuse_encryption, refuse_stream, refuse_unbuilt
from hashrange.tables.catalog import Catalog
from hashrange.tables.reader import TableSize
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each, length, matches, required, rows
from hashrange.wire.rules import Form


class CreateTable(msgspec.Struct, frozen=True, kw_only=True, rename=api_name):
    """The request, as the client sent it."""

    attribute_definitions: list[AttributeDefinition] | None = None
    table_name: str | None = None
    key_schema: list[KeySchemaElement] | None = None
    local_secondary_indexes: list[LocalSecondaryIndex] | None = None
    global_secondary_indexes: list[GlobalSecondaryIndex] | None = None
    billing_mode: str | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    stream_specification: StreamSpecification | None = None
    sse_specification: SSESpecification | None = None
    tags: list[Tag] | None = None
    table_class: str | None = None
    deletion_protection_enabled: bool | None = None
    warm_throughput: WarmThroughput | None = None
    resource_policy: str | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    global_table_source_arn: str | None = None
    global_table_settings_replication_mode: str | None = None
    vector_indexes: list[Untyped] | None = None


_ROWS: Final = rows(
    required("attribute_definitions"),
    each("attribute_definitions", *ATTRIBUTE_DEFINITION),
    length("table_name", TABLE_NAME_CHARS_MIN, TABLE_NAME_CHARS_MAX),
    matches("table_name", NAME_PATTERN),
    required("key_schema"),
    length("key_schema", 1, KEY_ATTRIBUTES_MAX),
    each("key_schema", *KEY_SCHEMA_ELEMENT),
    *TABLE_SETTINGS,
    each("tags", *TAG),
)
_UNBUILT: Final = {
    "local_secondary_indexes": "LocalSecondaryIndexes",
    "global_secondary_indexes": "GlobalSecondaryIndexes",
    "warm_throughput": "WarmThroughput",
    "resource_policy": "ResourcePolicy",
    "on_demand_throughput": "OnDemandThroughput",
    "global_table_source_arn": "GlobalTableSourceArn",
    "global_table_settings_replication_mode": "GlobalTableSettingsReplicationMode",
    "vector_indexes": "VectorIndexes",
}


class Answer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer."""

    table_description: TableDescription


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What the new table will be, but for what is known only when it is made."""

    name: str
    attributes: tuple[KeyAttribute, ...]
    keys: tuple[KeyAttribute, ...]
    billing_mode: BillingMode
    throughput: Throughput
    table_class: TableClass | None
    deletion_protection: bool
    tags: dict[str, str]


def check(request: CreateTable) -> Checked:
    """See `TableOperation.check`."""
    name = new_table_name(request.table_name)
    request = msgspec.structs.replace(request, table_name=name)
    check_constraints(request, _ROWS, Form.MODEL)
    _refuse_empty_lists(request)
    refuse_unbuilt(request, _UNBUILT)
    refuse_stream(request.stream_specification)
    refuse_encryption(request.sse_specification)
    units = request.provisioned_throughput
    check_units(units)
    on_demand = request.billing_mode == "PAY_PER_REQUEST"
    if on_demand and units is not None:
        raise invalid(messages.units_on_demand())
    if not on_demand and units is None:
        raise invalid(messages.units_missing())
    attributes = _attributes(request.attribute_definitions or [])
    return Checked(
        name=name,
        attributes=tuple(attributes.values()),
        keys=_keys(request.key_schema or [], attributes),
        billing_mode="PAY_PER_REQUEST" if on_demand else "PROVISIONED",
        throughput=throughput_of(units),
        table_class=cast("TableClass | None", request.table_class),
        deletion_protection=request.deletion_protection_enabled is True,
        tags=checked_tags(request.tags or []),
    )


def _refuse_empty_lists(request: CreateTable) -> None:
    """A table without indexes has no list of them; global ones are told first."""
    if request.global_secondary_indexes == []:
        raise invalid(messages.no_indexes("GlobalSecondaryIndexes"))
    if request.local_secondary_indexes == []:
        raise invalid(messages.no_indexes("LocalSecondaryIndexes"))


def _attributes(definitions: list[AttributeDefinition]) -> dict[str, KeyAttribute]:
    found: dict[str, KeyAttribute] = {}
    for definition in definitions:
        name, kind = definition.attribute_name, definition.attribute_type
        assert name is not None
        if name in found:
            raise invalid(messages.attribute_defined_twice(name))
        found[name] = KeyAttribute(name, cast("KeyType", kind))
    return found


def _keys(
    schema: list[KeySchemaElement], attributes: dict[str, KeyAttribute]
) -> tuple[KeyAttribute, ...]:
    """The attributes of the key, partition key first."""
    if schema[0].key_type != "HASH":
        raise invalid(messages.first_key_is_not_hash())
    if len(schema) > 1 and schema[1].key_type != "RANGE":
        raise invalid(messages.second_key_is_not_range())
    names = [str(element.attribute_name) for element in schema]
    if len(set(names)) < len(names) or not all(name in attributes for name in names):
        raise invalid(messages.key_attribute_undefined())
    if len(attributes) != len(names):
        raise invalid(messages.attributes_do_not_match_keys())
    return tuple(attributes[name] for name in names)


async def run(checked: Checked, catalog: Catalog, moment: Moment) -> Outcome:
    """See `TableOperation.run`."""
    now_ms = moment.now_ms

    def draft(number: int) -> Table:
        on_demand = checked.billing_mode == "PAY_PER_REQUEST"
        return Table(
            number=number,
            id=moment.new_id,
            name=checked.name,
            account=moment.caller.account,
            region=moment.caller.region,
            created_ms=now_ms,
            attributes=checked.attributes,
            partition=checked.keys[0],
            sort=checked.keys[1] if len(checked.keys) > 1 else None,
            billing_mode=checked.billing_mode,
            throughput=checked.throughput,
            billing_switched_ms=now_ms if on_demand else None,
            table_class=checked.table_class,
            deletion_protection=checked.deletion_protection,
            tags=checked.tags,
        )

    if await deleting_table(catalog, checked.name, moment) is not None:
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.table_busy(checked.name, "deleted"))
    table = await catalog.create(draft, checked.name)
    return Outcome(Answer(describe(table, TableSize(0, 0), "CREATING", now_ms)))


OPERATION: Final = TableOperation(request=CreateTable, check=check, run=run)
