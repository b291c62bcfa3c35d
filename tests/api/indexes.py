"""Parts of requests about secondary indexes."""

import uuid
from typing import Any

from botocore.client import BaseClient


def attributes(**types: str) -> list[dict[str, str]]:
    """AttributeDefinitions: `attributes(pk="S", n="N")`."""
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def schema(*partition: str, sort: tuple[str, ...] = ()) -> list[dict[str, str]]:
    """A KeySchema."""
    return [
        *({"AttributeName": name, "KeyType": "HASH"} for name in partition),
        *({"AttributeName": name, "KeyType": "RANGE"} for name in sort),
    ]


def index_of(name: str, *partition: str, sort: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """An index that projects everything, but for what `more` says."""
    return {
        "IndexName": name,
        "KeySchema": schema(*partition, sort=sort),
        "Projection": {"ProjectionType": "ALL"},
        **more,
    }


def projected(kind: str, *names: str) -> dict[str, Any]:
    """A Projection member."""
    projection: dict[str, Any] = {"ProjectionType": kind}
    return {"Projection": {**projection, "NonKeyAttributes": list(names)} if names else projection}


def units(read: int, write: int) -> dict[str, Any]:
    """A ProvisionedThroughput member."""
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


DEFINITIONS = attributes(pk="S", sk="S", a="S", b="N")
KEYS = {"AttributeDefinitions": DEFINITIONS, "KeySchema": schema("pk", sort=("sk",))}
LOCAL = index_of("local", "pk", sort=("b",))


def made(dynamodb: BaseClient, *indexes: dict[str, Any], **changes: Any) -> str:
    """A new table with a local index and these global ones; it is the caller's to delete."""
    name = f"t-{uuid.uuid4()}"
    used = {"pk", "sk", "b"} | {
        element["AttributeName"] for index in indexes for element in index["KeySchema"]
    }
    request = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        **KEYS,
        "AttributeDefinitions": [each for each in DEFINITIONS if each["AttributeName"] in used],
        "LocalSecondaryIndexes": [LOCAL],
        **({"GlobalSecondaryIndexes": list(indexes)} if indexes else {}),
    }
    dynamodb.create_table(**{**request, **changes})
    return name


def update(name: str = "one", **settings: Any) -> dict[str, Any]:
    """An entry of GlobalSecondaryIndexUpdates."""
    return {"Update": {"IndexName": name, **settings}}


def create(*args: Any, **kwargs: Any) -> dict[str, Any]:
    """An entry of GlobalSecondaryIndexUpdates, from what `index_of` takes."""
    return {"Create": index_of(*args, **kwargs)}


def delete(name: str = "one") -> dict[str, Any]:
    """An entry of GlobalSecondaryIndexUpdates."""
    return {"Delete": {"IndexName": name}}


def sent(
    name: str, *updates: dict[str, Any], definitions: Any = DEFINITIONS, **changes: Any
) -> dict[str, Any]:
    """An UpdateTable request."""
    request = {"TableName": name, "GlobalSecondaryIndexUpdates": list(updates), **changes}
    return request if definitions is None else {**request, "AttributeDefinitions": definitions}
