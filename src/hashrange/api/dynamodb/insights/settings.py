"""UpdateContributorInsights and DescribeContributorInsights."""

from collections.abc import Callable, Iterable
from typing import Final, cast

import msgspec

from hashrange.api.dynamodb.definitions.table_names import (
    TableReference,
    existing_table,
    no_such_table,
)
from hashrange.api.dynamodb.insights.listing import rule_names, setting_of, status_of
from hashrange.api.steps.accesses import Access, Resource, ResourceKind
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import operations as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    DescribeContributorInsights,
    InsightsAnswer,
    UpdateContributorInsights,
)
from hashrange.model.table import Index, Table
from hashrange.model.table_features import DEFAULT_MODE, InsightsSetting, Mode
from hashrange.tables.catalog.lifecycle import status_of as table_status_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import (
    DESCRIBE_CONTRIBUTOR_INSIGHTS_ROWS,
    UPDATE_CONTRIBUTOR_INSIGHTS_ROWS,
)
from hashrange.wire.rules import Form


class CheckedInsights(msgspec.Struct, frozen=True):
    """A table, and an index that it may have; for a change its action and mode."""

    table: TableReference
    index_name: str | None
    enables: bool = False
    mode: Mode = DEFAULT_MODE

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return self.table.table_names


def check_describe(request: DescribeContributorInsights) -> CheckedInsights:
    """Refuse invalid names."""
    table = existing_table(request.table_name)
    check_constraints(request, DESCRIBE_CONTRIBUTOR_INSIGHTS_ROWS, Form.MODEL)
    return CheckedInsights(table, request.index_name)


def check_update(request: UpdateContributorInsights) -> CheckedInsights:
    """Refuse invalid names, and another action or mode."""
    table = existing_table(request.table_name)
    check_constraints(request, UPDATE_CONTRIBUTOR_INSIGHTS_ROWS, Form.MODEL)
    enables = request.contributor_insights_action == "ENABLE"
    mode = cast("Mode", request.contributor_insights_mode or DEFAULT_MODE)
    return CheckedInsights(table, request.index_name, enables, mode)


def _accesses(action: str) -> Callable[[CheckedInsights], Iterable[Access]]:
    """The action on the table or the index."""

    def accesses(checked: CheckedInsights) -> Iterable[Access]:
        kind: ResourceKind = "table" if checked.index_name is None else "index"
        return (Access(action, Resource(kind, checked.table.sent, checked.index_name)),)

    return accesses


def fit_describe(checked: CheckedInsights, table: Table) -> tuple[Table, Index | None]:
    """The table and its index. Raises ResourceNotFoundException for an unknown or local index."""
    return table, _index_of(checked, table)


def _index_of(checked: CheckedInsights, table: Table) -> Index | None:
    name = checked.index_name
    if name is None:
        return None
    index = table.index(name)
    if index is None or index.is_local:
        text = messages.index_not_found(name, table.name)
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
    return index


async def run_describe(plan: tuple[Table, Index | None], context: RequestContext) -> Outcome:
    """Describe the setting; without mode and time if there never was one."""
    table, index = plan
    setting = setting_of(table, index)
    answer = InsightsAnswer(
        table_name=table.name,
        index_name=None if index is None else index.name,
        contributor_insights_rule_list=rule_names(table, index),
        contributor_insights_status=status_of(setting, context.now_ms, context.transient_ms),
        last_update_date_time=None if setting is None else setting.changed_ms / 1000,
        contributor_insights_mode=None if setting is None else setting.mode,
    )
    return Outcome(answer)


async def run_update(checked: CheckedInsights, context: RequestContext) -> Outcome:
    """Change the setting; a request that changes nothing is answered with the present status."""
    now_ms, transient_ms, begins = context.now_ms, context.transient_ms, False

    def change(table: Table) -> Table:
        nonlocal begins
        after = _changed(checked, now_ms, transient_ms, table)
        begins = after is not table
        return after

    table = await context.catalog.change(checked.table.name, change)
    setting = setting_of(table, _index_of(checked, table))
    status = status_of(setting, now_ms, transient_ms)
    if begins:
        status = "ENABLING" if checked.enables else "DISABLING"
    answer = InsightsAnswer(
        table_name=table.name,
        index_name=checked.index_name,
        contributor_insights_status=status,
        contributor_insights_mode=None if setting is None else setting.mode,
    )
    return Outcome(answer)


def _changed(checked: CheckedInsights, now_ms: int, transient_ms: int, table: Table) -> Table:
    index = _index_of(checked, table)
    before = setting_of(table, index)
    if checked.enables:
        if table_status_of(table, now_ms, transient_ms) == "CREATING":
            raise invalid(messages.table_not_active())
        if index is not None and index.state == "BUILDING":
            raise invalid(messages.index_not_active())
    after = _setting(checked, before, now_ms)
    if after == before:
        return table
    if index is None:
        return msgspec.structs.replace(table, insights=after)
    return table.with_index(index, msgspec.structs.replace(index, insights=after))


def _setting(
    checked: CheckedInsights, before: InsightsSetting | None, now_ms: int
) -> InsightsSetting | None:
    """The setting after a request. Another mode keeps the rules of the keys that stay counted."""
    since_ms = None if before is None else before.since_ms
    if not checked.enables:
        if before is None or since_ms is None:
            return before
        return InsightsSetting(mode=before.mode, changed_ms=now_ms)
    if before is not None and since_ms is not None and before.mode == checked.mode:
        return before
    return InsightsSetting(
        mode=checked.mode, since_ms=now_ms if since_ms is None else since_ms, changed_ms=now_ms
    )


DESCRIBE_CONTRIBUTOR_INSIGHTS: Final = Operation(
    facts=OPERATION_FACTS["DescribeContributorInsights"],
    request=DescribeContributorInsights,
    check=check_describe,
    accesses=_accesses("DescribeContributorInsights"),
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=no_such_table,
    fit=fit_describe,
    run=run_describe,
)
UPDATE_CONTRIBUTOR_INSIGHTS: Final = Operation(
    facts=OPERATION_FACTS["UpdateContributorInsights"],
    request=UpdateContributorInsights,
    check=check_update,
    accesses=_accesses("UpdateContributorInsights"),
    not_found=no_such_table,
    run=run_update,
)
