"""The plan of a statement of PartiQL: what it would read, without reading it.

It is a row as those of operations, so the same policies decide; only its `run` is another one.
"""

from typing import Final

import msgspec

from hashrange.api.dynamodb.partiql import execute_statement
from hashrange.api.dynamodb.partiql.selects import PageRead, PointRead
from hashrange.api.dynamodb.partiql.statements import StatementPlan
from hashrange.api.dynamodb.partiql.writes import Write
from hashrange.api.steps.operation import (
    AnyOperation,
    CallerContext,
    Outcome,
    never,
    no_charges,
)

NAME: Final = "ExecuteStatement"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How a statement is run.

    Attributes:
        access: `key`, `query`, `scan` or `write`.
        index: the name; None for the table itself.
        partitions: how many partition keys are read; None for a scan.
        filtered: items that were read, and paid for, may be left out of the answer.
    """

    access: str
    index: str | None = None
    partitions: int | None = None
    filtered: bool = False


def plan_shown(plan: StatementPlan) -> Plan:
    """A plan on a page."""
    if isinstance(plan, Write):
        return Plan(access="write", partitions=1)
    if isinstance(plan, PointRead):
        return Plan(access="key", partitions=1)
    assert isinstance(plan, PageRead), "a statement writes, or reads one of these"
    index = plan.reading.access_path.index
    return Plan(
        access="scan" if plan.scans else "query",
        index=None if index is None else index.name,
        partitions=None if plan.partitions is None else len(set(map(str, plan.partitions))),
        filtered=plan.filter is not None,
    )


async def _run(plan: StatementPlan, _context: CallerContext) -> Outcome:
    return Outcome(plan_shown(plan))


ROWS: Final[dict[str, AnyOperation]] = {
    NAME: msgspec.structs.replace(
        execute_statement.OPERATION, charges=no_charges, spot=None, is_eventual=never, run=_run
    )
}
