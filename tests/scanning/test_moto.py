"""The commands on another server of the API: moto."""

import json

import boto3
import pytest

from tests import s3_server
from tests.scanning.filled import items_in, make, numbered, put


@pytest.fixture(scope="module")
def moto():
    with s3_server.running() as endpoint:
        yield endpoint


@pytest.fixture
def there(moto):
    client = boto3.client(
        "dynamodb",
        endpoint_url=moto,
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )
    yield client
    for name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)
    client.close()


@pytest.mark.long
def test_tables_of_moto(there, moto, command, tmp_path):
    make(there)
    make(there, "copies")
    put(there, numbered(40))
    put(there, numbered(40)[1:], "copies")

    def run(*arguments, code=0):
        return command(*arguments, "--endpoint", moto, "--quiet", code=code).stdout

    open_items = ("--filter", "status = :s", "--values", '{"s": "OPEN"}')
    assert json.loads(run("scan", "orders", "--output", "a.json", "--json"))["items"] == 40
    assert len(json.loads((tmp_path / "a.json").read_text())) == 40
    assert len(run("scan", "orders", *open_items).splitlines()) == 14
    assert run("count", "orders", *open_items) == "14\n"
    assert len(run("sample", "orders", 5).splitlines()) == 5
    assert json.loads(run("sizes", "orders", "--json"))["partition_key_items"]["count"] == 40
    assert run("diff", "orders", "copies", code=1) == '- {"pk":"order-0000"}\n'
    run("backfill", "orders", "--update", "SET seen = :t", "--values", '{"t": true}')
    run("delete-where", "orders", *open_items, "--yes")
    left = items_in(there)
    assert len(left) == 26
    assert all(item["seen"] == {"BOOL": True} for item in left)
    assert command("scan", "none", "--endpoint", moto, code=2).stderr.count("\n") == 1
    assert command("scan", "orders", "--filter", "a b", "--endpoint", moto, code=2).stdout == ""
