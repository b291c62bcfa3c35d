"""The access log of a server: the id of a line is that which the client sees."""

import asyncio
import json
from urllib.request import urlopen

import pytest
from botocore.exceptions import ClientError

from hashrange.assembly.assemble import running
from hashrange.settings.sources import load
from hashrange.storage.engine import StorageOpenError
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.served import served


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_each_request_is_a_line(tmp_path):
    path = tmp_path / "access.log"
    with served(access_log=path) as server:
        client = client_of(server.endpoint)
        client.create_table(TableName="Orders", **keyed(p="S"))
        item = {"p": {"S": "a private key"}}
        put = client.put_item(TableName="Orders", Item=item)
        with pytest.raises(ClientError) as refused:
            client.put_item(
                TableName="Orders", Item=item, ConditionExpression="attribute_not_exists(p)"
            )
        client_of(server.endpoint, "cloudwatch").list_metrics()
        urlopen(f"{server.endpoint}/readyz").close()
    lines = lines_of(path)
    assert [(each.get("operation"), each["path"], each["status"]) for each in lines] == [
        ("CreateTable", "/", 200),
        ("PutItem", "/", 200),
        ("PutItem", "/", 400),
        ("ListMetrics", "/", 200),
        (None, "/readyz", 200),
    ]
    assert lines[1]["request_id"] == put["ResponseMetadata"]["RequestId"]
    assert lines[2]["request_id"] == refused.value.response["ResponseMetadata"]["RequestId"]
    assert lines[2]["error"] == "ConditionalCheckFailedException"
    assert {each["tables"] for each in lines[:3]} == {"Orders"}
    assert "a private key" not in path.read_text("utf-8")


# All processes write to one file; their lines are whole.
@pytest.mark.long
def test_all_workers_write_to_one_file(tmp_path):
    path = tmp_path / "access.log"
    with served(memory=False, data=tmp_path / "data", workers=2, access_log=path) as server:
        for _ in range(20):
            client_of(server.endpoint).list_tables()
    assert [each["operation"] for each in lines_of(path)] == ["ListTables"] * 20


def test_a_file_that_cannot_be_opened_is_an_error_of_the_start(tmp_path):
    path = tmp_path / "gone" / "access.log"

    async def started():
        async with running(load({"memory": "true", "port": "0", "access_log": str(path)}, {})):
            pass

    with pytest.raises(StorageOpenError, match=f"--access-log {path}: No such file"):
        asyncio.run(started())
