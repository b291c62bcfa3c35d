"""GlobalSecondaryIndexUpdates: one index made, one deleted, or throughput changed."""

from collections.abc import Sequence
from typing import Final, cast

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import (
    GLOBAL_INDEXES_MAX,
    INDEX_NAME_CHARS_MAX,
    INDEX_NAME_CHARS_MIN,
)
from hashrange.messages import indexes as messages
from hashrange.model.table import Index, KeyAttribute, Table, Throughput
from hashrange.model.values import KeyType
from hashrange.operations.constraints import NAME_PATTERN
from hashrange.operations.index_definitions import (
    GLOBAL_INDEX,
    UNBUILT,
    UNITS,
    Definitions,
    checked_global,
)
from hashrange.operations.table_shapes import (
    AttributeDefinition,
    GlobalSecondaryIndex,
    OnDemandThroughput,
    ProvisionedThroughput,
    WarmThroughput,
)
from hashrange.operations.throughput import throughput_of
from hashrange.operations.unbuilt import refuse_unbuilt
from hashrange.wire.constraints import each, inside, length, matches, required


class UpdateGlobalSecondaryIndexAction(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Other throughput of an index."""

    index_name: str | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class DeleteGlobalSecondaryIndexAction(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """An index that goes."""

    index_name: str | None = None


class GlobalSecondaryIndexUpdate(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """One of the three."""

    update: UpdateGlobalSecondaryIndexAction | None = None
    create: GlobalSecondaryIndex | None = None
    delete: DeleteGlobalSecondaryIndexAction | None = None


_NAME: Final = (
    required("index_name"),
    length("index_name", INDEX_NAME_CHARS_MIN, INDEX_NAME_CHARS_MAX),
    matches("index_name", NAME_PATTERN),
)
INDEX_UPDATES: Final = each(
    "global_secondary_index_updates",
    inside("update", *_NAME, UNITS),
    inside("create", *GLOBAL_INDEX),
    inside("delete", *_NAME),
)
"""Constraints of the model."""


def check_index_updates(updates: Sequence[GlobalSecondaryIndexUpdate]) -> None:
    """What can be refused without the table. Raises ValidationException, LimitExceededException."""
    if not updates:
        raise invalid(messages.no_global_indexes())
    names: set[str] = set()
    online = 0
    for update in updates:
        action = update.update or update.create or update.delete
        if action is None:
            raise invalid(messages.no_update_kind())
        name = str(action.index_name)
        if name in names:
            raise invalid(messages.two_updates(name))
        names.add(name)
        online += update.update is None
    if online > 1:
        raise DynamoError(Fault.LIMIT_EXCEEDED, messages.one_online_index())


def with_index_updates(
    table: Table,
    updates: Sequence[GlobalSecondaryIndexUpdate],
    declared: Sequence[KeyAttribute],
    now_ms: int,
) -> Table:
    """The table after the updates. Pure; `declared` are the definitions of the request.

    Raises ValidationException, ResourceNotFoundException, LimitExceededException.
    """
    for update in updates:
        if update.create is not None:
            table = _created(table, update.create, declared, now_ms)
        elif update.delete is not None:
            table = _deleted(table, str(update.delete.index_name))
        elif update.update is not None:
            table = _throughput_changed(table, update.update)
    return _pruned(table)


def declared_attributes(
    definitions: Sequence[AttributeDefinition] | None,
) -> tuple[KeyAttribute, ...]:
    """The definitions of a request."""
    return tuple(
        KeyAttribute(str(each.attribute_name), cast("KeyType", each.attribute_type))
        for each in definitions or ()
    )


def with_index_billing(
    before: Table, table: Table, updates: Sequence[GlobalSecondaryIndexUpdate]
) -> Table:
    """Indexes follow the billing mode of their table. Pure.

    Raises ValidationException: a switch to PROVISIONED leaves an index without throughput.
    """
    if before.billing_mode == table.billing_mode:
        return table
    if table.billing_mode == "PAY_PER_REQUEST":
        none = tuple(
            msgspec.structs.replace(index, throughput=Throughput()) for index in table.indexes
        )
        return msgspec.structs.replace(table, indexes=none)
    given = {update.update.index_name for update in updates if update.update is not None}
    for index in table.indexes:
        if not index.is_local and index.state != "DELETING" and index.name not in given:
            raise invalid(messages.throughput_missing(index.name))
    return table


def _created(
    table: Table, sent: GlobalSecondaryIndex, declared: Sequence[KeyAttribute], now_ms: int
) -> Table:
    # An attribute that is defined again keeps the type that it has.
    stored = {attribute.name: attribute for attribute in table.attributes}
    known = {each.name: stored.get(each.name, each) for each in declared}
    definitions = Definitions(
        attributes=known,
        keys=table.key_attributes,
        on_demand=table.billing_mode == "PAY_PER_REQUEST",
    )
    index = checked_global(sent, definitions, number=table.next_index)
    if table.index(index.name) is not None:
        raise invalid(messages.index_exists(index.name))
    _refuse_second(table)
    if sum(not each.is_local for each in table.indexes) >= GLOBAL_INDEXES_MAX:
        raise invalid(messages.too_many_global(GLOBAL_INDEXES_MAX))
    index = msgspec.structs.replace(index, state="BUILDING", created_ms=now_ms)
    return msgspec.structs.replace(
        table,
        indexes=(*table.indexes, index),
        next_index=table.next_index + 1,
        attributes=tuple({**stored, **known}.values()),
    )


def _deleted(table: Table, name: str) -> Table:
    index = _global_index(table, name)
    if index.state == "DELETING":
        raise DynamoError(Fault.LIMIT_EXCEEDED, messages.one_online_index())
    if index.state == "ACTIVE":
        _refuse_second(table)
    return _replaced(table, msgspec.structs.replace(index, state="DELETING"))


def _throughput_changed(table: Table, sent: UpdateGlobalSecondaryIndexAction) -> Table:
    refuse_unbuilt(sent, UNBUILT)
    index = _global_index(table, str(sent.index_name))
    if sent.provisioned_throughput is None:
        return table
    if table.billing_mode == "PAY_PER_REQUEST":
        raise invalid(messages.throughput_of_on_demand())
    throughput = throughput_of(sent.provisioned_throughput)
    return _replaced(table, msgspec.structs.replace(index, throughput=throughput))


def _refuse_second(table: Table) -> None:
    if any(index.state != "ACTIVE" for index in table.indexes):
        raise DynamoError(Fault.LIMIT_EXCEEDED, messages.one_online_index())


def _global_index(table: Table, name: str) -> Index:
    index = table.index(name)
    if index is None or index.is_local:
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.index_not_found(name, table.name))
    return index


def _replaced(table: Table, index: Index) -> Table:
    indexes = tuple(index if each.number == index.number else each for each in table.indexes)
    return msgspec.structs.replace(table, indexes=indexes)


def _pruned(table: Table) -> Table:
    """Definitions that no key uses any more go."""
    used = {attribute.name for attribute in table.key_attributes}
    for index in table.indexes:
        if index.state != "DELETING":
            used |= {attribute.name for attribute in index.key_attributes}
    kept = tuple(attribute for attribute in table.attributes if attribute.name in used)
    return msgspec.structs.replace(table, attributes=kept)
