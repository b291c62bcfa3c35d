"""Buckets of a server are read and written for callers who may do so themselves only."""

import gzip
import json

import pytest
from botocore.exceptions import ClientError

from hashrange.settings.settings import Settings
from tests.access.callers import EVERYTHING, Callers
from tests.api import exports, imports
from tests.api.conftest import ServerThread, client_of
from tests.api.refusals import table_request

T = "table"
BUCKET = "arn:aws:s3:::bucket"
PUT = ["s3:PutObject", "s3:PutObjectAcl", "s3:AbortMultipartUpload"]
GET = {"Action": "s3:GetObject", "Resource": f"{BUCKET}/*"}
LIST = {"Action": "s3:ListBucket", "Resource": BUCKET}


def allowed(*statements):
    """All of DynamoDB, and these statements about buckets."""
    every = {"Action": "dynamodb:*", "Resource": "*"}
    made = [{"Effect": "Allow", **each} for each in (every, *statements)]
    return {"Version": "2012-10-17", "Statement": made}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "in").mkdir()
    line = json.dumps({"Item": {"pk": {"S": "k"}, "n": {"N": "1"}}})
    (tmp_path / "in" / "1.json").write_text(line)
    return tmp_path


@pytest.fixture
def client(root):
    """Makes a client of a user with policies; the server has one bucket, and a table."""
    callers = Callers()
    settings = Settings(port=0, memory=True, auth="required", drain_seconds=1, s3=f"bucket={root}")
    server = ServerThread(settings, callers)

    def made(name, *policies):
        return client_of(server.endpoint, **callers.user(name, *policies))

    made("administrator", EVERYTHING).create_table(**table_request(TableName=T))
    yield made
    server.close()


def denied(action, call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    told = error.value.response["Error"]
    assert told["Code"] == "AccessDeniedException"
    assert f"is not authorized to perform: {action} on resource: {BUCKET}" in told["Message"]


def test_exports(client, root):
    able = client("able", allowed({"Action": PUT, "Resource": f"{BUCKET}/*"}))
    arn = exports.recoverable(able, T)
    request = {"TableArn": arn, "S3Bucket": "bucket", "S3Prefix": "out"}
    unable = client("unable", allowed(GET, LIST))
    elsewhere = client("elsewhere", allowed({"Action": PUT, "Resource": "arn:aws:s3:::other/*"}))
    for each in (unable, elsewhere):
        denied("s3:PutObject", each.export_table_to_point_in_time, **request)
    assert not (root / "out").exists()
    begun = able.export_table_to_point_in_time(**request)["ExportDescription"]
    assert exports.ended(able, begun["ExportArn"])["ExportStatus"] == "COMPLETED"
    (data,) = (root / "out").rglob("data/*.gz")
    assert gzip.decompress(data.read_bytes()) == b""


def test_imports(client):
    request = {
        "S3BucketSource": {"S3Bucket": "bucket", "S3KeyPrefix": "in/"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": imports.creation("imported"),
    }
    denied("s3:GetObject", client("lists", allowed(LIST)).import_table, **request)
    denied("s3:ListBucket", client("reads", allowed(GET)).import_table, **request)
    able = client("able", allowed(GET, LIST))
    assert "imported" not in able.list_tables()["TableNames"]
    told = imports.ended(able, able.import_table(**request)["ImportTableDescription"]["ImportArn"])
    assert (told["ImportStatus"], told["ImportedItemCount"]) == ("COMPLETED", 1)


# The reports of a bulk operation are written, which reading does not allow.
def test_bulk_operations(client, root):
    request = {
        "TableName": T,
        "InputS3Configuration": {
            "S3Bucket": "bucket",
            "S3KeyPrefix": "in/",
            "InputFormat": "DYNAMODB_JSON",
        },
        "OutputS3Configuration": {
            "S3Bucket": "bucket",
            "S3KeyPrefix": "out",
            "OutputType": ["ERROR"],
        },
    }
    reads = client("reads", allowed(GET, LIST))
    denied(PUT[2], reads.start_bulk_put_items, **request)
    writes = {"Action": PUT, "Resource": f"{BUCKET}/*"}
    denied("s3:GetObject", client("puts", allowed(writes, LIST)).start_bulk_put_items, **request)
    assert not (root / "out").exists()
