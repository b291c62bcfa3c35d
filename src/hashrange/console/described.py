"""The table that a route is about, as its caller may describe it."""

from typing import Any

import msgspec

from hashrange.model.structures.dynamodb import DescribeTable
from hashrange.operations.pipeline.operation import Caller
from hashrange.operations.pipeline.pipeline import Pipeline
from hashrange.wire.answers import encode


async def described(pipeline: Pipeline, caller: Caller, name: str) -> dict[str, Any]:
    """The answer to DescribeTable. Raises DynamoError: there is none, or it is not allowed."""
    perform = pipeline.performer("DescribeTable", caller)
    answer = msgspec.json.decode(encode(await perform(DescribeTable(table_name=name))))
    shown: dict[str, Any] = answer["Table"]
    return shown
