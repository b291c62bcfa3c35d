"""Imports and bulk operations need the caller's permissions of S3, too."""

import pytest

from tests.unit.access.policies.subjects import statement
from tests.unit.api.authorization.guarded import ARN, GuardedServer, T, root, user
from tests.unit.api.dynamodb.still_server import TABLE

SOURCE = {"S3Bucket": "bucket"}
IMPORT = {
    "ClientToken": "one",
    "S3BucketSource": SOURCE,
    "InputFormat": "ION",
    "TableCreationParameters": {**TABLE, "TableName": "new", "BillingMode": "PAY_PER_REQUEST"},
}
BULK = {
    "TableName": T,
    "InputS3Configuration": {**SOURCE, "InputFormat": "ION"},
    "OutputS3Configuration": {"S3Bucket": "reports", "OutputType": ["ERROR"]},
}
LISTS = statement(Action="s3:ListBucket", Resource="arn:aws:s3:::bucket")
READS = statement(Action="s3:GetObject", Resource="arn:aws:s3:::bucket/*")
REPORTS = statement(Action="s3:*", Resource="arn:aws:s3:::reports/*")
TABLES = statement(Action="dynamodb:*", Resource="*")


@pytest.fixture
def server():
    made = GuardedServer()
    made.ask(root(), "CreateTable", **TABLE, BillingMode="PAY_PER_REQUEST")
    yield made
    made.end()


@pytest.mark.parametrize(
    ("operation", "request_", "granted", "action"),
    [
        ("ImportTable", IMPORT, [LISTS, READS], "dynamodb:ImportTable"),
        ("ImportTable", IMPORT, [TABLES, READS], "s3:ListBucket"),
        ("ImportTable", IMPORT, [TABLES, LISTS], "s3:GetObject"),
        ("StartBulkPutItems", BULK, [LISTS, READS, REPORTS], "dynamodb:StartBulkPutItems"),
        ("StartBulkPutItems", BULK, [TABLES, REPORTS, LISTS], "s3:GetObject"),
        ("StartBulkPutItems", BULK, [TABLES, LISTS, READS], "s3:AbortMultipartUpload"),
    ],
)
def test_each_permission_is_needed(server, operation, request_, granted, action):
    text = server.denied(user("ann", *granted), operation, **request_)
    assert f"not authorized to perform: {action} on resource: " in text


def test_all_of_them_are_enough(server):
    ann = user("ann", TABLES, LISTS, READS, REPORTS)
    arn = server.ask(ann, "ImportTable", **IMPORT)["ImportTableDescription"]["ImportArn"]
    server.ask(ann, "StartBulkPutItems", **BULK)
    bob = user("bob", statement(Action="dynamodb:DescribeImport", Resource=f"{ARN}/import/*"))
    assert "dynamodb:DescribeImport" in server.denied(bob, "DescribeImport", ImportArn=arn)
    server.ask(ann, "DescribeImport", ImportArn=arn)
