"""DeleteTable: drops the table from the catalog; a background task deletes its rows."""

from typing import Final

import msgspec

from hashrange.api.dynamodb.definitions.table_names import (
    TableReference,
    existing_table,
    no_such_table,
)
from hashrange.api.dynamodb.tables.descriptions import NOTHING, describe, refuse_deleting
from hashrange.api.dynamodb.tables.in_use import in_use, is_changing_stream
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.backups.tables.making import kept_at_deletion
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import operations as messages
from hashrange.messages.tables.backups import delete_during_backup
from hashrange.messages.tables.indexes import delete_during_index_creation
from hashrange.messages.tables.replicas import only_one_replica, protected
from hashrange.messages.tables.streams import delete_during
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import DeleteTable, DeleteTableAnswer
from hashrange.model.table import Table
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.catalog.lifecycle import (
    index_status_of,
    is_changing,
    is_encrypting,
    status_of,
)
from hashrange.tables.opened.reader import TableSize

_NOT_ANSWERED: Final = dict.fromkeys(
    (
        "attribute_definitions",
        "key_schema",
        "creation_date_time",
        "global_secondary_indexes",
        "local_secondary_indexes",
        "warm_throughput",
    )
)
"""Members of the description that DeleteTable does not answer.

Source: an answer of the service that another emulator recorded in October 2025.
"""


def check(request: DeleteTable) -> TableReference:
    """Refuse an invalid name."""
    return existing_table(request.table_name)


async def run(table: TableReference, context: RequestContext) -> Outcome:
    """Drop the table. Raises ResourceInUseException while it is being changed."""
    name, catalog = table.name, context.catalog
    now_ms, wait_ms = context.now_ms, context.transient_ms

    def allow(table: Table) -> None:
        status = status_of(table, now_ms, wait_ms)
        if status == "CREATING":
            raise in_use(table, messages.table_busy(name, "created"))
        if table.is_leaving:
            raise in_use(table, messages.table_busy(name, "deleted"))
        statuses = {index_status_of(index, now_ms, wait_ms) for index in table.all_indexes}
        if statuses - {"ACTIVE"}:
            raise in_use(table, delete_during_index_creation())
        if is_changing(table, now_ms, wait_ms) and is_changing_stream(table):
            raise in_use(table, delete_during())
        if status == "UPDATING" or is_encrypting(table, now_ms, wait_ms):
            raise in_use(table, messages.delete_during_update(name))
        if table.strong is not None:
            raise invalid(only_one_replica())
        if table.deletion_protection:
            is_replica = bool(replicas_of(table))
            text = protected(name, table.region) if is_replica else messages.protected()
            raise invalid(text)
        if any(reader.kind == "COPY" for reader in table.log.readers):
            raise DynamoError(Fault.RESOURCE_IN_USE, delete_during_backup(name))

    await refuse_deleting(catalog, name, context)
    dropped = await catalog.drop(
        name, context.now_ms, allow, kept_at_deletion(await _size(name, context), context.now_ms)
    )
    # Zeros, since the counters are deleted with the rows; the service answers zeros too.
    description = describe(
        dropped,
        NOTHING,
        "DELETING",
        context.now_ms,
        master_key_id=context.choices.master_key_id,
    )
    return Outcome(DeleteTableAnswer(msgspec.structs.replace(description, **_NOT_ANSWERED)))


async def _size(name: str, context: RequestContext) -> TableSize:
    """The size of the table, for a backup of it."""
    opened = await context.catalog.open(name)
    if opened is None or opened.table.recovery is None:
        return TableSize(0, 0)
    return await context.catalog.size(opened.table)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DeleteTable"],
    request=DeleteTable,
    check=check,
    accesses=on_tables("DeleteTable"),
    not_found=no_such_table,
    run=run,
)
