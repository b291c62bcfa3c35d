"""DescribeBackup, DeleteBackup and ListBackups."""

import re
from typing import Final

import msgspec

from hashrange.api.dynamodb.backups.descriptions import (
    DELETED,
    description,
    kind_of,
    status_of,
    summary,
)
from hashrange.api.dynamodb.definitions.table_names import (
    TableReferences,
    existing_tables,
    no_such_table,
)
from hashrange.api.steps.accesses import on_tables_or_anything
from hashrange.api.steps.jobs import JobArns, arns_of
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.backups import BACKUPS_PAGE_MAX
from hashrange.messages.tables import backups as messages
from hashrange.model.backup import Backup
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    BackupDescriptionAnswer,
    BackupSummary,
    DeleteBackup,
    DescribeBackup,
    ListBackups,
    ListBackupsAnswer,
)
from hashrange.model.times import iso_instant, nearest_ms
from hashrange.tables.jobs.backups import BACKUPS, delete_backup
from hashrange.wire.arns import table_name_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import LIST_BACKUPS_ROWS
from hashrange.wire.rules import Form

_ID: Final = re.compile(r"[0-9]{14}-[0-9A-Fa-f]{8}", re.ASCII)
_ALL: Final = "ALL"
_USER: Final = "USER"


class CheckedListBackups(msgspec.Struct, frozen=True):
    """A request whose members are valid.

    Attributes:
        request: as sent.
        tables: the table, if there is one.
        lower_ms: the earliest time of a backup, rounded as the service does; None for no bound.
        upper_ms: the earliest time after them.
    """

    request: ListBackups
    tables: TableReferences
    lower_ms: int | None
    upper_ms: int | None

    @property
    def table_names(self) -> tuple[str, ...]:
        """The name or ARN, as sent, if there is one."""
        return self.tables.table_names


def check_list(request: ListBackups) -> CheckedListBackups:
    """Refuse invalid members. The table need not exist, since backups outlive it."""
    tables = existing_tables(request.table_name)
    check_constraints(request, LIST_BACKUPS_ROWS, Form.MODEL)
    lower, upper = map(_rounded, (request.time_range_lower_bound, request.time_range_upper_bound))
    if lower is not None and upper is not None and lower > upper:
        raise invalid(messages.time_range_reversed())
    if request.exclusive_start_backup_arn is not None:
        ARNS.check(request.exclusive_start_backup_arn)
    return CheckedListBackups(request, tables, lower, upper)


def arn_invalid() -> DynamoError:
    """The ValidationException for an ARN that no backup of this service has."""
    return invalid(messages.backup_arn_invalid())


def _absent(arn: str) -> DynamoError:
    is_id = _ID.fullmatch(arn.rpartition("/")[2]) is not None
    return not_found(arn) if is_id else arn_invalid()


async def run_list(checked: CheckedListBackups, context: RequestContext) -> Outcome:
    """A page of backups in the order of their ARNs: by table, and by time."""
    request = checked.request
    await _check_start(request.exclusive_start_backup_arn, context)
    limit = BACKUPS_PAGE_MAX if request.limit is None else request.limit
    found: list[BackupSummary] = []
    names = list(map(table_name_of, checked.table_names))
    async for backup in BACKUPS.all(
        context.store.engine, arns_of(context.catalog), after=request.exclusive_start_backup_arn
    ):
        if not _is_listed(backup, names, checked):
            continue
        if len(found) == limit:
            return Outcome(ListBackupsAnswer(found, found[-1].backup_arn))
        found.append(summary(backup))
    return Outcome(ListBackupsAnswer(found))


async def _check_start(arn: str | None, context: RequestContext) -> None:
    """Refuse a start that is no place in the list; a backup that is not there is one.

    With shared namespaces the list has backups of any account and region.
    """
    if arn is None:
        return
    own = arn.partition("table/")[0] + "table/"
    if not context.catalog.prefix:
        async for _ in BACKUPS.all(context.store.engine, own):
            return
    error = ARNS.missing(arn, context, elsewhere=_start_elsewhere)
    if error.fault is not Fault.BACKUP_NOT_FOUND:
        raise error


def _start_elsewhere(_arn: str) -> DynamoError:
    return invalid(messages.start_elsewhere())


def _rounded(seconds: float | None) -> int | None:
    return None if seconds is None else nearest_ms(seconds)


def _is_listed(backup: Backup, names: list[str], checked: CheckedListBackups) -> bool:
    """Whether a list has a backup, of which one of the lower bound is listed."""
    lower, upper = checked.lower_ms, checked.upper_ms
    kind = checked.request.backup_type or _USER
    return (
        (not names or backup.table.name in names)
        and kind in {_ALL, kind_of(backup)}
        and (lower is None or lower <= backup.created_ms)
        and (upper is None or backup.created_ms < upper)
    )


async def run_describe(arn: str, context: RequestContext) -> Outcome:
    """Describe a backup. Raises BackupNotFoundException."""
    backup = await ARNS.found(arn, context)
    answer = BackupDescriptionAnswer(description(backup, status_of(backup), arn, context.choices))
    return Outcome(answer)


async def run_delete(arn: str, context: RequestContext) -> Outcome:
    """Delete a backup. Raises BackupNotFoundException, BackupInUseException."""

    def allow(backup: Backup) -> None:
        if backup.expires_ms is not None:
            raise invalid(messages.system_backup(arn, iso_instant(backup.expires_ms)))
        if backup.source is not None:
            raise DynamoError(Fault.BACKUP_IN_USE, messages.backup_being_made(arn))
        if backup.restoring is not None:
            raise DynamoError(Fault.BACKUP_IN_USE, messages.backup_restoring(arn))

    found = await ARNS.found(arn, context)
    deleted = await delete_backup(context.store.engine, found, allow)
    if deleted is None:
        raise ARNS.missing(arn, context)
    context.catalog.whole.on_drop("")  # its rows are deleted as those of a table
    return Outcome(BackupDescriptionAnswer(description(deleted, DELETED, arn, context.choices)))


def not_found(arn: str) -> DynamoError:
    """The BackupNotFoundException for an ARN."""
    return DynamoError(Fault.BACKUP_NOT_FOUND, messages.backup_not_found(arn))


ARNS: Final = JobArns(
    kind="backup",
    title="Backup",
    member="backup_arn",
    stored=BACKUPS,
    not_found=not_found,
    absent=_absent,
    wrong=arn_invalid,
)
LIST_BACKUPS: Final = Operation(
    facts=OPERATION_FACTS["ListBackups"],
    request=ListBackups,
    check=check_list,
    accesses=on_tables_or_anything("ListBackups"),
    not_found=no_such_table,
    run=run_list,
)
DESCRIBE_BACKUP: Final = ARNS.operation("DescribeBackup", DescribeBackup, run_describe)
DELETE_BACKUP: Final = ARNS.operation("DeleteBackup", DeleteBackup, run_delete)
