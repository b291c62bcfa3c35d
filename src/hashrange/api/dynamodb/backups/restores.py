"""RestoreTableFromBackup and RestoreTableToPointInTime.

The target is made in the region of the request; the source may be in another one of the account.
"""

import contextlib
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.api.dynamodb.backups.continuous_backups import restorable
from hashrange.api.dynamodb.backups.create_backup import table_not_found
from hashrange.api.dynamodb.backups.existing_backups import ARNS, not_found
from hashrange.api.dynamodb.backups.restored_tables import (
    Overrides,
    check_overrides,
    create_restored,
    target_accesses,
)
from hashrange.api.dynamodb.definitions.table_names import existing_table_name
from hashrange.api.dynamodb.tables.descriptions import NOTHING, describe
from hashrange.api.steps.accesses import Access, on_arn, on_view
from hashrange.api.steps.jobs import foreign_job
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.backups.tables.restoring import snapshot_for, with_snapshot_for
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import backups as messages
from hashrange.messages.tables.operations import name_required
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    RestoreAnswer,
    RestoreTableFromBackup,
    RestoreTableToPointInTime,
)
from hashrange.model.table import Table
from hashrange.model.table_features import Restore
from hashrange.model.times import iso_instant, nearest_ms
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.catalog.lifecycle import is_creating
from hashrange.tables.jobs.backups import BACKUPS
from hashrange.tables.keys.backup_keys import backup_key
from hashrange.tables.snapshots.snapshots import SnapshotLostError
from hashrange.wire.arns import owner_of, table_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import (
    RESTORE_TABLE_FROM_BACKUP_ROWS,
    RESTORE_TABLE_TO_POINT_IN_TIME_ROWS,
)
from hashrange.wire.rules import Form


class CheckedRestoreToTime(msgspec.Struct, frozen=True):
    """A request whose members are valid."""

    request: RestoreTableToPointInTime
    source: str
    """The name or ARN, as sent."""
    name: str


def check_backup(request: RestoreTableFromBackup) -> RestoreTableFromBackup:
    """Refuse invalid members."""
    check_constraints(request, RESTORE_TABLE_FROM_BACKUP_ROWS, Form.MODEL)
    ARNS.check(str(request.backup_arn))
    check_overrides(request)
    return request


def check_time(request: RestoreTableToPointInTime) -> CheckedRestoreToTime:
    """Refuse invalid members."""
    check_constraints(request, RESTORE_TABLE_TO_POINT_IN_TIME_ROWS, Form.MODEL)
    check_overrides(request)
    arn, name = request.source_table_arn, request.source_table_name
    if arn is not None and name is not None:
        raise invalid(messages.one_source())
    if arn is None and name is None:
        raise invalid(name_required())
    if arn is not None:
        name = _name_in(arn)
    if request.restore_date_time is not None and request.use_latest_restorable_time:
        raise invalid(messages.both_times())
    if request.restore_date_time is None and not request.use_latest_restorable_time:
        raise invalid(messages.no_time())
    return CheckedRestoreToTime(request, arn or str(name), existing_table_name(name))


def _name_in(arn: str) -> str:
    try:
        return table_of(arn).table
    except DynamoError as error:
        raise invalid(messages.source_arn_invalid()) from error


async def run_backup(request: RestoreTableFromBackup, context: RequestContext) -> Outcome:
    """Create the table; its items are restored in the background."""
    arn = str(request.backup_arn)
    catalog = _catalog_of_source(arn, request, context)
    if catalog is None:
        raise foreign_job()
    backup = await ARNS.found(arn, context, catalog)
    if backup.source is not None:
        raise DynamoError(Fault.BACKUP_IN_USE, messages.backup_being_made(arn))
    restore = Restore(
        source_arn=backup.table.arn,
        time_ms=backup.created_ms,
        backup_arn=backup.arn,
        items=backup.items,
    )
    extra = ExtraRows((backup_key(backup.arn),), _taken)
    table = await create_restored(request, backup.table, context, restore=restore, extra=extra)
    return _answer(table, context)


