"""DescribeLimits: the quotas of the account and of a table, which are settings."""

from typing import Final

from hashrange.api.steps.accesses import on_anything
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import DescribeLimits, DescribeLimitsAnswer


async def run(_request: DescribeLimits, context: RequestContext) -> Outcome:
    """The quotas."""
    of_account, of_table = context.choices.account_units, context.choices.table_units
    answer = DescribeLimitsAnswer(
        account_max_read_capacity_units=of_account,
        account_max_write_capacity_units=of_account,
        table_max_read_capacity_units=of_table,
        table_max_write_capacity_units=of_table,
    )
    return Outcome(answer)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DescribeLimits"],
    request=DescribeLimits,
    check=lambda request: request,
    accesses=on_anything("DescribeLimits"),
    run=run,
)
