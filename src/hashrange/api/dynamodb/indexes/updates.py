"""GlobalSecondaryIndexUpdates: creates or deletes an index, changes the throughput of others."""

from collections.abc import Sequence
from typing import cast

import msgspec

from hashrange.api.dynamodb.definitions.on_demand_limits import check_limits
from hashrange.api.dynamodb.definitions.throughput import check_units
from hashrange.api.dynamodb.definitions.warm_throughput import asks_for_warm
from hashrange.api.dynamodb.indexes.definitions import (
    Definitions,
    check_index_quotas,
    check_projected,
    checked_global,
    checked_projection,
)
from hashrange.api.dynamodb.indexes.settings import index_switched, index_updated
from hashrange.api.dynamodb.indexes.vectors import created_vector, name_of, schema_attributes
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import GLOBAL_INDEXES_MAX
from hashrange.messages.tables import indexes as messages
from hashrange.messages.tables.throughput import warm_of_index_empty
from hashrange.messages.vectors import only_on_demand, vector_defined
from hashrange.model.structures.dynamodb import (
    AttributeDefinition,
    CreateGlobalSecondaryIndexAction,
    GlobalSecondaryIndexUpdate,
    UpdateGlobalSecondaryIndexAction,
    VectorIndexUpdate,
)
from hashrange.model.table import Index, KeyAttribute, Table
from hashrange.model.values import KeyType
from hashrange.tables.catalog.lifecycle import index_status_of


class IndexChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of a request to the indexes of a table.

    Attributes:
        updates: GlobalSecondaryIndexUpdates.
        vector_updates: VectorIndexUpdates.
        declared: AttributeDefinitions of the request.
        now_ms: the time of the request.
        table_units: the quota of a table or index.
        transient_ms: how long transient statuses are shown.
    """

    updates: Sequence[GlobalSecondaryIndexUpdate]
    declared: Sequence[AttributeDefinition] | None
    now_ms: int
    table_units: int
    transient_ms: int = 0
    vector_updates: Sequence[VectorIndexUpdate] = ()


def online_updates(updates: Sequence[GlobalSecondaryIndexUpdate] | None) -> int:
    """How many indexes are created or deleted."""
    return sum(update.update is None for update in updates or ())


def check_index_updates(
    updates: Sequence[GlobalSecondaryIndexUpdate], declared: Sequence[AttributeDefinition] | None
) -> None:
    """Refuse updates that are invalid for every table. Raises ValidationException.

    Of a new index that is its projection. Source: measured by users, 2026.
    """
    if not updates:
        raise invalid(messages.no_updates())
    names: set[str] = set()
    for update in updates:
        actions = [each for each in (update.update, update.create, update.delete) if each]
        if not actions:
            raise invalid(messages.no_update_kind())
        if len(actions) > 1:
            raise invalid(messages.two_kinds())
        name = str(actions[0].index_name)
        if name in names:
            raise invalid(messages.two_updates(name))
        names.add(name)
        if update.create is not None:
            if declared is None:
                raise invalid(messages.definitions_missing(name))
            checked_projection(update.create.projection)
        if update.update is not None:
            _check_update(update.update, name)


def _check_update(sent: UpdateGlobalSecondaryIndexAction, name: str) -> None:
    check_units(sent.provisioned_throughput, name)
    check_limits(sent.on_demand_throughput, name)
    if sent.warm_throughput is not None and not asks_for_warm(sent.warm_throughput):
        raise invalid(warm_of_index_empty(name))


def with_index_updates(before: Table, table: Table, changes: IndexChanges) -> Table:
    """The table with changed indexes. Pure.

    Args:
        before: the table before the request.
        table: the table with its new billing mode.
        changes: the changes of the indexes.

    Raises:
        DynamoError: ValidationException, ResourceNotFoundException or LimitExceededException.
    """
    if before.billing_mode != table.billing_mode:
        table = _switched(before, table, changes)
    if online_updates(changes.updates) + len(changes.vector_updates) > 1:
        raise DynamoError(Fault.LIMIT_EXCEEDED, messages.one_online_index())
    for update in changes.updates:
        if update.create is not None:
            table = _created(table, update.create, changes)
        elif update.delete is not None:
            table = _deleted(table, str(update.delete.index_name), changes)
        elif update.update is not None:
            index = _global_index(table, str(update.update.index_name), "update")
            updated = index_updated(
                index, table, update.update, now_ms=changes.now_ms, most=changes.table_units
            )
            table = _replaced(table, updated)
    for each in changes.vector_updates:
        table = _with_vector_update(table, each, changes)
    return _pruned(table)


def _switched(before: Table, table: Table, changes: IndexChanges) -> Table:
    """Give indexes the billing mode of their table; each needs units for PROVISIONED."""
    with_units = {
        update.update.index_name
        for update in changes.updates
        if update.update is not None and update.update.provisioned_throughput is not None
    }
    if table.vectors:
        raise invalid(only_on_demand())
    for index in table.indexes:
        if index.is_local:
            continue
        if table.billing_mode == "PROVISIONED" and index.name not in with_units:
            raise invalid(messages.throughput_of_switch_missing(index.name))
        table = _replaced(table, index_switched(index, before, changes.now_ms))
    return table


def _created(table: Table, sent: CreateGlobalSecondaryIndexAction, changes: IndexChanges) -> Table:
    stored = {attribute.name: attribute for attribute in table.attributes}
    declared = {each.name: each for each in _attributes(changes.declared)}
    _check_units_of_created(table, sent)
    definitions = Definitions(
        attributes=declared, keys=table.key_attributes, billing_mode=table.billing_mode
    )
    index = checked_global(sent, definitions, number=table.next_index)
    _check_types(table, index)
    for other in table.vectors:
        if other.vector is not None and other.vector.attribute in declared:
            raise invalid(vector_defined(other.vector.attribute))
    if any(each.name == index.name for each in table.all_indexes):
        raise invalid(messages.index_exists())
    _refuse_second(table, changes)
    if sum(not each.is_local for each in table.indexes) >= GLOBAL_INDEXES_MAX:
        raise DynamoError(Fault.LIMIT_EXCEEDED, messages.global_limit_exceeded(GLOBAL_INDEXES_MAX))
    check_projected((*table.all_indexes, index))
    check_index_quotas(sent, table.region, changes.table_units)
    index = msgspec.structs.replace(index, state="BUILDING", created_ms=changes.now_ms)
    # `_pruned` removes attributes that no key uses.
    return msgspec.structs.replace(
        table,
        indexes=(*table.indexes, index),
        next_index=table.next_index + 1,
        attributes=tuple({**declared, **stored}.values()),
    )


def _check_units_of_created(table: Table, sent: CreateGlobalSecondaryIndexAction) -> None:
    units, name = sent.provisioned_throughput, str(sent.index_name)
    if table.billing_mode == "PAY_PER_REQUEST" and units is not None:
        raise invalid(messages.units_on_demand(name))
    if table.billing_mode == "PROVISIONED" and units is None:
        raise invalid(messages.units_missing(name))


def _check_types(table: Table, index: Index) -> None:
    """Refuse a key attribute that another key has with another type."""
    new = _schema(index.partition, index.sort)
    schemas = [
        _schema((table.partition,), () if table.sort is None else (table.sort,)),
        *(_schema(other.partition, other.sort) for other in table.indexes),
    ]
    types = {name: kind for name, kind, _ in new}
    for schema in schemas:
        if any(types.get(name, kind) != kind for name, kind, _ in schema):
            raise invalid(messages.attributes_redefined(schema, new))


def _schema(
    partition: Sequence[KeyAttribute], sort: Sequence[KeyAttribute]
) -> list[tuple[str, str, str]]:
    """Name, type and role of each attribute of a key."""
    return [
        *((key.name, key.type, "HASH") for key in partition),
        *((key.name, key.type, "RANGE") for key in sort),
    ]


def _attributes(definitions: Sequence[AttributeDefinition] | None) -> list[KeyAttribute]:
    return [
        KeyAttribute(str(each.attribute_name), cast("KeyType", each.attribute_type))
        for each in definitions or ()
    ]


def _deleted(table: Table, name: str, changes: IndexChanges) -> Table:
    index = _global_index(table, name, "delete")
    if index.state == "ACTIVE":
        _refuse_second(table, changes)
    return _replaced(table, msgspec.structs.replace(index, state="DELETING"))


def _with_vector_update(table: Table, update: VectorIndexUpdate, changes: IndexChanges) -> Table:
    """The table with a new vector index, or without one. Raises as `with_index_updates`."""
    if update.create is None:
        index = table.vector_index(name_of(update))
        if index is None:
            text = messages.index_not_found(name_of(update), table.name)
            raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
        if index.state == "ACTIVE":
            _refuse_second(table, changes)
        return _replaced(table, msgspec.structs.replace(index, state="DELETING"))
    declared = {each.name: each for each in _attributes(changes.declared)}
    index = created_vector(table, update.create, declared)
    _refuse_second(table, changes)
    index = msgspec.structs.replace(index, state="BUILDING", created_ms=changes.now_ms)
    stored = {attribute.name: attribute for attribute in table.attributes}
    return msgspec.structs.replace(
        table,
        vectors=(*table.vectors, index),
        next_index=table.next_index + 1,
        attributes=tuple({**declared, **stored}.values()),
    )


def _refuse_second(table: Table, changes: IndexChanges) -> None:
    for index in table.all_indexes:
        status = index_status_of(index, changes.now_ms, changes.transient_ms)
        if status in {"CREATING", "DELETING"}:
            raise DynamoError(Fault.LIMIT_EXCEEDED, messages.one_online_index())


def _global_index(table: Table, name: str, doing: str) -> Index:
    index = table.index(name)
    if index is None:
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.index_not_found(name, table.name))
    if index.is_local:
        raise invalid(messages.not_global(doing, name))
    return index


def _replaced(table: Table, index: Index) -> Table:
    indexes, vectors = (
        tuple(index if each.number == index.number else each for each in kept)
        for kept in (table.indexes, table.vectors)
    )
    return msgspec.structs.replace(table, indexes=indexes, vectors=vectors)


def _pruned(table: Table) -> Table:
    """The table without definitions of attributes that no key uses any more."""
    used = {attribute.name for attribute in table.key_attributes}
    for index in table.all_indexes:
        if index.state != "DELETING":
            used |= {attribute.name for attribute in schema_attributes(index)}
    kept = tuple(attribute for attribute in table.attributes if attribute.name in used)
    return msgspec.structs.replace(table, attributes=kept)
