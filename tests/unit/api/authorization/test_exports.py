"""Who may export a table: objects are written for callers who may write them themselves."""

import pytest

from tests.unit.access.policies.subjects import statement
from tests.unit.api.authorization.guarded import ARN, GuardedServer, root, user
from tests.unit.api.dynamodb.still_server import TABLE

EXPORT = {"TableArn": ARN, "S3Bucket": "exports"}
ON_TABLE = statement(Action="dynamodb:ExportTableToPointInTime", Resource=ARN)
PUT = ["s3:PutObject", "s3:PutObjectAcl", "s3:AbortMultipartUpload"]


def objects(bucket="exports", **more):
    return statement(Action=PUT, Resource=f"arn:aws:s3:::{bucket}/*", **more)


@pytest.fixture
def server():
    made = GuardedServer()
    made.ask(root(), "CreateTable", **TABLE, BillingMode="PAY_PER_REQUEST")
    yield made
    made.end()


# Source: Developer Guide, "Requesting a table export in DynamoDB".
@pytest.mark.parametrize(
    ("statements", "action"),
    [
        ([statement()], "s3:PutObject"),
        ([objects()], "dynamodb:ExportTableToPointInTime"),
        ([ON_TABLE, objects("others")], "s3:PutObject"),
        ([ON_TABLE, statement(Action=PUT[0], Resource="*")], "s3:PutObjectAcl"),
        (
            [ON_TABLE, objects(Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}})],
            "s3:PutObject",
        ),
        ([ON_TABLE, objects(), objects(Effect="Deny")], "s3:PutObject"),
    ],
)
def test_both_actions_are_needed(server, statements, action):
    text = server.denied(user("ann", *statements), "ExportTableToPointInTime", **EXPORT)
    assert f"is not authorized to perform: {action} on resource" in text


@pytest.mark.parametrize(
    "statements", [[ON_TABLE, objects()], [statement(Action="*", Resource="*")]]
)
def test_who_has_both_may_export(server, statements):
    code, _ = server.refusal(user("ann", *statements), "ExportTableToPointInTime", **EXPORT)
    assert code == "PointInTimeRecoveryUnavailableException"
