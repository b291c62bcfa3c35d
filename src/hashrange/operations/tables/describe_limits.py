"""DescribeLimits: the quotas of the account, a setting, and those of a table."""

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


async def run(_request: DescribeLimits, context: RequestContext) -> Outcome:
    """The quotas; those of a table are constant."""
    most = context.choices.account_units
    answer = DescribeLimitsAnswer(
        account_max_read_capacity_units=most, account_max_write_capacity_units=most
    )
    return Outcome(answer)


OPERATION: Final = Operation(
    request=DescribeLimits,
    check=lambda request: request,
    accesses=on_anything("DescribeLimits"),
    run=run,
)
