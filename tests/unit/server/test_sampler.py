"""Which partition keys are counted of requests, and when."""

import json

import pytest

from hashrange.model.table import Index, KeyAttribute
from hashrange.operations.operation import Caller
from hashrange.operations.registry import OPERATIONS
from hashrange.server.sampler import EVERY, WATCHED_NS, Sampler
from hashrange.tables.opened import OpenTable
from hashrange.wire.codec import Decoder
from tests.unit.server.harness import StillClock
from tests.unit.tables.definitions import definition

CALLER = Caller("000000000000", "us-east-1", "h")
BY_OWNER = Index(
    name="by-owner",
    number=1,
    partition=(KeyAttribute("owner", "S"), KeyAttribute("year", "N")),
    projection="ALL",
)
TABLES = {
    name: OpenTable(definition(name=name, indexes=(BY_OWNER,)), {}) for name in ("Orders", "Users")
}
KEY = {"pk": {"S": "a"}}
OTHER = {"pk": {"S": "b"}}


def request(operation, body):
    return Decoder(OPERATIONS[operation].request).decode(json.dumps(body).encode())


def sampler_on(clock):
    return Sampler(lambda name, _caller: TABLES.get(name), clock.monotonic_ns)


def query(condition, values, **more):
    names = {f"#{name[1:]}": name[1:] for name in values}
    return {
        "TableName": "Orders",
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
        **more,
    }


@pytest.mark.parametrize(
    ("operation", "body", "keys"),
    [
        ("GetItem", {"TableName": "Orders", "Key": KEY}, {("Orders", "a")}),
        ("UpdateItem", {"TableName": "Orders", "Key": KEY}, {("Orders", "a")}),
        ("DeleteItem", {"TableName": "Orders", "Key": KEY}, {("Orders", "a")}),
        ("PutItem", {"TableName": "Orders", "Item": {**KEY, "n": {"N": "1"}}}, {("Orders", "a")}),
        (
            "BatchGetItem",
            {"RequestItems": {"Orders": {"Keys": [KEY, OTHER]}, "Users": {"Keys": [KEY]}}},
            {("Orders", "a"), ("Orders", "b"), ("Users", "a")},
        ),
        (
            "BatchWriteItem",
            {
                "RequestItems": {
                    "Orders": [{"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": OTHER}}]
                }
            },
            {("Orders", "a"), ("Orders", "b")},
        ),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": "Orders", "Item": KEY}},
                    {"Delete": {"TableName": "Users", "Key": OTHER}},
                ]
            },
            {("Orders", "a"), ("Users", "b")},
        ),
        (
            "TransactGetItems",
            {"TransactItems": [{"Get": {"TableName": "Orders", "Key": KEY}}]},
            {("Orders", "a")},
        ),
        ("Query", query("#pk = :pk", {":pk": {"S": "a"}}), {("Orders", "a")}),
        (
            "Query",
            {
                "TableName": "Orders",
                "KeyConditions": {
                    "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}
                },
            },
            {("Orders", "a")},
        ),
        (
            "Query",
            query(
                "#owner = :owner AND #year = :year",
                {":owner": {"S": "o"}, ":year": {"N": "2026"}},
                IndexName="by-owner",
            ),
            {("Orders/by-owner", "o, 2026")},
        ),
        # Nothing to count, and nothing that must fail: these are refused later, or name no keys.
        ("Query", query("#pk > ", {":pk": {"S": "a"}}), set()),
        ("Query", query("#pk = :pk", {":pk": {"S": "a"}}, IndexName="none"), set()),
        ("GetItem", {"TableName": "Orders", "Key": {"pk": {}}}, set()),
        ("GetItem", {"TableName": "Orders", "Key": {"other": {"S": "a"}}}, set()),
        ("GetItem", {"TableName": "None", "Key": KEY}, set()),
        ("GetItem", {}, set()),
        ("BatchGetItem", {}, set()),
        ("TransactWriteItems", {"TransactItems": [{}]}, set()),
        ("Scan", {"TableName": "Orders"}, set()),
        ("ListTables", {}, set()),
    ],
)  # fmt: skip
def test_keys_of_each_operation(operation, body, keys):
    sampler = sampler_on(StillClock())
    sampler.watch()
    sampler.see(request(operation, body), CALLER)
    total, hottest = sampler.watch()
    assert {hot for hot, _ in hottest} == keys
    assert total == len(keys)


# One in some, and each turn of a program's loop as likely as the others.
def test_a_part_of_the_requests_is_looked_at():
    sampler = sampler_on(StillClock())
    sampler.watch()
    bodies = [
        request("GetItem", {"TableName": "Orders", "Key": {"pk": {"S": f"{turn}"}}})
        for turn in range(8)
    ]
    for turn in range(8 * 4000):
        sampler.see(bodies[turn % 8], CALLER)
    total, hottest = sampler.watch()
    assert total == pytest.approx(8 * 4000 / EVERY, rel=0.1)
    assert len(hottest) == 8
    assert hottest[0][1] < 1.5 * total / 8


def test_sampling_ends_when_nobody_asks_any_more():
    clock = StillClock()
    sampler = sampler_on(clock)
    assert not sampler.is_watched
    sampler.watch()
    assert sampler.is_watched
    get = request("GetItem", {"TableName": "Orders", "Key": KEY})
    sampler.see(get, CALLER)
    clock.seconds += WATCHED_NS // 1_000_000_000
    for _ in range(2 * EVERY):
        sampler.see(get, CALLER)
    assert not sampler.is_watched
    assert sampler.watch() == (0, [])
