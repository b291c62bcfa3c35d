"""What has to wait: changes of indexes, and of tables whose indexes are being made or deleted.

Source: measured by users, October 2026.
"""

from collections.abc import Callable, Sequence

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import index_updates as messages
from hashrange.model.table import Index, Table
from hashrange.operations.indexes.updates import GlobalSecondaryIndexUpdate
from hashrange.tables.lifecycle import index_status_of, is_allocating


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What an UpdateTable asks for, as far as indexes are concerned.

    `units` are other units or another billing mode of the table, `limits` other maxima of it.
    """

    updates: Sequence[GlobalSecondaryIndexUpdate]
    units: bool
    limits: bool


def check_indexes_free(table: Table, asked: Asked, now_ms: int, transient_ms: int) -> None:
    """Raise ResourceInUseException for what has to wait until an index is what it will be."""
    for update in asked.updates:
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
        _check_table_free(table, asked, ("deleted", "deletion"), deleting)
    allocating = _names(table, lambda index: is_allocating(index, now_ms, transient_ms))
    if allocating:
        _check_table_free(table, asked, ("created", "creation"), allocating)


def _check_table_free(table: Table, asked: Asked, doing: tuple[str, str], indexes: str) -> None:
    if asked.units:
        raise _in_use(messages.units_during(doing[0], table.name, indexes))
    if asked.limits:
        raise _in_use(messages.limits_during(doing[1], indexes))


def _names(table: Table, meant: Callable[[Index], bool]) -> str:
    return ", ".join(index.name for index in table.indexes if meant(index))


def _in_use(text: str) -> DynamoError:
    return DynamoError(Fault.RESOURCE_IN_USE, text)
