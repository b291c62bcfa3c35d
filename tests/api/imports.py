"""Imports and bulk operations, as tests ask for them."""

import gzip
import json
from pathlib import Path
from typing import Any

from botocore.client import BaseClient

from tests.api.tables import keyed

GOING_ON = {"IN_PROGRESS", "CANCELLING"}


def lines(*items: dict[str, Any]) -> bytes:
    """The items as DYNAMODB_JSON."""
    return b"".join(json.dumps({"Item": item}).encode() + b"\n" for item in items)


def numbered(count: int, **more: Any) -> list[dict[str, Any]]:
    """Items with the keys k0, k1, …"""
    return [{"pk": {"S": f"k{n}"}, "n": {"N": str(n)}, **more} for n in range(count)]


def put(bucket: Path, key: str, data: bytes, *, zipped: bool = False) -> None:
    """Put an object into a bucket that is a directory."""
    place = bucket / key
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(gzip.compress(data) if zipped else data)


def creation(name: str, **more: Any) -> dict[str, Any]:
    """Parameters of a table with the partition key `pk`."""
    return {"TableName": name, **keyed(pk="S"), **more}


def begun(client: BaseClient, name: str, prefix: str = "", **more: Any) -> dict[str, Any]:
    """The description of a new import."""
    source = {"S3Bucket": "bucket", **({"S3KeyPrefix": prefix} if prefix else {})}
    request = {
        "S3BucketSource": source,
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": creation(name),
        **more,
    }
    return dict(client.import_table(**request)["ImportTableDescription"])


def ended(client: BaseClient, arn: str) -> dict[str, Any]:
    """The description of an import at its end."""
    while True:
        found = client.describe_import(ImportArn=arn)["ImportTableDescription"]
        if found["ImportStatus"] not in GOING_ON:
            return dict(found)


def imported(client: BaseClient, name: str, prefix: str = "", **more: Any) -> dict[str, Any]:
    """The description of an import that has ended."""
    return ended(client, begun(client, name, prefix, **more)["ImportArn"])


def items_of(client: BaseClient, table: str, **more: Any) -> list[dict[str, Any]]:
    """All items, in the order of their keys."""
    pages = client.get_paginator("scan").paginate(TableName=table, **more)
    found = [item for page in pages for item in page["Items"]]
    return sorted(found, key=lambda item: str(item["pk"]))
