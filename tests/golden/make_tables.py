"""Makes the golden tables of a format: `python -m tests.golden.make_tables DIRECTORY`.

Run once, through the whole server of the first build of that format. The directory is kept, and
every later build must serve it; to make it again would prove nothing.
"""

import json
import sys
from pathlib import Path
from typing import Any

from tests.crash.server import Client, Server

TYPES = {
    "S": "text, ünïcödé and \u0000",
    "N": "-12345678901234567890.123456789012345678",
    "B": "AAEC/w==",
    "BOOL": False,
    "NULL": True,
    "SS": ["b", "a"],
    "NS": ["3", "-1", "2.5"],
    "BS": ["/w==", "AA=="],
    "L": [{"N": "1"}, {"L": []}],
    "M": {"x": {"M": {"y": {"S": ""}}}},
}
KEYS: dict[str, list[Any]] = {
    "S": ["", "a", "a\u0000", "é", "x" * 20],
    "N": ["-1e125", "-0.5", "0", "1E-130", "38"],
    "B": ["AA==", "AAA=", "/w==", "AAAAAAAAAAAAAAAA"],
}


def definition(sort_type: str) -> dict[str, Any]:
    """A table with a sort key of that type, a local and a global index."""
    kinds = {"pk": "S", "sk": sort_type, "g": "S", "n": "N"}
    return {
        "TableName": f"Golden-{sort_type}",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "LocalSecondaryIndexes": [
            {
                "IndexName": "local",
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "n", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "global",
                "KeySchema": [
                    {"AttributeName": "g", "KeyType": "HASH"},
                    {"AttributeName": "n", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["value"]},
            }
        ],
        "Tags": [{"Key": "format", "Value": "1"}],
    }


def pages(client: Client, sort_type: str) -> dict[str, Any]:
    """Everything that the tables of a sort key answer, in the order in which they answer it."""
    name = f"Golden-{sort_type}"
    scans = {
        index or "table": client.call(
            "Scan", TableName=name, **({"IndexName": index} if index else {})
        )["Items"]
        for index in (None, "local", "global")
    }
    described = client.call("DescribeTable", TableName=name)["Table"]
    return {**scans, "count": described["ItemCount"], "bytes": described["TableSizeBytes"]}


def fill(client: Client) -> None:
    """Three tables, one for each type of sort key, with values of all types."""
    for sort_type, values in KEYS.items():
        client.call("CreateTable", **definition(sort_type))
        for number, value in enumerate(values):
            if not value:
                continue
            for partition, (kind, content) in zip("pqrstuvwxy", TYPES.items(), strict=True):
                item = {
                    "pk": {"S": partition},
                    "sk": {sort_type: value},
                    "value": {kind: content},
                    "g": {"S": kind},
                    "n": {"N": str(number % 3)},
                }
                client.call("PutItem", TableName=f"Golden-{sort_type}", Item=item)
    client.call(
        "PutItem",
        TableName="Golden-S",
        Item={"pk": {"S": "large"}, "sk": {"S": "x"}, "value": {"S": "v" * 5000}},
    )


def main() -> None:
    directory = Path(sys.argv[1])
    server = Server(directory)
    client = Client(server.url)
    fill(client)
    content = {sort_type: pages(client, sort_type) for sort_type in KEYS}
    client.close()
    assert server.terminate() == 0
    for path in directory.iterdir():
        if path.name != "hashrange.db":
            path.unlink()
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    (directory.parent / f"{directory.name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
