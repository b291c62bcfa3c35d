"""Requests of exports that are refused, and lists of exports.

Texts and behaviour, where no other source is given: measurements by users, October 2026.
"""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from tests.api.conftest import client_of
from tests.api.exports import begun, recoverable, refused
from tests.api.refusals import VALIDATION
from tests.api.tables import keyed

TIME = "InvalidExportTimeException"


@pytest.fixture(scope="module")
def client(start_server):
    return client_of(start_server())


@pytest.fixture
def table(client):
    made = f"t-{uuid.uuid4()}"
    client.create_table(TableName=made, **keyed(pk="S"))
    return made


@pytest.fixture
def arn(client, table):
    return recoverable(client, table)


def test_a_list_has_ten_exports_unless_told_otherwise(client, arn):
    made = {begun(client, arn, bucket="nowhere")["ExportArn"] for _ in range(12)}
    page = client.list_exports(TableArn=arn)
    assert len(page["ExportSummaries"]) == 10
    rest = client.list_exports(TableArn=arn, NextToken=page["NextToken"])
    found = [*page["ExportSummaries"], *rest["ExportSummaries"]]
    assert sorted(each["ExportArn"] for each in found) == sorted(made)


def test_a_table_cannot_be_exported_without_recovery(client, table):
    arn = client.describe_table(TableName=table)["Table"]["TableArn"]
    text = f"Point in time recovery is not enabled for table '{table}'"
    with refused("PointInTimeRecoveryUnavailableException", text):
        begun(client, arn, bucket="nowhere")
    # Also for names that no table can have. Source: ScyllaDB's tests, which run on AWS.
    for missing in (f"{arn}x", f"{arn}@x", f"{arn} x"):
        with refused("TableNotFoundException", f"Table not found: {missing}"):
            begun(client, missing)


def test_times_outside_of_the_history_are_refused(client, arn):
    now = datetime.now(UTC)
    for time in (now + timedelta(hours=1), now - timedelta(hours=1)):
        with refused(TIME, "Export Time is invalid"):
            begun(client, arn, ExportTime=time)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"TableArn": "a-table"}, "tableArn is not a valid ARN"),
        ({"S3BucketOwner": "me"}, "Value 'me' at 's3BucketOwner' failed to satisfy constraint"),
        ({"S3Bucket": "arn:aws:s3:::b"}, "at 's3Bucket' failed to satisfy constraint"),
        ({"ExportFormat": "CSV"}, "Value 'CSV' at 'exportFormat' failed to satisfy constraint"),
        ({"ExportType": "PARTIAL_EXPORT"}, "at 'exportType' failed to satisfy constraint"),
        ({"S3SseAlgorithm": "aws:kms"}, "at 's3SseAlgorithm' failed to satisfy constraint"),
        ({"S3SseKmsKeyId": "k"}, "KMS Key Id is not supported for this encryption type"),
        (
            {"IncrementalExportSpecification": {}},
            "Export Type expected to be Incremental Export when incremental export",
        ),
        (
            {"ExportType": "FULL_EXPORT", "IncrementalExportSpecification": {}},
            "When Export Type is Full Export , Incremental Export Specification should not",
        ),
        (
            {"ExportType": "INCREMENTAL_EXPORT"},
            "Incremental Export Specification expected when export type is set",
        ),
        (
            {"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": {}},
            "ExportFromTime must be provided in IncrementalExportSpecification",
        ),
        # The model has no minimum. Source: ScyllaDB's tests, which run on AWS.
        (
            {"S3Prefix": ""},
            "Value '' at 's3Prefix' failed to satisfy constraint: Member must have length greater",
        ),
    ],
)
def test_members_that_do_not_fit_each_other_are_refused(client, arn, more, text):
    with refused(VALIDATION, text):
        client.export_table_to_point_in_time(**{"TableArn": arn, "S3Bucket": "exports", **more})


# The pattern of the service would take such a name for minutes.
def test_a_long_name_of_a_bucket_is_refused_soon(client, arn):
    with refused(VALIDATION, "2 validation errors detected: "):
        begun(client, arn, bucket="a" * 100_000 + "!")


def test_an_index_is_not_a_table(client, arn):
    with refused(VALIDATION, "Invalid Request: Table ARN is invalid."):
        begun(client, f"{arn}/index/by-n")
