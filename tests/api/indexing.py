"""Definitions of secondary indexes in short."""

from typing import Any

TYPES = {"n": "N", "b": "B"}
"""Of the attributes that are no strings."""


def definitions(*names: str) -> list[dict[str, str]]:
    """AttributeDefinitions; the types go with the names."""
    return [{"AttributeName": name, "AttributeType": TYPES.get(name, "S")} for name in names]


def schema(*names: str, hashes: int = 1) -> list[dict[str, str]]:
    """A KeySchema whose first attributes, `hashes` of them, are partition attributes."""
    return [
        {"AttributeName": name, "KeyType": "HASH" if number < hashes else "RANGE"}
        for number, name in enumerate(names)
    ]


def index(name: str, *keys: str, hashes: int = 1, **more: Any) -> dict[str, Any]:
    """An index of the keys only, unless told otherwise."""
    return {
        "IndexName": name,
        "KeySchema": schema(*keys, hashes=hashes),
        "Projection": {"ProjectionType": "KEYS_ONLY"},
        **more,
    }


def units(read: int = 1, write: int = 1) -> dict[str, Any]:
    """ProvisionedThroughput, of a table or of an index."""
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}
