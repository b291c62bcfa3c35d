"""Backups and restores, as tests ask for them."""

from typing import Any

from botocore.client import BaseClient


def backed_up(client: BaseClient, table: str, name: str = "one") -> str:
    """The ARN of a new backup, once it is available."""
    arn = client.create_backup(TableName=table, BackupName=name)["BackupDetails"]["BackupArn"]
    available(client, arn)
    return str(arn)


def available(client: BaseClient, arn: str) -> dict[str, Any]:
    """The description of a backup, once it is available."""
    while True:
        found = client.describe_backup(BackupArn=arn)["BackupDescription"]
        if found["BackupDetails"]["BackupStatus"] == "AVAILABLE":
            return dict(found)


def restored(client: BaseClient, table: str) -> dict[str, Any]:
    """The description of a restored table, once it is active."""
    while True:
        found = client.describe_table(TableName=table)["Table"]
        if found["TableStatus"] == "ACTIVE":
            return dict(found)


def values(client: BaseClient, table: str) -> dict[str, str]:
    """The numbers `n` of all items, by partition key."""
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return {item["pk"]["S"]: item["n"]["N"] for page in pages for item in page["Items"]}


def fill(client: BaseClient, table: str, numbers: range, value: int) -> None:
    """Put items with the value `n`, in batches."""
    puts = [
        {"PutRequest": {"Item": {"pk": {"S": f"k{number}"}, "n": {"N": str(value)}}}}
        for number in numbers
    ]
    for start in range(0, len(puts), 25):
        client.batch_write_item(RequestItems={table: puts[start : start + 25]})
