"""ListBackups and DescribeBackup: backups are not built, so there are none."""

from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import BACKUPS_PAGE_MAX, JOB_ARN_CHARS_MAX, JOB_ARN_CHARS_MIN
from hashrange.messages import unbuilt as messages
from hashrange.operations.pipeline.accesses import on_arn, on_tables_or_anything
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext
from hashrange.operations.tables.table_names import TableReferences, existing_tables, no_such_table
from hashrange.wire import enums
from hashrange.wire.arns import is_job_arn
from hashrange.wire.constraints import between, length, one_of, required, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.member_types import Integer, Timestamp
from hashrange.wire.rules import Form


class ListBackups(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    limit: Integer | None = None
    time_range_lower_bound: Timestamp | None = None
    time_range_upper_bound: Timestamp | None = None
    exclusive_start_backup_arn: str | None = None
    backup_type: str | None = None


class DescribeBackup(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    backup_arn: str | None = None


_LIST_ROWS: Final = rows(
    between("limit", 1, BACKUPS_PAGE_MAX),
    length("exclusive_start_backup_arn", JOB_ARN_CHARS_MIN, JOB_ARN_CHARS_MAX),
    one_of("backup_type", enums.BACKUP_TYPE_FILTER),
)
_DESCRIBE_ROWS: Final = rows(
    required("backup_arn"), length("backup_arn", JOB_ARN_CHARS_MIN, JOB_ARN_CHARS_MAX)
)


class ListAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListBackups."""

    backup_summaries: tuple[()] = ()


def check_list(request: ListBackups) -> TableReferences:
    """Refuse invalid members. The table need not exist, since backups outlive it."""
    tables = existing_tables(request.table_name)
    check_constraints(request, _LIST_ROWS, Form.MODEL)
    lower, upper = request.time_range_lower_bound, request.time_range_upper_bound
    if lower is not None and upper is not None and lower > upper:
        raise invalid(messages.time_range_reversed())
    if request.exclusive_start_backup_arn is not None:
        _check_arn(request.exclusive_start_backup_arn)
    return tables


def check_describe(request: DescribeBackup) -> str:
    """Refuse an invalid ARN."""
    check_constraints(request, _DESCRIBE_ROWS, Form.MODEL)
    arn = str(request.backup_arn)
    _check_arn(arn)
    return arn


def _check_arn(arn: str) -> None:
    if not is_job_arn(arn, "backup"):
        raise invalid(messages.invalid_job_arn("Backup"))


async def run_list(_checked: TableReferences, _context: RequestContext) -> Outcome:
    """An empty list."""
    return Outcome(ListAnswer())


async def run_describe(arn: str, _context: RequestContext) -> Outcome:
    """Raise BackupNotFoundException."""
    raise not_found(arn)


def not_found(arn: str) -> DynamoError:
    """The BackupNotFoundException for an ARN."""
    return DynamoError(Fault.BACKUP_NOT_FOUND, messages.backup_not_found(arn))


LIST_BACKUPS: Final = Operation(
    request=ListBackups,
    check=check_list,
    accesses=on_tables_or_anything("ListBackups"),
    not_found=no_such_table,
    run=run_list,
)
DESCRIBE_BACKUP: Final = Operation(
    request=DescribeBackup,
    check=check_describe,
    accesses=lambda arn: on_arn("DescribeBackup", "backup", arn),
    not_found=not_found,
    run=run_describe,
)
