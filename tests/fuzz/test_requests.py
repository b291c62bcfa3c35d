"""Requests that are nearly right get an answer that the API's model knows, and soon.

Whatever is sent: no 5xx, nothing that takes long, no answer that an SDK cannot read, nothing
changed by what is refused, and no memory kept. More examples:
`pytest tests/fuzz --hypothesis-profile=nightly`.
"""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashrange.api.dynamodb.registry import OPERATIONS
from tests.api.shapes import assert_error_shape, assert_shape
from tests.effort import effort
from tests.fuzz.memory import LOOPS_MAX, STREAMS, MemoryServer, held_bytes
from tests.fuzz.mutations import CORPUS, TABLES, encoded, mutated
from tests.pace import costs_at_most

GROWTH_BYTES_MAX = 50_000_000
INPUTS = effort(5_000, 10_000)
"""That memory is measured over; more under the profiles that look longer."""
WARM_UP = effort(1_000, 2_000)
ROUND = 500
"""Requests until the tables are put back."""


@pytest.fixture(scope="module")
def server():
    own = MemoryServer()
    put_back(own)
    yield own
    own.close()


def put_back(server):
    """Exactly the tables that the corpus uses, with little in them."""
    server.settle()
    for name in server.call("ListTables")["TableNames"]:
        server.call("UpdateTable", TableName=name, DeletionProtectionEnabled=False)
        server.call("DeleteTable", TableName=name)
    server.settle()
    server.create(TABLES)
    for operation in ("PutItem", "UpdateItem", "PutResourcePolicy"):
        for request in CORPUS[operation]:
            server.call(operation, **request)


def check(server, operation, body):
    """Send it, and look at the answer; the status."""
    changes = server.changes
    with costs_at_most(LOOPS_MAX):
        response = server.send(operation, body)
    answer = json.loads(response.body or b"{}")
    service = "dynamodbstreams" if operation in STREAMS else "dynamodb"
    if response.status == 200:
        assert_shape(operation, answer, service)
    else:
        assert response.status == 400
        assert_error_shape(operation, answer, service)
        assert server.changes == changes, "a refused request has changed something"
    return response.status


OF_NOTHING = {
    "CancelBulkOperation",
    "CreateGlobalTable",
    "DeleteBackup",
    "DescribeBackup",
    "DescribeBulkOperation",
    "DescribeExport",
    "DescribeGlobalTable",
    "DescribeGlobalTableSettings",
    "DescribeImport",
    "DescribeTableReplicaAutoScaling",
    "DisableKinesisStreamingDestination",
    "ExportTableToPointInTime",
    "RestoreTableFromBackup",
    "RestoreTableToPointInTime",
    "UpdateGlobalTable",
    "UpdateGlobalTableSettings",
    "UpdateKinesisStreamingDestination",
    "UpdateTableReplicaAutoScaling",
}
"""What they are about is not built, or is not there: a good request is told that there is none."""


def test_every_operation_has_a_corpus():
    assert sorted(CORPUS) == sorted(OPERATIONS), "add good requests in tests/fuzz/corpus"


# What is changed must be good to begin with, or only its first check would ever be tried.
def test_the_corpus_is_good():
    server = MemoryServer()  # where nobody has used a token yet
    for operation, requests in CORPUS.items():
        put_back(server)
        for request in requests:
            status = 400 if operation in OF_NOTHING else 200
            assert check(server, operation, encoded(request)) == status, (operation, request)
    server.close()


@given(st.randoms(use_true_random=False))
def test_changed_requests_are_answered(server, randomness):
    check(server, *mutated(randomness))


@given(st.sampled_from(sorted(CORPUS)), st.binary(max_size=200))
def test_any_bytes_are_answered(server, operation, body):
    assert check(server, operation, body) == 400 or body.strip().startswith(b"{")


@given(st.text(max_size=20), st.binary(max_size=20))
def test_any_target_is_answered(server, target, body):
    response = server.send(target.encode("ascii", "replace").decode(), body)
    assert response.status == 400
    assert json.loads(response.body)["__type"].startswith("com.amazon.coral.service#")


# The same inputs in every run: that memory grows by chance would be no finding.
@pytest.mark.long
def test_memory_does_not_grow(server):
    inputs = INPUTS * max(1, settings().max_examples // 1000)
    source = random.Random(20120810)
    statuses = {200: 0, 400: 0}
    before = 0
    for number in range(WARM_UP + inputs):
        if number % ROUND == 0:
            put_back(server)
        if number == WARM_UP:
            before = held_bytes()
        operation, body = mutated(source)
        try:
            statuses[check(server, operation, body)] += 1
        except BaseException as error:
            error.add_note(f"input {number}: {operation} {body!r}")
            raise
    assert held_bytes() - before < GROWTH_BYTES_MAX
    # Both sides of every check must have been seen.
    assert min(statuses.values()) > inputs // 20


def large_requests(number):
    """Requests of a megabyte that no request before was like."""
    key, text = {"pk": {"S": "a"}}, f"x{number}-" + "x" * 1_000_000
    many = [f"{number}_{each}" for each in range(5_000)]
    get = {"TableName": "simple", "Key": key, "ProjectionExpression": "a"}
    scan = {"TableName": "simple", "FilterExpression": "a = :a"}
    update = {"TableName": "simple", "Key": key}
    yield "GetItem", get | {"ProjectionExpression": text}
    yield "GetItem", get | {"ExpressionAttributeNames": {f"#{each}": "x" for each in many}}
    yield "GetItem", get | {"ExpressionAttributeNames": {"#a": text}, "ProjectionExpression": "#a"}
    yield "GetItem", get | {"TableName": text}
    yield "GetItem", get | {"AttributesToGet": [text]}
    yield "Scan", scan | {"ExpressionAttributeValues": {f":{each}": {"S": ""} for each in many}}
    yield "Scan", scan | {"ExpressionAttributeValues": {":a": {"S": text}}}
    yield "Scan", scan | {"ScanFilter": {text: {"ComparisonOperator": "NULL"}}}
    yield "Scan", {"TableName": "simple", "ScanFilter": {text: {"ComparisonOperator": "NULL"}}}
    yield "UpdateItem", update | {"AttributeUpdates": {text[:65_000]: {"Action": "DELETE"}}}
    yield "UpdateItem", update | {"AttributeUpdates": {each: {"Action": "DELETE"} for each in many}}
    yield "DeleteItem", update | {"Expected": {each: {"Exists": False} for each in many}}
    yield "DescribeTable", {"TableName": text}
    yield "ListTables", {"ExclusiveStartTableName": text}


# What is kept from request to request must be bounded in bytes and not only in number.
@pytest.mark.long
def test_memory_does_not_grow_by_large_requests(server):
    put_back(server)
    before, rounds = 0, effort(6, 18)
    for number in range(12 + rounds):
        if number == 12:
            before = held_bytes()
        for operation, request in large_requests(number):
            check(server, operation, encoded(request))
    assert held_bytes() - before < rounds * 800_000
