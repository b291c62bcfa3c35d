"""DescribeTimeToLive: time to live cannot be enabled yet, so it is disabled everywhere."""

from typing import Final

import msgspec

from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.operations.table_names import existing_table_name
from hashrange.tables.catalog import Catalog, not_found


class DescribeTimeToLive(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None


class TimeToLiveDescription(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Without AttributeName, which only an enabled one has."""

    time_to_live_status: str


class Answer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer."""

    time_to_live_description: TimeToLiveDescription


def check(request: DescribeTimeToLive) -> str:
    """See `TableOperation.check`."""
    return existing_table_name(request.table_name)


async def run(name: str, catalog: Catalog, _moment: Moment) -> Outcome:
    """See `TableOperation.run`."""
    if await catalog.open(name) is None:
        raise not_found(name)
    return Outcome(Answer(TimeToLiveDescription(time_to_live_status="DISABLED")))


OPERATION: Final = TableOperation(request=DescribeTimeToLive, check=check, run=run)
