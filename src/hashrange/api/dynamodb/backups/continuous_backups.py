"""DescribeContinuousBackups and UpdateContinuousBackups: point-in-time recovery.

While it is enabled, the history of the table is kept: the records of its change log, with both
images of each item. Each state within the period can be restored from the present one and them.

Source: API reference; measured by users, October 2026.
"""

from functools import partial
from typing import Final

import msgspec

from hashrange.api.dynamodb.backups.create_backup import table_not_found
from hashrange.api.dynamodb.definitions.table_names import TableReference, existing_table
from hashrange.api.dynamodb.tables.in_use import fault_of_backups, is_known_to_backups
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.errors import DynamoError, invalid
from hashrange.limits.backups import RECOVERY_DAYS_MAX
from hashrange.messages.tables import backups as messages
from hashrange.model.log import LogReader
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    ContinuousBackupsAnswer,
    ContinuousBackupsDescription,
    DescribeContinuousBackups,
    PointInTimeRecoveryDescription,
    UpdateContinuousBackups,
)
from hashrange.model.table import Recovery, Table
from hashrange.tables.catalog.lifecycle import is_creating
from hashrange.tables.log.shards import with_reader, without_reader
from hashrange.tables.snapshots.snapshots import newest_stamp
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import UPDATE_CONTINUOUS_BACKUPS_ROWS
from hashrange.wire.rules import Form

_READER: Final = "recovery"
_DAY_MS: Final = 24 * 60 * 60 * 1000
_LATENCY_MS: Final = 5 * 60 * 1000
"""How far the latest restorable time is behind, where the service's waits are shown."""


class CheckedUpdate(msgspec.Struct, frozen=True):
    """A request whose members are valid; `days` is None for those that are set, or the default."""

    table: TableReference
    enabled: bool
    days: int | None

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return self.table.table_names


class UpdatePlan(msgspec.Struct, frozen=True):
    """The table to change, and for how many days its states are to be restorable."""

    table: Table
    enabled: bool
    days: int | None


class Window(msgspec.Struct, frozen=True):
    """The times whose state can be restored, in milliseconds since the epoch.

    Attributes:
        earliest_ms: the first.
        latest_ms: the last.
        until_ms: behind all changes: now, unless the clock was set back.
    """

    earliest_ms: int
    latest_ms: int
    until_ms: int


async def restorable(table: Table, context: RequestContext) -> Window | None:
    """The times whose state can be restored; None if recovery is disabled.

    The latest is that of the newest record if the clock was set back behind it: stamps do not go
    back, so that all that was acknowledged is in that state.
    """
    recovery = table.recovery
    if recovery is None:
        return None
    now_ms = await context.store.stamp_ms()
    newest_ms = await newest_stamp(context.store.engine, table, now_ms)
    latest_ms = max(now_ms, newest_ms) - (_LATENCY_MS if context.transient_ms else 0)
    earliest_ms = max(recovery.since_ms, now_ms - recovery.days * _DAY_MS)
    return Window(earliest_ms, max(earliest_ms, latest_ms), max(now_ms, newest_ms + 1))


def check_describe(request: DescribeContinuousBackups) -> TableReference:
    """Refuse an invalid name."""
    return existing_table(request.table_name)


def check_update(request: UpdateContinuousBackups) -> CheckedUpdate:
    """Refuse invalid members."""
    table = existing_table(request.table_name)
    check_constraints(request, UPDATE_CONTINUOUS_BACKUPS_ROWS, Form.MODEL)
    specification = request.point_in_time_recovery_specification
    assert specification is not None
    days = specification.recovery_period_in_days
    if not specification.point_in_time_recovery_enabled:
        if days is not None:
            raise invalid(messages.days_without_recovery())
        return CheckedUpdate(table, enabled=False, days=None)
    return CheckedUpdate(table, enabled=True, days=days)


def fit_describe(_reference: TableReference, table: Table) -> Table:
    """The definition of the table."""
    return table


def fit_update(checked: CheckedUpdate, table: Table) -> UpdatePlan:
    """The plan; no table is refused."""
    return UpdatePlan(table, enabled=checked.enabled, days=checked.days)


async def run_describe(table: Table, context: RequestContext) -> Outcome:
    """Describe the status.

    Raises TableNotFoundException: the table is CREATING, and neither imported nor restored.
    """
    if is_creating(table, context.now_ms, context.transient_ms):
        if not is_known_to_backups(table):
            raise fault_of_backups(table)
        disabled = PointInTimeRecoveryDescription(point_in_time_recovery_status="DISABLED")
        return _described(disabled, status="DISABLED")
    return await _answer(table, context)


