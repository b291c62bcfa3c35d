"""kill -9 of the real server while it exports: the export goes on, and is complete."""

import contextlib
import http.client
import json

from tests.api.exports import data_of, in_directory
from tests.api.tables import keyed
from tests.crash.server import Client, Server, verify
from tests.effort import effort

KILLS = effort(2, 8)
BATCHES = effort(60, 200)
ITEM_CHARS = 4000
ON = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}


def fill(client):
    client.call("CreateTable", TableName="big", **keyed(pk="S"))
    for batch in range(BATCHES):
        puts = [
            {
                "PutRequest": {
                    "Item": {
                        "pk": {"S": f"{batch}-{each}"},
                        "t": {"S": f"{each} " * (ITEM_CHARS // 3)},
                    }
                }
            }
            for each in range(25)
        ]
        client.call("BatchWriteItem", RequestItems={"big": puts})
    client.call("UpdateContinuousBackups", TableName="big", **ON)
    return client.call("DescribeTable", TableName="big")["Table"]["TableArn"]


def description(client, arn):
    return client.call("DescribeExport", ExportArn=arn)["ExportDescription"]


def test_an_export_goes_on_after_kills(tmp_path):
    root = tmp_path / "exports"
    root.mkdir()
    options = ("--s3", f"exports={root}")
    server = Server(tmp_path / "data", *options)
    client = Client(server.url)
    table = fill(client)
    answer = client.call("ExportTableToPointInTime", TableArn=table, S3Bucket="exports")
    arn = answer["ExportDescription"]["ExportArn"]
    for kill in range(KILLS):
        # Later and later in the export, as far as requests count its time.
        for _ in range(kill * 3):
            with contextlib.suppress(OSError, http.client.HTTPException):
                description(client, arn)
        server.kill()
        client.close()
        assert verify(tmp_path / "data") == ""
        server = Server(tmp_path / "data", *options)
        client = Client(server.url)
        client.call("PutItem", TableName="big", Item={"pk": {"S": f"later {kill}"}})
    while (found := description(client, arn))["ExportStatus"] == "IN_PROGRESS":
        pass  # bound: the export ends, or the test runs out of time
    client.close()
    assert server.terminate() == 0
    assert verify(tmp_path / "data") == ""
    assert (found["ExportStatus"], found["ItemCount"]) == ("COMPLETED", BATCHES * 25)
    objects = in_directory(root)
    lines = data_of(objects, found).splitlines()
    keys = {json.loads(line)["Item"]["pk"]["S"] for line in lines}
    assert keys == {f"{batch}-{each}" for batch in range(BATCHES) for each in range(25)}
    # No file of an earlier attempt is beside those of the manifest.
    folder = found["ExportManifest"].rpartition("/")[0]
    manifest = objects[f"{folder}/manifest-files.json"].splitlines()
    data = [key for key in objects if key.startswith(f"{folder}/data/")]
    assert len(data) == len(manifest)
