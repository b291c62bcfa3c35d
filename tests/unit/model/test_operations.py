"""What is known of operations agrees with itself and with what performs them."""

import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.model.operations import OPERATION_FACTS, is_read_only

# Source: CloudTrail User Guide, data events of AWS::DynamoDB::Table and AWS::DynamoDB::Stream; of
# SearchVectors by analogy.
DATA_EVENTS = {
    "BatchExecuteStatement",
    "BatchGetItem",
    "BatchWriteItem",
    "DeleteItem",
    "ExecuteStatement",
    "ExecuteTransaction",
    "GetItem",
    "GetRecords",
    "GetShardIterator",
    "PutItem",
    "Query",
    "Scan",
    "SearchVectors",
    "TransactGetItems",
    "TransactWriteItems",
    "UpdateItem",
}


def test_operations_have_their_own_rows():
    for name, operation in OPERATIONS.items():
        assert operation.facts is OPERATION_FACTS[name]


def test_data_events_are_those_of_cloudtrail():
    assert {name for name, row in OPERATION_FACTS.items() if row.is_data_event} == DATA_EVENTS


def test_reads_write_no_items_and_record_no_answer():
    for name, row in OPERATION_FACTS.items():
        if row.is_read:
            assert not row.is_answer_recorded, name
            assert row.action is None or not row.action.writes_items, name


def test_answers_of_data_events_are_not_recorded():
    assert not any(row.is_data_event and row.is_answer_recorded for row in OPERATION_FACTS.values())


@pytest.mark.parametrize(
    ("operation", "reads"),
    [
        ("Query", True),
        ("TransactGetItems", True),
        ("DescribeTable", True),
        ("ExecuteStatement", False),
        ("ExportTableToPointInTime", False),
        ("GetUser", True),
        ("LookupEvents", True),
        ("SimulatePrincipalPolicy", True),
        ("CreateUser", False),
        ("AssumeRole", False),
        ("", False),
    ],
)
def test_what_only_reads(operation, reads):
    assert is_read_only(operation) is reads
