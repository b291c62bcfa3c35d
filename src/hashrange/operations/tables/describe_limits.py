"""DescribeLimits: the default quotas of the service; those of a table are enforced here."""

from typing import Final

import msgspec

from hashrange.limits.capacity import ACCOUNT_CAPACITY_UNITS_MAX, TABLE_CAPACITY_UNITS_MAX
from hashrange.operations.pipeline.accesses import on_anything
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext


class DescribeLimits(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, which has no members."""


class DescribeLimitsAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The answer, in capacity units a second."""

    account_max_read_capacity_units: int = ACCOUNT_CAPACITY_UNITS_MAX
    account_max_write_capacity_units: int = ACCOUNT_CAPACITY_UNITS_MAX
    table_max_read_capacity_units: int = TABLE_CAPACITY_UNITS_MAX
    table_max_write_capacity_units: int = TABLE_CAPACITY_UNITS_MAX


async def run(_request: DescribeLimits, _context: RequestContext) -> Outcome:
    """The quotas, which are constant."""
    return Outcome(DescribeLimitsAnswer())


OPERATION: Final = Operation(
    request=DescribeLimits,
    check=lambda request: request,
    accesses=on_anything("DescribeLimits"),
    run=run,
)
