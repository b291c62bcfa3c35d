"""DescribeContinuousBackups: they are not built, and reported as DISABLED.

DynamoDB reports ContinuousBackupsStatus ENABLED for every table, which would be wrong here.
"""

from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables.operations import backup_table_not_found
from hashrange.operations.pipeline.accesses import on_tables
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.operations.tables.table_names import TableReference, existing_table
from hashrange.wire.arns import table_name_of


class DescribeContinuousBackups(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None


class PointInTimeRecoveryDescription(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The status of point-in-time recovery; dates would be sent only if it were enabled."""

    point_in_time_recovery_status: str


class ContinuousBackupsDescription(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The status of continuous backups and of point-in-time recovery."""

    continuous_backups_status: str
    point_in_time_recovery_description: PointInTimeRecoveryDescription


class DescribeContinuousBackupsAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to DescribeContinuousBackups."""

    continuous_backups_description: ContinuousBackupsDescription


def check(request: DescribeContinuousBackups) -> TableReference:
    """Refuse an invalid name."""
    return existing_table(request.table_name)


def not_found(name_or_arn: str) -> DynamoError:
    """The TableNotFoundException for a table; also while it is CREATING (measured, 2026)."""
    return DynamoError(Fault.TABLE_NOT_FOUND, backup_table_not_found(table_name_of(name_or_arn)))


async def run(_table: TableReference, _context: RequestContext) -> Outcome:
    """Both statuses are DISABLED."""
    description = ContinuousBackupsDescription(
        continuous_backups_status="DISABLED",
        point_in_time_recovery_description=PointInTimeRecoveryDescription(
            point_in_time_recovery_status="DISABLED"
        ),
    )
    return Outcome(DescribeContinuousBackupsAnswer(description))


OPERATION: Final = Operation(
    request=DescribeContinuousBackups,
    check=check,
    accesses=on_tables("DescribeContinuousBackups"),
    tables=TableMode.DEFINITION,
    not_found=not_found,
    run=run,
)
