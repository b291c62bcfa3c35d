"""ListContributorInsights: the tables and indexes whose insights are not DISABLED.

The list of all tables goes through tables and their global indexes, so a page may be empty although
another one follows, as on the service. The list of one table has no empty pages.
Source: measurements of the service by users, October 2026.

Source: measurements of the service by users, October 2026; Developer Guide, "CloudWatch contributor
insights for DynamoDB: how it works".
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from hashrange.api.dynamodb.definitions.table_names import existing_tables, no_such_table
from hashrange.api.steps.accesses import on_tables_or_anything
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.capacity.contributors import rules_by_name
from hashrange.errors import invalid
from hashrange.limits.tables import CONTRIBUTOR_INSIGHTS_PAGE_MAX
from hashrange.messages.tables.backups import next_token_invalid
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    InsightsSummary,
    ListContributorInsights,
    ListContributorInsightsAnswer,
)
from hashrange.model.table import Index, Table
from hashrange.model.table_features import InsightsSetting
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import LIST_CONTRIBUTOR_INSIGHTS_ROWS
from hashrange.wire.rules import Form

DISABLED: Final = "DISABLED"


def status_of(setting: InsightsSetting | None, now_ms: int, transient_ms: int) -> str:
    """The status; ENABLING and DISABLING are shown for `transient_ms`."""
    if setting is None:
        return DISABLED
    is_recent = setting.changed_ms <= now_ms < setting.changed_ms + transient_ms
    if setting.since_ms is None:
        return "DISABLING" if is_recent else DISABLED
    return "ENABLING" if is_recent else "ENABLED"


def setting_of(table: Table, index: Index | None) -> InsightsSetting | None:
    """The setting of a table, or of one of its indexes."""
    return table.insights if index is None else index.insights


def rule_names(table: Table, index: Index | None) -> list[str] | None:
    """The names of the rules; None while insights are disabled.

    A change of the mode keeps their time, which is that of the last enabling.
    """
    return list(rules_by_name(table, index)) or None


Place: TypeAlias = tuple[str, int]
"""A table, and the position of an entry: 0 is the table itself, then its global indexes."""


class CheckedList(msgspec.Struct, frozen=True):
    """The table of the request, if it names one, the size of a page, and where it begins."""

    table_names: tuple[str, ...]
    limit: int
    after: Place | None


class ListPlan(msgspec.Struct, frozen=True):
    """A checked request with its table; None for all tables."""

    checked: CheckedList
    table: Table | None


def check(request: ListContributorInsights) -> CheckedList:
    """Refuse invalid members, and a token that was not issued."""
    tables = existing_tables(request.table_name)
    check_constraints(request, LIST_CONTRIBUTOR_INSIGHTS_ROWS, Form.MODEL)
    token, limit = request.next_token, request.max_results
    after = None if token is None else _place_of(token)
    if limit is None or limit < 1:
        limit = CONTRIBUTOR_INSIGHTS_PAGE_MAX
    return CheckedList(tables.table_names, limit, after)


def fit(checked: CheckedList, *tables: Table) -> ListPlan:
    """The table of the request."""
    return ListPlan(checked, tables[0] if tables else None)


async def run(plan: ListPlan, context: RequestContext) -> Outcome:
    """List a page."""
    checked, table = plan.checked, plan.table
    if table is not None:
        entries = [each for each in _entries(table) if _summary(*each, context) is not None]
    else:
        entries = await _candidates(checked, context)
    after = checked.after
    if after is not None:
        entries = [each for each in entries if (each[0].name, _position(each)) > after]
    page, more = entries[: checked.limit], entries[checked.limit :]
    found = [_summary(*each, context) for each in page]
    summaries = [each for each in found if each is not None]
    token = _token((page[-1][0].name, _position(page[-1]))) if more else None
    return Outcome(ListContributorInsightsAnswer(summaries, token))


Entry: TypeAlias = tuple[Table, Index | None]


def _entries(table: Table) -> list[Entry]:
    """The table itself, then its global indexes."""
    return [(table, None), *((table, each) for each in table.indexes if not each.is_local)]


def _position(entry: Entry) -> int:
    return 0 if entry[1] is None else entry[1].number


async def _candidates(checked: CheckedList, context: RequestContext) -> list[Entry]:
    """The entries of as many tables as a page may need, and one more."""
    name = "" if checked.after is None else checked.after[0]
    tables = await context.catalog.page(name, checked.limit + 2, first=True)
    return [entry for table in tables for entry in _entries(table)]


def _summary(table: Table, index: Index | None, context: RequestContext) -> InsightsSummary | None:
    setting = setting_of(table, index)
    status = status_of(setting, context.now_ms, context.transient_ms)
    if setting is None or status == DISABLED:
        return None
    return InsightsSummary(
        table_name=table.name,
        index_name=None if index is None else index.name,
        contributor_insights_status=status,
        contributor_insights_mode=setting.mode,
    )


def _token(place: Place) -> str:
    return urlsafe_b64encode(msgspec.json.encode(place)).decode()


def _place_of(token: str) -> Place:
    try:
        return _decode(urlsafe_b64decode(token.encode()))
    except (ValueError, msgspec.MsgspecError) as error:
        raise invalid(next_token_invalid(token)) from error


_decode: Final[Callable[[bytes], Place]] = msgspec.json.Decoder(Place).decode

LIST_CONTRIBUTOR_INSIGHTS: Final = Operation(
    facts=OPERATION_FACTS["ListContributorInsights"],
    request=ListContributorInsights,
    check=check,
    accesses=on_tables_or_anything("ListContributorInsights"),
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=no_such_table,
    fit=fit,
    run=run,
)
