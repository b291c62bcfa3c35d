"""X-Amz-Target."""

from hashrange.model.operations import OPERATION_FACTS, Service
from hashrange.wire.exchange import operation_of, target_of
from tests.rows import rows
from tests.unit.wire.model import OPERATIONS, model

_SERVICES = {"dynamodb": Service.DYNAMODB, "dynamodbstreams": Service.STREAMS}


# The rows are written by hand; a new model must not leave them behind.
@rows(("service", "operation"), OPERATIONS)
def test_every_operation_of_the_model_is_known(service, operation):
    target = f"{model(service).metadata['targetPrefix']}.{operation}".encode()
    facts = operation_of(target)
    assert (facts.name, facts.service) == (operation, _SERVICES[service])
    assert target_of(operation) == target


def test_there_are_no_others():
    assert OPERATION_FACTS.keys() == {operation for _, operation in OPERATIONS}


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
