"""Refusals of requests while a table is CREATING, or while another change of it goes on. Pure.

A table that is being restored is not there yet, except for backups; one that is being imported is
there but in use, and so is here a new replica, of which nothing was measured.
Source: measured by users, September and October 2026.
"""

from hashrange.api.dynamodb.indexes.settings import RequestedChanges
from hashrange.api.dynamodb.indexes.updates import online_updates
from hashrange.api.dynamodb.streams.specification import latest_stream_label
from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import backups
from hashrange.messages.tables import indexes as index_messages
from hashrange.messages.tables import operations as messages
from hashrange.messages.tables import streams as stream_messages
from hashrange.messages.tables.operations import table_busy
from hashrange.messages.tables.replicas import in_use as is_in_use
from hashrange.model.table import Table
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.catalog.catalog import not_found


def in_use(table: Table, text: str) -> DynamoError:
    """The ResourceInUseException of UpdateTable or DeleteTable; of global tables it says less."""
    return DynamoError(Fault.RESOURCE_IN_USE, is_in_use() if replicas_of(table) else text)


def in_use_text(
    table: Table, requested: RequestedChanges, *, names_class: bool, names_billing: bool
) -> str:
    """The text of a refused update, which depends on it and on the change that goes on.

    Args:
        table: as it is.
        requested: the changes.
        names_class: the request has a class.
        names_billing: it has a billing mode or units, whether they are others or not.
    """
    before = table.meanwhile
    if is_changing_stream(table):
        return _by_stream(table, requested, names_class=names_class, names_billing=names_billing)
    assert before is not None, "all other changes have it"
    if before.table_class != table.table_class:
        return _by_class(table, requested, names_class=names_class)
    return _by_units(table, requested, names_billing=names_billing)


def _by_units(table: Table, requested: RequestedChanges, *, names_billing: bool) -> str:
    if online_updates(requested.updates):
        return index_messages.during_units(table.name)
    if requested.limits:
        return messages.on_demand_during_billing()
    if names_billing:
        return messages.units_being_updated(table.name)
    if requested.stream:
        return stream_messages.during_units(table.name)
    return messages.table_busy(table.name, "updated")


def is_changing_stream(table: Table) -> bool:
    """Whether the last change that shows as UPDATING was one of the stream."""
    before = table.meanwhile
    return before is None or before.at_ms != table.changed_ms


def _by_stream(
    table: Table, requested: RequestedChanges, *, names_class: bool, names_billing: bool
) -> str:
    stream = str(latest_stream_label(table))
    operation = "DISABLE" if table.stream is None else "ENABLE"
    if requested.stream:
        return stream_messages.changing(table.name, stream, operation)
    if names_class:
        return stream_messages.class_during(table.name, stream, operation)
    if requested.limits:
        return stream_messages.limits_during()
    if names_billing:
        return stream_messages.units_during(table.name, stream, operation)
    return messages.table_busy(table.name, "updated")


def _by_class(table: Table, requested: RequestedChanges, *, names_class: bool) -> str:
    assert table.table_class is not None, "it has just been changed"
    if names_class:
        return messages.class_being_updated(table.name, table.table_class)
    if requested.limits:
        return messages.on_demand_during_class(table.table_class)
    if online_updates(requested.updates):
        return index_messages.during_class()
    if requested.stream:
        return stream_messages.during_class(table.name, table.table_class)
    return messages.table_busy(table.name, "updated")


def fault_while_creating(table: Table) -> DynamoError:
    """Of UpdateTable, and of UpdateTimeToLive while the table is imported."""
    if table.restore is not None and not table.restore.regions:
        return not_found(table.name)
    return DynamoError(Fault.RESOURCE_IN_USE, table_busy(table.name, "created"))


def is_known_to_backups(table: Table) -> bool:
    """Whether operations on backups know a table that is CREATING.

    They know a restored one some seconds after the request, which is here at once. CreateBackup of
    a restored one by analogy.
    """
    return table.import_arn is not None or table.restore is not None


def fault_of_backups(table: Table) -> DynamoError:
    """Of CreateBackup and UpdateContinuousBackups."""
    if not is_known_to_backups(table):
        return DynamoError(Fault.TABLE_NOT_FOUND, backups.backup_table_not_found(table.name))
    return DynamoError(Fault.BACKUPS_UNAVAILABLE, backups.backups_being_enabled(table.name))