def _taken(values: Sequence[bytes | None], target: Table) -> dict[bytes, bytes]:
    """The backup, with the table that is restored from it."""
    assert target.restore is not None
    arn = str(target.restore.backup_arn)
    (value,) = values
    if value is None:
        raise not_found(arn)
    backup = BACKUPS.decode(value)
    if backup.restoring is not None:
        raise DynamoError(Fault.BACKUP_IN_USE, messages.backup_restoring_other(arn))
    return BACKUPS.row(msgspec.structs.replace(backup, restoring=target.name))


async def run_time(checked: CheckedRestoreToTime, context: RequestContext) -> Outcome:
    """Create the table; its items are restored in the background."""
    request = checked.request
    catalog = _catalog_of_source(checked.source, request, context)
    if catalog is None:
        raise invalid(messages.foreign_source())
    opened = await catalog.open(checked.name)
    if opened is None or is_creating(opened.table, context.now_ms, context.transient_ms):
        raise table_not_found(checked.name)
    source = opened.table
    window = await restorable(source, context)
    if window is None:
        text = messages.recovery_disabled(checked.name)
        raise DynamoError(Fault.RECOVERY_UNAVAILABLE, text)
    time_ms = window.latest_ms
    if request.restore_date_time is not None:
        time_ms = nearest_ms(request.restore_date_time)
        if not window.earliest_ms <= time_ms <= window.latest_ms:
            text = messages.time_outside(
                iso_instant(time_ms),
                iso_instant(window.earliest_ms),
                iso_instant(window.latest_ms),
                source.name,
            )
            raise DynamoError(Fault.INVALID_RESTORE_TIME, text)
    restore = Restore(
        source_arn=source.arn,
        time_ms=time_ms,
        source=catalog.prefix + source.name,
        source_number=source.number,
    )
    table = await create_restored(request, source, context, restore=restore)
    # From now on the source cannot be deleted. If it just was, the background drops the target.
    begin = partial(with_snapshot_for, snapshot_for(table, restore), context.now_ms)
    with contextlib.suppress(DynamoError, SnapshotLostError):
        await catalog.change(source.name, begin)
    return _answer(table, context)


def _catalog_of_source(
    name_or_arn: str, request: Overrides, context: RequestContext
) -> Catalog | None:
    """The catalog that has the source of a restore; None for the source of another account.

    Raises ValidationException: a source in another region needs SSESpecificationOverride. That is
    refused for ARNs of tables and backups that do not exist, too (measured by users, October 2026).
    """
    owner = owner_of(name_or_arn)
    if owner is None or not context.catalog.prefix:
        return context.catalog
    account, region = owner
    if account != context.caller.account:
        return None
    if region != context.caller.region and request.sse_specification_override is None:
        raise invalid(messages.encryption_needed())
    return context.catalog.whole.within(account, region)


def _answer(table: Table, context: RequestContext) -> Outcome:
    return Outcome(
        RestoreAnswer(
            describe(
                table,
                NOTHING,
                "CREATING",
                context.now_ms,
                master_key_id=context.choices.master_key_id,
            )
        )
    )


def backup_accesses(request: RestoreTableFromBackup) -> Iterable[Access]:
    """The action on the backup, and those on the target."""
    arn = str(request.backup_arn)
    return [*on_arn("RestoreTableFromBackup", "backup", arn), *target_accesses(request)]


def time_accesses(checked: CheckedRestoreToTime) -> Iterable[Access]:
    """The action on the source, and those on the target."""
    source = on_view("RestoreTableToPointInTime", checked.source, None)
    return [*source, *target_accesses(checked.request)]


RESTORE_FROM_BACKUP: Final = Operation(
    facts=OPERATION_FACTS["RestoreTableFromBackup"],
    request=RestoreTableFromBackup,
    check=check_backup,
    accesses=backup_accesses,
    across_regions=True,
    not_found=not_found,
    run=run_backup,
)
RESTORE_TO_POINT_IN_TIME: Final = Operation(
    facts=OPERATION_FACTS["RestoreTableToPointInTime"],
    request=RestoreTableToPointInTime,
    check=check_time,
    accesses=time_accesses,
    across_regions=True,
    not_found=table_not_found,
    run=run_time,
)
