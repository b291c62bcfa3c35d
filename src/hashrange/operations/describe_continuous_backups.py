"""DescribeContinuousBackups: there are none yet, and it says so.

DynamoDB reports ContinuousBackupsStatus ENABLED for every table; here that would promise what is
not done.
"""

from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import backup_table_not_found
from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.operations.table_names import existing_table_name
from hashrange.tables.catalog import Catalog
from hashrange.tables.lifecycle import status_of


class DescribeContinuousBackups(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None


class PointInTimeRecoveryDescription(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Without dates, which only an enabled one has."""

    point_in_time_recovery_status: str


class ContinuousBackupsDescription(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Both statuses."""

    continuous_backups_status: str
    point_in_time_recovery_description: PointInTimeRecoveryDescription


class Answer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer."""

    continuous_backups_description: ContinuousBackupsDescription


def check(request: DescribeContinuousBackups) -> str:
    """See `TableOperation.check`."""
    return existing_table_name(request.table_name)


async def run(name: str, catalog: Catalog, moment: Moment) -> Outcome:
    """See `TableOperation.run`. Backups do not know a table that is CREATING (measured, 2026)."""
    opened = await catalog.open(name)
    if opened is None or status_of(opened.table, moment.now_ms, moment.transient_ms) == "CREATING":
        raise DynamoError(Fault.TABLE_NOT_FOUND, backup_table_not_found(name))
    description = ContinuousBackupsDescription(
        continuous_backups_status="DISABLED",
        point_in_time_recovery_description=PointInTimeRecoveryDescription(
            point_in_time_recovery_status="DISABLED"
        ),
    )
    return Outcome(Answer(description))


OPERATION: Final = TableOperation(request=DescribeContinuousBackups, check=check, run=run)
