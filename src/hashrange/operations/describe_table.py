"""DescribeTable."""

from typing import Final

import msgspec

from hashrange.operations.descriptions import describe, described_table, sizes_of
from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.operations.table_names import existing_table_name
from hashrange.operations.table_shapes import TableDescription
from hashrange.tables.catalog import Catalog
from hashrange.tables.lifecycle import status_of


class DescribeTable(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None


class Answer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer."""

    table: TableDescription


def check(request: DescribeTable) -> str:
    """See `TableOperation.check`."""
    return existing_table_name(request.table_name)


async def run(name: str, catalog: Catalog, moment: Moment) -> Outcome:
    """See `TableOperation.run`."""
    table = await described_table(catalog, name, moment)
    sizes = await sizes_of(catalog, table)
    status = status_of(table, moment.now_ms, moment.transient_ms)
    description = describe(table, sizes, status, moment.now_ms, transient_ms=moment.transient_ms)
    return Outcome(Answer(description))


OPERATION: Final = TableOperation(request=DescribeTable, check=check, run=run)
