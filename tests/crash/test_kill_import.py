"""Imports and bulk operations go on after the real server was killed; nothing is there twice."""

import json

from tests.api.imports import creation
from tests.api.indexes import attributes, index_of
from tests.crash.server import Client, Server, verify

ITEMS = 4_000
KILLS = 2


def described(client, arn):
    return client.call("DescribeImport", ImportArn=arn)["ImportTableDescription"]


def test_an_import_survives_kills(tmp_path):
    bucket = tmp_path / "bucket"
    bucket.mkdir()
    lines = (
        json.dumps({"Item": {"pk": {"S": f"k{number}"}, "g": {"S": f"g{number % 7}"}}})
        for number in range(ITEMS)
    )
    (bucket / "items.json").write_text("\n".join(lines), encoding="utf-8")
    options = (tmp_path / "data", "--s3", f"bucket={bucket}")
    server = Server(*options)
    client = Client(server.url)
    parameters = creation(
        "imported",
        AttributeDefinitions=attributes(pk="S", g="S"),
        GlobalSecondaryIndexes=[index_of("by-g", "g")],
    )
    arn = client.call(
        "ImportTable",
        ClientToken="one",
        S3BucketSource={"S3Bucket": "bucket"},
        InputFormat="DYNAMODB_JSON",
        TableCreationParameters=parameters,
    )["ImportTableDescription"]["ImportArn"]
    for kill in range(KILLS):
        # bound: each start goes on, and the import ends sooner or later.
        while described(client, arn)["ImportedItemCount"] < ITEMS * kill // KILLS:
            pass
        client.close()
        server.kill()
        assert verify(tmp_path / "data") == ""
        server = Server(*options)
        client = Client(server.url)
    while (job := described(client, arn))["ImportStatus"] == "IN_PROGRESS":
        pass
    assert (job["ImportStatus"], job["ImportedItemCount"]) == ("COMPLETED", ITEMS)
    table = client.call("DescribeTable", TableName="imported")["Table"]
    assert table["ItemCount"] == table["GlobalSecondaryIndexes"][0]["ItemCount"] == ITEMS
    client.close()
    assert server.terminate() == 0
    assert verify(tmp_path / "data") == ""


# The bytes too: records that are read again to find the place are not counted again.
def test_a_bulk_operation_survives_kills(tmp_path):
    bucket = tmp_path / "bucket"
    bucket.mkdir()
    lines = (
        json.dumps({"Item": {"pk": {"S": f"k{number}"}, "v": {"S": "v" * 100}}})
        for number in range(ITEMS)
    )
    (bucket / "items.json").write_text("\n".join(lines), encoding="utf-8")
    options = (tmp_path / "data", "--s3", f"bucket={bucket}")
    server = Server(*options)
    client = Client(server.url)
    client.call("CreateTable", **creation("filled"))
    arn = client.call(
        "StartBulkPutItems",
        TableName="filled",
        InputS3Configuration={"S3Bucket": "bucket", "InputFormat": "DYNAMODB_JSON"},
        OutputS3Configuration={"S3Bucket": "bucket", "S3KeyPrefix": "out", "OutputType": ["ERROR"]},
    )["BulkOperationDescription"]["BulkOperationArn"]

    def told():
        found = client.call("DescribeBulkOperation", BulkOperationArn=arn)
        return found["BulkOperationDescription"]

    for kill in range(1, KILLS + 1):
        # bound: each start goes on, and the operation ends sooner or later.
        while told()["ProcessedItemCount"] < ITEMS * kill // (KILLS + 1):
            pass
        client.close()
        server.kill()
        assert verify(tmp_path / "data") == ""
        server = Server(*options)
        client = Client(server.url)
    while (job := told())["BulkOperationStatus"] == "IN_PROGRESS":
        pass
    assert (job["BulkOperationStatus"], job["ProcessedItemCount"]) == ("COMPLETED", ITEMS)
    assert job["ProcessedInputBytes"] == job["TotalInputBytes"]
    assert client.call("DescribeTable", TableName="filled")["Table"]["ItemCount"] == ITEMS
    client.close()
    assert server.terminate() == 0
    assert verify(tmp_path / "data") == ""
