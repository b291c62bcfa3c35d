"""Refuses changes of indexes and tables that must wait for another change of an index.

Source: measured by users, October 2026.
"""

from collections.abc import Callable, Sequence

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import indexes as messages
from hashrange.messages.tables import streams as stream_messages
from hashrange.model.structures.dynamodb import GlobalSecondaryIndexUpdate
from hashrange.model.table import Index, Table
from hashrange.tables.catalog.lifecycle import index_status_of, is_allocating


class RequestedChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of an UpdateTable that may have to wait for an index.

    `units`: the table's units or billing mode change. `limits`: its on-demand maxima change.
    `stream`: its stream is enabled or disabled.
    """

    updates: Sequence[GlobalSecondaryIndexUpdate]
    units: bool
    limits: bool
    stream: bool


def check_indexes_free(
    table: Table, requested: RequestedChanges, now_ms: int, transient_ms: int
) -> None:
    """Raise ResourceInUseException for changes that must wait until an index is ready or gone."""
    for update in requested.updates:
        action = update.update or update.create or update.delete
        assert action is not None, "checked without the table"
        index = table.index(str(action.index_name))
        if index is None or index.is_local:
            continue
        status = index_status_of(index, now_ms, transient_ms)
        if status == "DELETING":
            raise _in_use(messages.index_busy("deleted", table.name, index.name))
        if status == "CREATING" and update.create is not None:
            raise _in_use(messages.create_during_creation(table.name, index.name))
        if is_allocating(index, now_ms, transient_ms):
            wait = (
                messages.update_before_backfilling
                if update.delete is None
                else messages.delete_before_backfilling
            )
            raise _in_use(wait(table.name, index.name))
        if status == "UPDATING" and update.create is None:
            raise _in_use(messages.index_busy("updated", table.name, index.name))
    deleting = _names(table, lambda index: index.state == "DELETING")
    if deleting:
        _check_table_free(table, requested, ("deleted", "deletion"), deleting)
    allocating = _names(table, lambda index: is_allocating(index, now_ms, transient_ms))
    if allocating:
        _check_table_free(table, requested, ("created", "creation"), allocating)
        if requested.stream:
            raise _in_use(stream_messages.during_index(table.name, allocating))


def _check_table_free(
    table: Table, requested: RequestedChanges, doing: tuple[str, str], indexes: str
) -> None:
    if requested.units:
        raise _in_use(messages.units_during(doing[0], table.name, indexes))
    if requested.limits:
        raise _in_use(messages.limits_during(doing[1], indexes))


def _names(table: Table, predicate: Callable[[Index], bool]) -> str:
    return ", ".join(index.name for index in table.indexes if predicate(index))


def _in_use(text: str) -> DynamoError:
    return DynamoError(Fault.RESOURCE_IN_USE, text)
