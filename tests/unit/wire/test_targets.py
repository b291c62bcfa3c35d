"""X-Amz-Target."""

from hashrange.wire.targets import Service, Target, operation_of
from tests.rows import rows
from tests.unit.wire.model import OPERATIONS, model

_SERVICES = {"dynamodb": Service.DYNAMODB, "dynamodbstreams": Service.STREAMS}


# The list of names is written by hand; a new model must not leave it behind.
@rows(("service", "operation"), OPERATIONS)
def test_every_operation_of_the_model_is_known(service, operation):
    target = f"{model(service).metadata['targetPrefix']}.{operation}".encode()
    assert operation_of(target) == Target(_SERVICES[service], operation)


@rows(
    "target",
    [
        None,
        b"",
        b"whatever",
        b"DynamoDB_20120810",
        b"DynamoDB_20120810.",
        b"DynamoDB_20120810.ListTable",
        b"DynamoDB_20120810.listtables",
        b"dynamodb_20120810.ListTables",
        b"DynamoDB_20111205.ListTables",
        b"DynamoDB_20120810.GetRecords",
        b"DynamoDBStreams_20120810.GetItem",
        b"DynamoDB_20120810.\xff",
    ],
)
def test_others_are_unknown(target):
    assert operation_of(target) is None
