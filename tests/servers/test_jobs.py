"""Jobs of the leader of two servers on one database go on at the other one when it is killed."""

import json
import uuid

import pytest

from hashrange.assembly.verifying import verify
from tests.api.conftest import client_of
from tests.api.exports import data_of, in_directory
from tests.api.imports import creation
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.servers.fleet import Fleet

RESTORED, IMPORTED = "restored", "imported"
ITEMS = 1500
TEXT = "x" * 900
ON = {"PointInTimeRecoveryEnabled": True}
KEYS = {str(number) for number in range(ITEMS)}


@pytest.fixture
def bucket(tmp_path):
    place = tmp_path / "bucket"
    (place / "in").mkdir(parents=True)
    lines = (json.dumps({"Item": {"pk": {"S": key}, "t": {"S": TEXT}}}) for key in sorted(KEYS))
    (place / "in" / "items.json").write_text("\n".join(lines), encoding="utf-8")
    return place


@pytest.fixture
def fleet(bucket):
    url = url_of(str(uuid.uuid4()))
    made = Fleet(url, 2, "--s3", f"bucket={bucket}")
    yield made
    made.end()
    assert verify(url) == []


def keys_of(client, table):
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    found = [item["pk"]["S"] for page in pages for item in page["Items"]]
    assert len(found) == len(set(found))
    return set(found)


def other_client(fleet):
    """A client of the server that does not lead, and the leader."""
    leader = fleet.await_leader()
    (other,) = [each for each in fleet.servers if each is not leader]
    return client_of(other.url), leader


def is_active(client, table):
    return client.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE"


def test_jobs_go_on_at_another_server(fleet, bucket):
    client, leader = other_client(fleet)
    arn = client.import_table(
        S3BucketSource={"S3Bucket": "bucket", "S3KeyPrefix": "in/"},
        InputFormat="DYNAMODB_JSON",
        TableCreationParameters=creation(IMPORTED),
    )["ImportTableDescription"]["ImportArn"]
    fleet.kill(leader)

    def imported():
        found = client.describe_import(ImportArn=arn)["ImportTableDescription"]
        return found["ImportStatus"] != "IN_PROGRESS" and found

    done = until(imported)
    assert (done["ImportStatus"], done["ImportedItemCount"]) == ("COMPLETED", ITEMS)
    assert keys_of(client, IMPORTED) == KEYS
    client.update_continuous_backups(TableName=IMPORTED, PointInTimeRecoverySpecification=ON)

    fleet.start()
    client, leader = other_client(fleet)
    backup = client.create_backup(TableName=IMPORTED, BackupName="one")["BackupDetails"]
    table = client.describe_table(TableName=IMPORTED)["Table"]["TableArn"]
    export = client.export_table_to_point_in_time(TableArn=table, S3Bucket="bucket")
    fleet.kill(leader)
    client.delete_item(TableName=IMPORTED, Key={"pk": {"S": "7"}})
    arn = {"ExportArn": export["ExportDescription"]["ExportArn"]}

    def exported():
        found = client.describe_export(**arn)["ExportDescription"]
        return found["ExportStatus"] != "IN_PROGRESS" and found

    found = until(exported)
    assert (found["ExportStatus"], found["ItemCount"]) == ("COMPLETED", ITEMS)
    lines = data_of(in_directory(bucket), found).splitlines()
    assert {json.loads(line)["Item"]["pk"]["S"] for line in lines} == KEYS
    of = {"BackupArn": backup["BackupArn"]}

    def is_made():
        details = client.describe_backup(**of)["BackupDescription"]["BackupDetails"]
        return details["BackupStatus"] == "AVAILABLE"

    until(is_made)

    fleet.start()
    client, leader = other_client(fleet)
    client.restore_table_from_backup(TargetTableName=RESTORED, **of)
    fleet.kill(leader)
    until(lambda: is_active(client, RESTORED))
    assert keys_of(client, RESTORED) == KEYS
    assert keys_of(client, IMPORTED) == KEYS - {"7"}
