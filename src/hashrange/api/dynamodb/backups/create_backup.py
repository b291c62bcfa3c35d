"""CreateBackup: notes the moment of the backup; a background task stores the items."""

from functools import partial
from typing import Final

import msgspec

from hashrange.api.dynamodb.backups.descriptions import CREATING, details
from hashrange.api.dynamodb.definitions.table_names import TableReference, existing_table
from hashrange.api.dynamodb.tables.in_use import fault_of_backups
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.backups.tables.making import NewBackup, begun, described
from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import backups as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import CreateBackup, CreateBackupAnswer
from hashrange.model.table import Table
from hashrange.tables.catalog.lifecycle import is_creating
from hashrange.tables.jobs.backups import new_number
from hashrange.wire.arns import table_name_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import CREATE_BACKUP_ROWS
from hashrange.wire.rules import Form

_UNIQUE_CHARS: Final = 8


class CheckedCreateBackup(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table: TableReference
    name: str

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return self.table.table_names


class BackupPlan(msgspec.Struct, frozen=True):
    """A backup to begin."""

    name: str
    table: Table


def check(request: CreateBackup) -> CheckedCreateBackup:
    """Refuse invalid members."""
    table = existing_table(request.table_name)
    check_constraints(request, CREATE_BACKUP_ROWS, Form.MODEL)
    return CheckedCreateBackup(table, str(request.backup_name))


def fit(checked: CheckedCreateBackup, table: Table) -> BackupPlan:
    """The plan; no table is refused."""
    return BackupPlan(checked.name, table)


async def run(plan: BackupPlan, context: RequestContext) -> Outcome:
    """Begin the backup.

    Raises TableNotFoundException: the table is CREATING, or has been deleted;
    ContinuousBackupsUnavailableException: it is being imported or restored.
    """
    engine, catalog, table = context.store.engine, context.catalog, plan.table
    if is_creating(table, context.now_ms, context.transient_ms):
        raise fault_of_backups(table)
    new = NewBackup(
        name=plan.name,
        unique=context.new_id[:_UNIQUE_CHARS],
        source=catalog.prefix + table.name,
        number=await new_number(engine),
        size=await catalog.size(table),
        now_ms=context.now_ms,
    )
    try:
        changed = await catalog.change(table.name, partial(begun, new), described(new))
    except DynamoError as error:
        raise table_not_found(table.name) from error
    return Outcome(CreateBackupAnswer(details(new.of(changed), CREATING)))


def table_not_found(name_or_arn: str) -> DynamoError:
    """The TableNotFoundException for a table."""
    return DynamoError(
        Fault.TABLE_NOT_FOUND, messages.backup_table_not_found(table_name_of(name_or_arn))
    )


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["CreateBackup"],
    request=CreateBackup,
    check=check,
    accesses=on_tables("CreateBackup"),
    tables=TableMode.DEFINITION,
    while_creating=True,
    not_found=table_not_found,
    fit=fit,
    run=run,
)
