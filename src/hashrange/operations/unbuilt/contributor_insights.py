"""Reads of contributor insights, which are not built: they are disabled for all tables."""

from collections.abc import Iterable
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import (
    CONTRIBUTOR_INSIGHTS_PAGE_MAX,
    INDEX_NAME_CHARS_MAX,
    INDEX_NAME_CHARS_MIN,
)
from hashrange.messages import unbuilt as messages
from hashrange.model.table import Table
from hashrange.operations.pipeline.accesses import (
    Access,
    Resource,
    ResourceKind,
    on_tables_or_anything,
)
from hashrange.operations.pipeline.constraints import NAME_PATTERN
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.operations.tables.table_names import (
    TableReference,
    TableReferences,
    existing_table,
    existing_tables,
    no_such_table,
)
from hashrange.wire.constraints import between, length, matches, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.member_types import Integer
from hashrange.wire.rules import Form


class DescribeContributorInsights(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    index_name: str | None = None


class ListContributorInsights(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    next_token: str | None = None
    max_results: Integer | None = None


_DESCRIBE_ROWS: Final = rows(
    length("index_name", INDEX_NAME_CHARS_MIN, INDEX_NAME_CHARS_MAX),
    matches("index_name", NAME_PATTERN),
)
_LIST_ROWS: Final = rows(between("max_results", None, CONTRIBUTOR_INSIGHTS_PAGE_MAX))


class DescribeAnswer(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The answer to DescribeContributorInsights for insights that were never enabled."""

    table_name: str
    index_name: str | None = None
    contributor_insights_status: str


class ListAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListContributorInsights, which lists no disabled insights."""

    contributor_insights_summaries: tuple[()] = ()


class CheckedContributorInsights(msgspec.Struct, frozen=True):
    """A table, and an index that it may have."""

    table: TableReference
    index_name: str | None

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return self.table.table_names


def check_describe(request: DescribeContributorInsights) -> CheckedContributorInsights:
    """Refuse invalid names."""
    table = existing_table(request.table_name)
    check_constraints(request, _DESCRIBE_ROWS, Form.MODEL)
    return CheckedContributorInsights(table, request.index_name)


def accesses(checked: CheckedContributorInsights) -> Iterable[Access]:
    """DescribeContributorInsights on the table or the index."""
    kind: ResourceKind = "table" if checked.index_name is None else "index"
    resource = Resource(kind, checked.table.sent, checked.index_name)
    return (Access("DescribeContributorInsights", resource),)


def fit_describe(checked: CheckedContributorInsights, table: Table) -> DescribeAnswer:
    """The answer. Raises ResourceNotFoundException for an unknown or local index."""
    name, index_name = table.name, checked.index_name
    index = None if index_name is None else table.index(index_name)
    if index_name is not None and (index is None or index.is_local):
        text = messages.index_not_found(index_name, name)
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
    return DescribeAnswer(
        table_name=name, index_name=index_name, contributor_insights_status="DISABLED"
    )


def check_list(request: ListContributorInsights) -> TableReferences:
    """Refuse invalid members, and a token, since none is issued."""
    tables = existing_tables(request.table_name)
    check_constraints(request, _LIST_ROWS, Form.MODEL)
    if request.next_token is not None:
        raise invalid(messages.next_token_invalid(request.next_token))
    return tables


async def run_describe(answer: DescribeAnswer, _context: RequestContext) -> Outcome:
    """The answer of `fit_describe`."""
    return Outcome(answer)


async def run_list(_tables: TableReferences, _context: RequestContext) -> Outcome:
    """An empty list."""
    return Outcome(ListAnswer())


DESCRIBE_CONTRIBUTOR_INSIGHTS: Final = Operation(
    request=DescribeContributorInsights,
    check=check_describe,
    accesses=accesses,
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=no_such_table,
    fit=fit_describe,
    run=run_describe,
)
LIST_CONTRIBUTOR_INSIGHTS: Final = Operation(
    request=ListContributorInsights,
    check=check_list,
    accesses=on_tables_or_anything("ListContributorInsights"),
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=no_such_table,
    run=run_list,
)
