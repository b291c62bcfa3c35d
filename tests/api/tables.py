"""Requests for tables, in short."""

from typing import Any

from tests.api.indexes import attributes, schema


def keyed(**types: str) -> dict[str, Any]:
    """Members of CreateTable, on demand; the partition key comes first: `keyed(pk="S", sk="N")`."""
    partition, *sort = types
    return {
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes(**types),
        "KeySchema": schema(partition, sort=tuple(sort)),
    }
