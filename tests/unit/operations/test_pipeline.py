"""Tables that requests find at hand: never one that is not there, or not so any more."""

import asyncio

import msgspec
import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.observe.metrics import Metrics
from hashrange.operations.operation import Caller
from hashrange.operations.pipeline import Pipeline
from hashrange.operations.registry import OPERATIONS
from hashrange.tables.catalog import Catalog
from hashrange.tables.store import Store
from tests.unit.operations.still_server import CALLER, SHOWN_MS, TABLE, StillServer

T = "a-table"
OTHER = Caller("111111111111", "us-east-1", "localhost")
ITEM = {"pk": {"S": "a"}}
SORTED = {
    "TableName": T,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "N"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
REQUESTS = [
    ("GetItem", {"TableName": T, "Key": ITEM}),
    ("PutItem", {"TableName": T, "Item": ITEM}),
    ("BatchGetItem", {"RequestItems": {T: {"Keys": [ITEM]}}}),
    ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": T, "Item": ITEM}}]}),
]


def performed(pipeline, operation, request, caller=CALLER):
    typed = msgspec.convert(request, OPERATIONS[operation].request)
    return pipeline.perform(operation, typed, caller)


def refused(server, pipeline, operation, request, caller=CALLER):
    with pytest.raises(DynamoError) as error:
        server.run(performed(pipeline, operation, request, caller))
    return error.value.fault


@pytest.fixture
def server():
    made = StillServer()
    yield made
    made.end()


# To look whether it is there leaves it in memory, and it is refused as before.
@pytest.mark.parametrize(("operation", "request_"), REQUESTS)
def test_a_table_that_is_being_created_is_not_found(server, operation, request_):
    server.perform("CreateTable", **TABLE, BillingMode="PAY_PER_REQUEST")
    pipeline = server._pipeline
    for _ in range(3):
        assert refused(server, pipeline, operation, request_) is Fault.RESOURCE_NOT_FOUND
    server.later(SHOWN_MS)
    for _ in range(2):
        server.run(performed(pipeline, operation, request_))


# Another server shares the engine: what this one has in memory is not what is stored.
@pytest.mark.parametrize(("operation", "request_"), REQUESTS)
def test_a_table_that_another_server_has_made_anew(server, operation, request_):
    create = {**TABLE, "BillingMode": "PAY_PER_REQUEST"}
    here, there = (
        Pipeline(server.store, Catalog(server.engine), Metrics().consumed),
        Pipeline(Store(server.engine, server), Catalog(server.engine), Metrics().consumed),
    )
    server.run(performed(here, "CreateTable", create))
    server.run(performed(here, operation, request_))
    server.run(performed(there, "DeleteTable", {"TableName": T}))
    assert refused(server, here, operation, request_) is Fault.RESOURCE_NOT_FOUND
    server.run(performed(there, "CreateTable", create))
    server.run(performed(here, operation, request_))
    server.run(performed(there, "DeleteTable", {"TableName": T}))
    server.run(performed(there, "CreateTable", SORTED))
    other_key = {Fault.VALIDATION, Fault.TRANSACTION_CANCELLED}
    assert refused(server, here, operation, request_) in other_key
    item = {"pk": {"N": "1"}, "sk": {"S": "b"}}
    server.run(performed(here, "PutItem", {"TableName": T, "Item": item}))


# The same name is a table of each caller; an ARN of the other's is nowhere, however often asked.
def test_separate_callers_do_not_meet(server):
    catalog = Catalog(server.engine)
    pipeline = Pipeline(server.store, catalog, Metrics().consumed, separate=True)
    create = {**TABLE, "BillingMode": "PAY_PER_REQUEST"}
    server.run(performed(pipeline, "CreateTable", create))
    get = {"TableName": T, "Key": ITEM}
    server.run(performed(pipeline, "PutItem", {"TableName": T, "Item": ITEM}))
    for _ in range(2):
        assert refused(server, pipeline, "GetItem", get, OTHER) is Fault.RESOURCE_NOT_FOUND
    server.run(performed(pipeline, "CreateTable", create, OTHER))
    arn = f"arn:aws:dynamodb:us-east-1:{CALLER.account}:table/{T}"
    for _ in range(2):
        answers = [
            server.run(performed(pipeline, "GetItem", get, caller)) for caller in (CALLER, OTHER)
        ]
        assert [answer.item is None for answer in answers] == [False, True]
        by_arn = {**get, "TableName": arn}
        assert server.run(performed(pipeline, "GetItem", by_arn)).item is not None
        assert refused(server, pipeline, "GetItem", by_arn, OTHER) is Fault.RESOURCE_NOT_FOUND


# What was looked up once for many requests may be asked for them in any order, and at once.
def test_one_performer_for_many_requests(server):
    server.create(BillingMode="PAY_PER_REQUEST")
    put = server._pipeline.performer("PutItem", CALLER)
    items = [{"pk": {"S": str(number)}} for number in range(20)]
    requests = [
        msgspec.convert({"TableName": T, "Item": item}, OPERATIONS["PutItem"].request)
        for item in items
    ]

    async def all_at_once():
        await asyncio.gather(*map(put, requests))

    server.run(all_at_once())
    answer = server.run(performed(server._pipeline, "Scan", {"TableName": T}))
    assert answer.count == len(items)
