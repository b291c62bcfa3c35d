"""UpdateTimeToLive and DescribeTimeToLive.

Time to live is an index of the table in the order in which items expire; it is built and removed
like any other index.
"""

from functools import partial
from typing import Final

import msgspec

from hashrange.api.dynamodb.definitions.table_names import (
    TableReference,
    existing_table,
    no_such_table,
)
from hashrange.api.dynamodb.replicas.settings import change_settings, refuse_unreplicated
from hashrange.api.dynamodb.tables.in_use import fault_while_creating
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.errors import invalid
from hashrange.limits.tables import TIME_TO_LIVE_CHANGE_MS_MIN
from hashrange.messages.tables import operations as messages
from hashrange.messages.tables.replicas import with_expiry
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    DescribeTimeToLive,
    DescribeTimeToLiveAnswer,
    TimeToLiveDescription,
    TimeToLiveSpecification,
    UpdateTimeToLive,
    UpdateTimeToLiveAnswer,
)
from hashrange.model.table import Index, IndexState, KeyAttribute, Table
from hashrange.tables.catalog.catalog import not_found
from hashrange.tables.catalog.lifecycle import is_creating, status_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import UPDATE_TIME_TO_LIVE_ROWS
from hashrange.wire.rules import Form

_STATUSES: Final[dict[IndexState, str]] = {
    "BUILDING": "ENABLING",
    "ACTIVE": "ENABLED",
    "DELETING": "DISABLING",
}
_INDEX_NAME: Final = "(time to live)"
"""A name that no client can use."""


class CheckedTimeToLive(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table: TableReference
    specification: TimeToLiveSpecification
    enabled: bool
    attribute_name: str

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return self.table.table_names


def check_update(request: UpdateTimeToLive) -> CheckedTimeToLive:
    """Refuse invalid members."""
    table = existing_table(request.table_name)
    check_constraints(request, UPDATE_TIME_TO_LIVE_ROWS, Form.MODEL)
    specification = request.time_to_live_specification
    assert specification is not None
    assert specification.enabled is not None
    assert specification.attribute_name is not None
    return CheckedTimeToLive(
        table, specification, specification.enabled, specification.attribute_name
    )


async def run_update(checked: CheckedTimeToLive, context: RequestContext) -> Outcome:
    """Begin to build or remove the index of expiry."""
    change = partial(_changed, checked, context)
    await refuse_unreplicated(checked.table.name, context)
    await change_settings(checked.table.name, change, lambda _own, peer: change(peer), context)
    return Outcome(UpdateTimeToLiveAnswer(checked.specification))


def _changed(checked: CheckedTimeToLive, context: RequestContext, table: Table) -> Table:
    if is_creating(table, context.now_ms, context.transient_ms):
        if table.import_arn is not None:
            raise fault_while_creating(table)
        # Not known yet, for nearly as long as it is CREATING. Source: measured by users, 2026.
        raise not_found(checked.table.name)
    if table.strong is not None and checked.enabled:
        raise invalid(with_expiry())
    expiry = table.expiry
    _refuse_unless_new(checked, expiry)
    changed_ms = table.expiry_changed_ms
    # On the service a change takes half an hour, in which no other is accepted. Here it takes
    # none, but where the operator wants to see the service's waits.
    interval_ms = TIME_TO_LIVE_CHANGE_MS_MIN if context.transient_ms else 0
    if changed_ms is not None and context.now_ms - changed_ms < interval_ms:
        raise invalid(messages.changed_too_often())
    if expiry is not None:
        expiry = msgspec.structs.replace(expiry, state="DELETING")
        return msgspec.structs.replace(table, expiry=expiry, expiry_changed_ms=context.now_ms)
    expiry = Index(
        name=_INDEX_NAME,
        number=table.next_index,
        partition=(),
        sort=(KeyAttribute(checked.attribute_name, "N"),),
        projection="KEYS_ONLY",
        state="BUILDING",
        created_ms=context.now_ms,
    )
    return msgspec.structs.replace(
        table,
        expiry=expiry,
        next_index=table.next_index + 1,
        expiry_changed_ms=context.now_ms,
    )


def _refuse_unless_new(checked: CheckedTimeToLive, expiry: Index | None) -> None:
    if expiry is None:
        if not checked.enabled:
            raise invalid(messages.already_disabled())
        return
    current = expiry.sort[0].name
    if expiry.state == "DELETING":
        # It is being removed: it counts as disabled, but cannot be enabled yet.
        raise invalid(
            messages.changed_too_often() if checked.enabled else messages.already_disabled()
        )
    if current != checked.attribute_name:
        raise invalid(messages.other_attribute(current))
    if checked.enabled:
        raise invalid(messages.already_enabled())


def check_describe(request: DescribeTimeToLive) -> TableReference:
    """Refuse an invalid name."""
    return existing_table(request.table_name)


def fit_describe(_reference: TableReference, table: Table) -> Table:
    """The definition of the table."""
    return table


async def run_describe(table: Table, context: RequestContext) -> Outcome:
    """Describe the state of the index of expiry."""
    status = status_of(table, context.now_ms, context.transient_ms)
    if table.restore is not None:
        raise not_found(table.name)
    if status in {"CREATING", "DELETING"}:
        raise invalid(messages.described_too_early(status))
    return Outcome(DescribeTimeToLiveAnswer(described_expiry(table.expiry)))


def described_expiry(expiry: Index | None) -> TimeToLiveDescription:
    """The state of time to live; the index of expiry is None while it is disabled."""
    if expiry is None:
        return TimeToLiveDescription(time_to_live_status="DISABLED")
    return TimeToLiveDescription(
        time_to_live_status=_STATUSES[expiry.state], attribute_name=expiry.sort[0].name
    )


UPDATE_TIME_TO_LIVE: Final = Operation(
    facts=OPERATION_FACTS["UpdateTimeToLive"],
    request=UpdateTimeToLive,
    check=check_update,
    accesses=on_tables("UpdateTimeToLive"),
    not_found=no_such_table,
    run=run_update,
)
DESCRIBE_TIME_TO_LIVE: Final = Operation(
    facts=OPERATION_FACTS["DescribeTimeToLive"],
    request=DescribeTimeToLive,
    check=check_describe,
    accesses=on_tables("DescribeTimeToLive"),
    tables=TableMode.DEFINITION,
    while_creating=True,
    while_deleting=True,
    not_found=no_such_table,
    fit=fit_describe,
    run=run_describe,
)
