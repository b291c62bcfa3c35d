"""Which partition keys are counted of requests, and when."""

import json

import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.steps.operation import TableMode
from hashrange.errors import DynamoError
from hashrange.model.table import Index, KeyAttribute
from hashrange.server.sampler import EVERY, WATCHED_NS, Sampler
from hashrange.tables.opened.open_table import OpenTable
from hashrange.wire.codec import Decoder
from tests.unit.server.harness import StillClock
from tests.unit.tables.definitions import definition

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Orders"
BY_OWNER = Index(
    name="by-owner",
    number=1,
    partition=(KeyAttribute("owner", "S"), KeyAttribute("year", "N")),
    projection="ALL",
)
LOCAL = Index(
    name="local",
    number=2,
    is_local=True,
    partition=(KeyAttribute("pk", "S"),),
    sort=(KeyAttribute("k", "S"),),
    projection="ALL",
)
TABLES = {
    name: OpenTable(definition(name=name, indexes=(BY_OWNER, LOCAL)), {})
    for name in ("Orders", "Users")
}
KEY = {"pk": {"S": "a"}}
OTHER = {"pk": {"S": "b"}}


def request(operation, body):
    return Decoder(OPERATIONS[operation].request).decode(json.dumps(body).encode())


def sampler_on(clock):
    return Sampler([].append, clock.monotonic_ns)


def see(sampler, operation, request_, namespace=""):
    """Show the plan of a request to the sampler as the pipeline does, if there is one."""
    row = OPERATIONS[operation]
    try:
        checked = row.check(request_)
        assert row.tables is TableMode.OPEN
        opened = [TABLES[name.rpartition("/")[2]] for name in checked.table_names]
        plan = row.fit(checked, *opened)
    except (DynamoError, KeyError):
        return
    sampler.see(row, plan, namespace)


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
        ("GetItem", {"TableName": ARN, "Key": KEY}, {("Orders", "a")}),
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
        (
            "Query",
            query(
                "#pk = :pk AND begins_with(#k, :k)",
                {":pk": {"S": "a"}, ":k": {"S": "b"}},
                IndexName="local",
            ),
            {("Orders/local", "a")},
        ),
        # Nothing to count: these are refused before there is a plan, or name no keys.
        ("Query", query("#pk > ", {":pk": {"S": "a"}}), set()),
        ("Query", query("#pk = :pk", {":pk": {"S": "a"}}, IndexName="none"), set()),
        ("GetItem", {"TableName": "Orders", "Key": {"pk": {}}}, set()),
        ("GetItem", {"TableName": "Orders", "Key": {"other": {"S": "a"}}}, set()),
        ("GetItem", {"TableName": "None", "Key": KEY}, set()),
        ("GetItem", {}, set()),
        ("BatchGetItem", {}, set()),
        ("TransactWriteItems", {"TransactItems": [{}]}, set()),
        ("Scan", {"TableName": "Orders"}, set()),
    ],
)  # fmt: skip
def test_keys_of_each_operation(operation, body, keys):
    sampler = sampler_on(StillClock())
    sampler.watch()
    see(sampler, operation, request(operation, body))
    total, hottest = sampler.watch()
    assert {hot for hot, _ in hottest} == keys
    assert total == len(keys)


def test_keys_of_namespaces_are_told_apart():
    sampler = sampler_on(StillClock())
    sampler.watch()
    for _ in range(100):
        see(sampler, "GetItem", request("GetItem", {"TableName": "Orders", "Key": KEY}), "1:here:")
    assert {key for key, _ in sampler.watch()[1]} == {("1:here:Orders", "a")}


# One in some, and each turn of a program's loop as likely as the others.
def test_a_part_of_the_requests_is_looked_at():
    sampler = sampler_on(StillClock())
    sampler.watch()
    bodies = [
        request("GetItem", {"TableName": "Orders", "Key": {"pk": {"S": f"{turn}"}}})
        for turn in range(8)
    ]
    for turn in range(8 * 4000):
        see(sampler, "GetItem", bodies[turn % 8])
    total, hottest = sampler.watch()
    assert total == pytest.approx(8 * 4000 / EVERY, rel=0.1)
    assert len(hottest) == 8
    assert hottest[0][1] < 1.5 * total / 8


def test_sampling_ends_when_nobody_asks_any_more():
    clock, observers = StillClock(), []
    sampler = Sampler(observers.append, clock.monotonic_ns)
    assert not sampler.is_watched
    sampler.watch()
    assert sampler.is_watched
    get = request("GetItem", {"TableName": "Orders", "Key": KEY})
    see(sampler, "GetItem", get)
    clock.seconds += WATCHED_NS // 1_000_000_000
    for _ in range(2 * EVERY):
        see(sampler, "GetItem", get)
    assert not sampler.is_watched
    assert sampler.watch() == (0, [])
    assert observers[0] is observers[-1] is sampler
    assert set(observers[1:-1]) == {None}
