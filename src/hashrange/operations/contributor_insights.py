"""Reads of contributor insights, which are not built: they are disabled for everything."""

from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import (
    CONTRIBUTOR_INSIGHTS_PAGE_MAX,
    INDEX_NAME_CHARS_MAX,
    INDEX_NAME_CHARS_MIN,
)
from hashrange.messages import absent as messages
from hashrange.operations.constraints import NAME_PATTERN
from hashrange.operations.descriptions import made_table
from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.operations.table_names import existing_table_name
from hashrange.tables.catalog import Catalog
from hashrange.wire.constraints import between, length, matches, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.rules import Form
from hashrange.wire.shapes import Integer


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
    """The answer to DescribeContributorInsights of what was never enabled."""

    table_name: str
    index_name: str | None = None
    contributor_insights_status: str


class ListAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListContributorInsights, which has no disabled ones."""

    contributor_insights_summaries: tuple[()] = ()


def check_describe(request: DescribeContributorInsights) -> tuple[str, str | None]:
    """See `TableOperation.check`. The names of the table and of the index."""
    name = existing_table_name(request.table_name)
    check_constraints(request, _DESCRIBE_ROWS, Form.MODEL)
    return name, request.index_name


def check_list(request: ListContributorInsights) -> str | None:
    """See `TableOperation.check`."""
    name = None if request.table_name is None else existing_table_name(request.table_name)
    check_constraints(request, _LIST_ROWS, Form.MODEL)
    if request.next_token is not None:
        raise invalid(messages.next_token_invalid(request.next_token))
    return name


async def run_describe(names: tuple[str, str | None], catalog: Catalog, moment: Moment) -> Outcome:
    """See `TableOperation.run`. Raises ResourceNotFoundException, for local indexes too."""
    name, index_name = names
    table = await made_table(catalog, name, moment)
    index = None if index_name is None else table.index(index_name)
    if index_name is not None and (index is None or index.is_local):
        text = messages.index_not_found(index_name, name)
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
    return Outcome(
        DescribeAnswer(
            table_name=name, index_name=index_name, contributor_insights_status="DISABLED"
        )
    )


async def run_list(name: str | None, catalog: Catalog, moment: Moment) -> Outcome:
    """See `TableOperation.run`. Raises ResourceNotFoundException."""
    if name is not None:
        await made_table(catalog, name, moment)
    return Outcome(ListAnswer())


DESCRIBE_CONTRIBUTOR_INSIGHTS: Final = TableOperation(
    request=DescribeContributorInsights, check=check_describe, run=run_describe
)
LIST_CONTRIBUTOR_INSIGHTS: Final = TableOperation(
    request=ListContributorInsights, check=check_list, run=run_list
)
