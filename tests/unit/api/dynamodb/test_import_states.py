"""Imports before the background has done anything: what is told and refused meanwhile.

Source of faults and texts: ScyllaDB's tests of imports, which run on AWS, and measurements of the
service by users, October 2026.
"""

import pytest

from hashrange.errors import Fault
from tests.unit.api.dynamodb.still_server import SHOWN_MS, TABLE, StillServer

IMPORT = {
    "ClientToken": "one",
    "S3BucketSource": {"S3Bucket": "bucket"},
    "InputFormat": "DYNAMODB_JSON",
    "TableCreationParameters": {**TABLE, "TableName": "new", "BillingMode": "PAY_PER_REQUEST"},
}
BUSY = "Attempt to change a resource which is still in use: Table is being created: new"
CONFLICT = "Import conflict: Duplicate request detected with conflicting parameters"


@pytest.fixture(params=[0, SHOWN_MS])
def server(request):
    server = StillServer(transient_ms=request.param)
    server.create(BillingMode="PAY_PER_REQUEST")
    yield server
    server.end()


def begun(server, **more):
    return server.perform("ImportTable", **{**IMPORT, **more})


def into(name):
    return {**IMPORT["TableCreationParameters"], "TableName": name}


# Everything but the name of the table may differ: what was sent first is done, and described.
def test_a_token_stands_for_its_import_while_that_goes_on(server):
    first = begun(server)
    for more in (
        {},
        {"InputCompressionType": "GZIP"},
        {"InputFormat": "CSV"},
        {"S3BucketSource": {"S3Bucket": "another-one", "S3KeyPrefix": "some/where/"}},
    ):
        assert begun(server, **more) == first
    request = {**IMPORT, "TableCreationParameters": into("other")}
    assert server.refused("ImportTable", **request) == (Fault.IMPORT_CONFLICT, CONFLICT)
    # A table that is there is told of first.
    request = {**IMPORT, "TableCreationParameters": into("a-table")}
    told = (Fault.RESOURCE_IN_USE, "Table already exists: a-table")
    assert server.refused("ImportTable", **request) == told


def test_a_new_import_has_read_nothing(server):
    for told in (
        begun(server),
        server.perform("DescribeImport", ImportArn=begun(server)["ImportArn"]),
    ):
        assert not {"ProcessedSizeBytes", "EndTime", "FailureCode"} & told.keys()
        assert told["ProcessedItemCount"] == told["ImportedItemCount"] == told["ErrorCount"] == 0


# Unlike the target of a restore, the table is there; only its backups are not enabled yet.
def test_a_table_that_is_being_imported(server):
    begun(server)
    name = {"TableName": "new"}
    assert server.perform("DescribeTable", **name)["TableStatus"] == "CREATING"
    in_use = (Fault.RESOURCE_IN_USE, BUSY)
    assert server.refused("UpdateTable", **name, DeletionProtectionEnabled=True) == in_use
    expiry = {"Enabled": True, "AttributeName": "x"}
    assert server.refused("UpdateTimeToLive", **name, TimeToLiveSpecification=expiry) == in_use
    assert server.refused("DeleteTable", **name) == in_use
    text = "Backups are being enabled for the table: new. Please retry later"
    unavailable = (Fault.BACKUPS_UNAVAILABLE, text)
    assert server.refused("CreateBackup", **name, BackupName="one") == unavailable
    on = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    assert server.refused("UpdateContinuousBackups", **name, **on) == unavailable
    told = server.perform("DescribeContinuousBackups", **name)
    disabled = {"PointInTimeRecoveryStatus": "DISABLED"}
    assert told == {
        "ContinuousBackupsStatus": "DISABLED",
        "PointInTimeRecoveryDescription": disabled,
    }
    fault, _ = server.refused("PutItem", **name, Item={"pk": {"S": "k"}})
    assert fault is Fault.RESOURCE_NOT_FOUND
