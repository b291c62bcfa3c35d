"""Faults of requests about tables that are CREATING.

A table that is being restored is not there yet, except for backups; one that is being imported is
there but in use, and so is here a new replica, of which nothing was measured.
Source: measured by users, September and October 2026.
"""

from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import backups
from hashrange.messages.tables.operations import table_busy
from hashrange.model.table import Table
from hashrange.tables.catalog.catalog import not_found


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
