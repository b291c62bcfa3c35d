"""The tables that a route is about, as their caller may describe them."""

from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.tables.describe_table import OPERATION
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import AnyOperation, Caller, CallerContext, Outcome
from hashrange.errors import DynamoError
from hashrange.model.structures.dynamodb import DescribeTable
from hashrange.model.table import Table
from hashrange.wire.answers import encode

_DESCRIBE: Final = "DescribeTable"


async def _run(table: Table, _context: CallerContext) -> Outcome:
    return Outcome(table)


_ROWS: Final[dict[str, AnyOperation]] = {_DESCRIBE: msgspec.structs.replace(OPERATION, run=_run)}


async def visible_tables(pipeline: Pipeline, caller: Caller, names: list[str]) -> list[Table]:
    """The tables that the caller may describe."""
    perform = pipeline.performer(_DESCRIBE, caller, _ROWS)
    found = list[Table]()
    for name in names:
        try:
            table = await perform(DescribeTable(table_name=name))
        except DynamoError:
            continue  # missing, or denied
        assert isinstance(table, Table), "the row's answer"
        found.append(table)
    return found


async def described(pipeline: Pipeline, caller: Caller, name: str) -> dict[str, Any]:
    """The answer to DescribeTable. Raises DynamoError: there is none, or it is not allowed."""
    perform = pipeline.performer(_DESCRIBE, caller)
    answer = msgspec.json.decode(encode(await perform(DescribeTable(table_name=name))))
    shown: dict[str, Any] = answer["Table"]
    return shown
