"""DescribeKinesisStreamingDestination: such destinations are not built, so no table has one."""

from typing import Final

import msgspec

from hashrange.operations.descriptions import made_table
from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.operations.table_names import existing_table_name
from hashrange.tables.catalog import Catalog


class DescribeKinesisStreamingDestination(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal"
):
    """The request, as the client sent it."""

    table_name: str | None = None


class Answer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer."""

    table_name: str
    kinesis_data_stream_destinations: tuple[()] = ()


def check(request: DescribeKinesisStreamingDestination) -> str:
    """See `TableOperation.check`."""
    return existing_table_name(request.table_name)


async def run(name: str, catalog: Catalog, moment: Moment) -> Outcome:
    """See `TableOperation.run`. Raises ResourceNotFoundException."""
    await made_table(catalog, name, moment)
    return Outcome(Answer(name))


OPERATION: Final = TableOperation(request=DescribeKinesisStreamingDestination, check=check, run=run)
