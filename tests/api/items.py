"""Items in short: what the tests of item operations send, and what they are answered."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

FAILED = ("ConditionalCheckFailedException", "The conditional request failed")
INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "
SCHEMA = "The provided key element does not match the schema"
NO_TABLE = ("ResourceNotFoundException", "Requested resource not found")


def answer(call: Callable[..., Any], /, **request: Any) -> dict[str, Any]:
    """The members of an answer, without what the SDK adds."""
    response = call(**request)
    return {name: value for name, value in response.items() if name != "ResponseMetadata"}


def error_of(call: Callable[..., Any], /, **request: Any) -> dict[str, Any]:
    """The answer of a call that must be refused, as the SDK parsed it."""
    with pytest.raises(ClientError) as refused:
        call(**request)
    return refused.value.response


def stored(client: BaseClient, table: str, key: dict[str, Any]) -> dict[str, Any] | None:
    """The item that a table has; None for none."""
    return client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def values(**members: Any) -> dict[str, Any]:
    """ExpressionAttributeValues, without the colons: `values(v={"S": "a"})`."""
    return {f":{name}": value for name, value in members.items()}


def names(*attributes: str) -> dict[str, str]:
    """ExpressionAttributeNames, `#a` for `a` and so on."""
    return {f"#{name}": name for name in attributes}


def padding(size: int) -> dict[str, str]:
    """A string of `size` bytes."""
    return {"S": "x" * size}
