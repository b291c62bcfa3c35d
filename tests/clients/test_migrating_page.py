"""The program of docs/migrating.md copies everything that it says, and says what it copied."""

import sys
from pathlib import Path

import pytest

import hashrange
from tests.api.conftest import client_of
from tests.clients.programs import run_program
from tests.docs.snippets import blocks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "migrating.md"
(PROGRAM,) = (block.code for block in blocks(PAGE.read_text("utf-8")) if block.language == "python")
KEYS = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
ALL = {"ProjectionType": "ALL"}
TABLE = {
    "TableName": "whole",
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "N"), ("other", "B"))
    ],
    "KeySchema": KEYS,
    "LocalSecondaryIndexes": [
        {
            "IndexName": "local",
            "KeySchema": [KEYS[0], {"AttributeName": "other", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]},
        }
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "global",
            "KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}],
            "Projection": ALL,
            "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
}
ITEMS = 60


@pytest.fixture
def servers():
    with hashrange.start() as source, hashrange.start() as target:
        yield source.endpoint, target.endpoint


@pytest.fixture
def run(tmp_path, environment):
    def run(*arguments):
        (tmp_path / "copy_tables.py").write_text(PROGRAM, "utf-8")
        command = [sys.executable, "-W", "error", "copy_tables.py", *arguments]
        return run_program(command, environment, tmp_path)

    return run


def fill(client):
    client.create_table(**TABLE)
    enabled = {"Enabled": True, "AttributeName": "until"}
    client.update_time_to_live(TableName="whole", TimeToLiveSpecification=enabled)
    for number in range(ITEMS):
        # More than a page of a Scan.
        item = {
            "pk": {"S": str(number % 7)},
            "sk": {"N": str(number)},
            "other": {"B": bytes([number])},
            "text": {"S": "x" * 30_000},
            "more": {"L": [{"NULL": True}, {"NS": ["1", "2.5"]}, {"M": {"m": {"BOOL": False}}}]},
        }
        client.put_item(TableName="whole", Item=item)
    definition = {name: TABLE[name] for name in ("BillingMode", "ProvisionedThroughput")}
    client.create_table(
        **definition,
        TableName="empty",
        KeySchema=KEYS[:1],
        AttributeDefinitions=TABLE["AttributeDefinitions"][:1],
    )


def items_of(client, **names):
    pages = client.get_paginator("scan").paginate(**names)
    return sorted((str(item) for page in pages for item in page["Items"]), key=str)


def test_tables_are_copied(servers, run):
    source, target = map(client_of, servers)
    fill(source)
    ended = run(*servers)
    assert (ended.stdout, ended.stderr) == (f"empty 0\nwhole {ITEMS}\n", "")
    assert target.list_tables()["TableNames"] == ["empty", "whole"]
    for index in ({}, {"IndexName": "local"}, {"IndexName": "global"}):
        items = items_of(source, TableName="whole", **index)
        assert len(items) == ITEMS
        assert items_of(target, TableName="whole", **index) == items
    tables = [client.describe_table(TableName="whole")["Table"] for client in (source, target)]
    for name in ("AttributeDefinitions", "KeySchema", "StreamSpecification"):
        assert tables[0][name] == tables[1][name]
    assert tables[1]["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    expiry = target.describe_time_to_live(TableName="whole")["TimeToLiveDescription"]
    assert expiry["AttributeName"] == "until"


def test_tables_are_chosen(servers, run):
    source, target = map(client_of, servers)
    fill(source)
    assert run(*servers, "empty").stdout == "empty 0\n"
    assert target.list_tables()["TableNames"] == ["empty"]


# To copy onto a table that is there would mix two tables.
def test_table_that_is_there_stops_it(servers, run):
    fill(client_of(servers[0]))
    assert run(*servers, "empty").returncode == 0
    again = run(*servers, "empty")
    assert again.returncode != 0
    assert "Table already exists: empty" in again.stderr
