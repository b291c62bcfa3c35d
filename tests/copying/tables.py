"""Tables with all that a copy has to bring over, and what can be seen of them afterwards."""

from typing import Any

import boto3
from botocore.client import BaseClient

from tests.api.indexes import index_of
from tests.pace import until

KEYS = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
WHOLE = {
    "TableName": "whole",
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": UNITS,
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "N"), ("other", "B"))
    ],
    "KeySchema": KEYS,
    "LocalSecondaryIndexes": [
        {
            "IndexName": "local",
            "KeySchema": [KEYS[0], {"AttributeName": "other", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text", "more"]},
        }
    ],
    "GlobalSecondaryIndexes": [index_of("global", "other", ProvisionedThroughput=UNITS)],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    "DeletionProtectionEnabled": True,
    "Tags": [{"Key": "team", "Value": "blue"}, {"Key": "empty", "Value": ""}],
}
EMPTY = {
    "TableName": "empty",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}],
    "KeySchema": KEYS[:1],
    "TableClass": "STANDARD_INFREQUENT_ACCESS",
    "OnDemandThroughput": {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 200},
}
VOLATILE = ("CreationDateTime", "TableId", "LatestStreamArn", "LatestStreamLabel")
INDEXES: tuple[dict[str, str], ...] = ({}, {"IndexName": "local"}, {"IndexName": "global"})
ITEMS = 65
VALUES: list[dict[str, Any]] = [
    {"S": ""},
    {"B": b""},
    {"S": 'é 😀 \u0000 " \\ </script>'},
    {"N": "-12345678901234567890.123456789012345678"},
    {"N": "1E+125"},
    {"N": "1E-130"},
    {"N": "0"},
    {"NS": ["3", "-1", "2.5"]},
    {"SS": ["b", "a", "", "é"]},
    {"BS": [b"\x00", b"\xff\xfe", b""]},
    {"BOOL": False},
    {"NULL": True},
    {"L": []},
    {"M": {}},
    {"L": [{"M": {"deep": {"L": [{"NULL": True}, {"NS": ["1"]}]}}}]},
]


def client_of(url: str, **options: Any) -> BaseClient:
    """A client that does not look at the shapes: they are tested elsewhere."""
    chosen = {
        "region_name": "us-east-1",
        "aws_access_key_id": "local",
        "aws_secret_access_key": "local",
        **options,
    }
    return boto3.client("dynamodb", endpoint_url=url, **chosen)


def items() -> list[dict[str, Any]]:
    """Of all types and sizes; more than a page; every third in both indexes."""
    made = []
    for number in range(ITEMS):
        item = {"pk": {"S": f"é{number % 7}"}, "sk": {"N": str(number)}}
        item["value"] = VALUES[number % len(VALUES)]
        # Each of them is a page by itself, with the largest that there may be.
        item["text"] = {"S": "x" * (400 * 1024 - 100 if number < 3 else 30_000)}
        if number % 3 == 0:
            item["other"] = {"B": bytes([number])}
            item["text"] = {"S": "y" * 100}
        item["until"] = {"N": "4102444800"}  # 2100
        made.append(item)
    return made


def fill(client: BaseClient) -> None:
    """Make both tables."""
    client.create_table(**WHOLE)
    client.create_table(**EMPTY)
    expiry = {"Enabled": True, "AttributeName": "until"}
    client.update_time_to_live(TableName="whole", TimeToLiveSpecification=expiry)
    for item in items():
        client.put_item(TableName="whole", Item=item)


def scanned(client: BaseClient, table: str, **names: str) -> list[str]:
    """All items of a table or an index, in an order of ours."""
    pages = client.get_paginator("scan").paginate(TableName=table, **names)
    return sorted(repr(sorted(item.items())) for page in pages for item in page["Items"])


def _expiry(client: BaseClient, table: str) -> dict[str, str]:
    """The time to live, once a server has looked at all items for it."""

    def look() -> dict[str, str] | None:
        expiry: dict[str, str] = client.describe_time_to_live(TableName=table)[
            "TimeToLiveDescription"
        ]
        return expiry if expiry["TimeToLiveStatus"] != "ENABLING" else None

    return until(look)


def seen(client: BaseClient) -> dict[str, Any]:
    """All that a client can see of all tables, but for ids and dates."""
    found: dict[str, Any] = {}
    for name in client.list_tables()["TableNames"]:
        table = client.describe_table(TableName=name)["Table"]
        for volatile in VOLATILE:
            table.pop(volatile, None)
        table.get("BillingModeSummary", {}).pop("LastUpdateToPayPerRequestDateTime", None)
        table.get("TableClassSummary", {}).pop("LastUpdateDateTime", None)
        tags = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
        expiry = _expiry(client, name)
        indexes = INDEXES if name == "whole" else INDEXES[:1]
        scans = [scanned(client, name, **index) for index in indexes]
        found[name] = [table, sorted(tags, key=repr), expiry, scans]
    return found