async def run_update(plan: UpdatePlan, context: RequestContext) -> Outcome:
    """Enable, change or disable recovery.

    Raises TableNotFoundException; ContinuousBackupsUnavailableException: the table is imported or
    restored.
    """
    if is_creating(plan.table, context.now_ms, context.transient_ms):
        raise fault_of_backups(plan.table)
    stamp_ms = context.store.stamp_ms
    change = partial(_changed, plan, context.choices.stream_shards, await stamp_ms())
    try:
        table = await context.catalog.change(plan.table.name, change)
        if table.recovery is not None and plan.table.recovery is None:
            # Until the change was committed, writes without records may have been committed.
            begin = partial(_begun, table.recovery, await stamp_ms())
            table = await context.catalog.change(plan.table.name, begin)
    except DynamoError as error:
        raise table_not_found(plan.table.name) from error
    return await _answer(table, context)


def _begun(recovery: Recovery, now_ms: int, table: Table) -> Table:
    """The table with a history that begins now, unless recovery was changed again."""
    if table.recovery != recovery:
        return table
    begun = msgspec.structs.replace(recovery, since_ms=max(recovery.since_ms, now_ms))
    return msgspec.structs.replace(table, recovery=begun)


def _changed(plan: UpdatePlan, stream_shards: int, now_ms: int, table: Table) -> Table:
    recovery = table.recovery
    if not plan.enabled:
        if recovery is None:
            return table
        table = without_reader(table, _READER, now_ms)
        return msgspec.structs.replace(table, recovery=None)
    days = plan.days or (RECOVERY_DAYS_MAX if recovery is None else recovery.days)
    if recovery is not None and recovery.days == days:
        return table
    # A longer period begins with what is kept now; re-enabling begins anew.
    since_ms = now_ms
    if recovery is not None:
        since_ms = max(recovery.since_ms, now_ms - recovery.days * _DAY_MS)
    kept = LogReader(
        name=_READER,
        kind="RECOVERY",
        first_shard=_first_shard(table),
        retention_ms=days * _DAY_MS,
    )
    table = without_reader(table, _READER, now_ms) if recovery is None else _without(table)
    table = with_reader(table, kept, stream_shards, now_ms)
    return msgspec.structs.replace(table, recovery=Recovery(since_ms=since_ms, days=days))


def _first_shard(table: Table) -> int:
    """The first shard that recovery needs already; 0 if there is none."""
    return next((each.first_shard for each in table.log.readers if each.name == _READER), 0)


def _without(table: Table) -> Table:
    """The table without the reader, whose shards stay open for the one that takes its place."""
    readers = tuple(each for each in table.log.readers if each.name != _READER)
    return msgspec.structs.replace(table, log=msgspec.structs.replace(table.log, readers=readers))


async def _answer(table: Table, context: RequestContext) -> Outcome:
    window = await restorable(table, context)
    if window is None or table.recovery is None:
        described = PointInTimeRecoveryDescription(point_in_time_recovery_status="DISABLED")
    else:
        described = PointInTimeRecoveryDescription(
            point_in_time_recovery_status="ENABLED",
            recovery_period_in_days=table.recovery.days,
            earliest_restorable_date_time=window.earliest_ms / 1000,
            latest_restorable_date_time=window.latest_ms / 1000,
        )
    return _described(described)


def _described(described: PointInTimeRecoveryDescription, status: str = "ENABLED") -> Outcome:
    answer = ContinuousBackupsDescription(
        continuous_backups_status=status, point_in_time_recovery_description=described
    )
    return Outcome(ContinuousBackupsAnswer(answer))


DESCRIBE_CONTINUOUS_BACKUPS: Final = Operation(
    facts=OPERATION_FACTS["DescribeContinuousBackups"],
    request=DescribeContinuousBackups,
    check=check_describe,
    accesses=on_tables("DescribeContinuousBackups"),
    tables=TableMode.DEFINITION,
    while_creating=True,
    not_found=table_not_found,
    fit=fit_describe,
    run=run_describe,
)
UPDATE_CONTINUOUS_BACKUPS: Final = Operation(
    facts=OPERATION_FACTS["UpdateContinuousBackups"],
    request=UpdateContinuousBackups,
    check=check_update,
    accesses=on_tables("UpdateContinuousBackups"),
    tables=TableMode.DEFINITION,
    while_creating=True,
    not_found=table_not_found,
    fit=fit_update,
    run=run_update,
)
