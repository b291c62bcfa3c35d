"""The pipeline: the order of its steps, and the tables that it finds in memory."""

import asyncio
from functools import partial

import msgspec
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.admission import Admitted
from hashrange.api.steps.operation import Caller
from hashrange.capacity.units import Charge, HashRange
from hashrange.errors import DynamoError, Fault
from hashrange.observe.metrics import Metrics
from hashrange.storage.engine import (
    ContendedError,
    KeyTooLongError,
    NoReadLeaseError,
    StaleFenceError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.keys.keyspace import hash16
from hashrange.tables.writing.store import Store
from tests.api.tables import keyed
from tests.unit.api.dynamodb.still_server import CALLER, SHOWN_MS, TABLE, StillServer

T = "a-table"
OTHER = Caller("111111111111", "us-east-1", "localhost")
ITEM = {"pk": {"S": "a"}}
SORTED = {"TableName": T, **keyed(pk="N", sk="S")}
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
    pipeline = server.pipeline
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
    put = server.pipeline.performer("PutItem", CALLER)
    items = [{"pk": {"S": str(number)}} for number in range(20)]
    requests = [
        msgspec.convert({"TableName": T, "Item": item}, OPERATIONS["PutItem"].request)
        for item in items
    ]

    async def all_at_once():
        await asyncio.gather(*map(put, requests))

    server.run(all_at_once())
    answer = server.run(performed(server.pipeline, "Scan", {"TableName": T}))
    assert answer.count == len(items)


class Steps:
    """A policy, an admission and an observer that note when they are asked, and for what."""

    def __init__(self, refused=None, *, slowly=False):
        self.seen = []
        self._refused = refused
        self._slowly = slowly

    def _note(self, *what):
        self.seen.append(what)
        if what[0] == self._refused:
            raise DynamoError(Fault.LIMIT_EXCEEDED, "no")

    def allow(self, caller, operation, checked, tables):
        exist = [table is not None for table in tables.values()]
        self._note("allow", caller.account, *operation.accesses(checked), *exist)

        def fit(checked, *tables):
            plan = operation.fit(checked, *tables)
            self._note("allow plan", type(plan).__name__)
            return plan

        return fit

    def see(self, operation, plan, namespace):
        assert namespace == ""
        self._note("see", *operation.charges(plan))

    def admit(self, operation, plan, tables):
        if self._slowly:
            return None
        charges = operation.charges(plan)
        self._note("admit", *charges)
        return Admitted(plan, charges)

    async def admit_slowly(self, operation, plan, names, tables):
        charges = operation.charges(plan)
        self._note("admit slowly", *names, *charges)
        return Admitted(plan, charges)

    def charge(self, admitted, cost):
        if cost is None:
            self._note("returned", *admitted.charges)
        else:
            self._note("charge", cost.read_units, cost.write_units, *cost.charges)


def stepping(server, refused=None, *, slowly=False):
    steps, pipeline = Steps(refused, slowly=slowly), server.pipeline
    pipeline.guard(steps)
    pipeline.observe(steps)
    pipeline.limit(steps)
    return steps


PUT = ("PutItem", {"TableName": T, "Item": ITEM})
PUT_ACCESS = Access("PutItem", Resource("table", T))
PLACE = hash16([ITEM["pk"]])
LEAST = Charge(T, (ITEM["pk"],), write_units=1.0, position=PLACE)


def test_steps_are_taken_in_their_order(server):
    server.create(BillingMode="PAY_PER_REQUEST")
    steps = stepping(server)
    large = {**ITEM, "a": {"S": "x" * 1024}}
    server.run(performed(server.pipeline, "PutItem", {"TableName": T, "Item": large}))
    assert steps.seen == [
        ("allow", CALLER.account, PUT_ACCESS, True),
        ("allow plan", "PutItemPlan"),
        ("see", LEAST),
        ("admit", LEAST),
        ("charge", 0.0, 2.0),
    ]


# A table whose capacity is not in memory is read first.
def test_what_is_not_admitted_at_once_is_admitted_slowly(server):
    server.create(BillingMode="PAY_PER_REQUEST")
    steps = stepping(server, slowly=True)
    server.run(performed(server.pipeline, *PUT))
    assert steps.seen[-2:] == [("admit slowly", T, LEAST), ("charge", 0.0, 1.0)]


class Replaced(Steps):
    """An admission that is replaced while the plan that it has admitted runs."""

    def __init__(self, pipeline, following):
        super().__init__()
        self._replace = lambda: pipeline.limit(following)

    def admit(self, operation, plan, tables):
        admitted = super().admit(operation, plan, tables)
        self._replace()
        return admitted


# What took the units of a plan charges them: insights and auto scaling come and go at any time.
@pytest.mark.parametrize("following", [None, Steps()], ids=["none", "another"])
@pytest.mark.parametrize(
    ("condition", "seen"),
    [("attribute_exists(pk)", Fault.CONDITION_FAILED), ("attribute_not_exists(pk)", None)],
)
def test_an_admission_charges_what_it_has_admitted(server, following, condition, seen):
    server.create(BillingMode="PAY_PER_REQUEST")
    steps = Replaced(server.pipeline, following)
    server.pipeline.limit(steps)
    put = {"TableName": T, "Item": ITEM, "ConditionExpression": condition}
    if seen is None:
        server.run(performed(server.pipeline, "PutItem", put))
    else:
        assert refused(server, server.pipeline, "PutItem", put) is seen
    assert steps.seen == [("admit", LEAST), ("charge", 0.0, 1.0)]
    assert following is None or following.seen == []


# Whoever may not touch a table is not told whether there is one.
def test_what_is_not_allowed_is_refused_before_tables_are_not_found(server):
    steps = stepping(server, refused="allow")
    assert refused(server, server.pipeline, *PUT) is Fault.LIMIT_EXCEEDED
    assert steps.seen == [("allow", CALLER.account, PUT_ACCESS, False)]


@pytest.mark.parametrize("step", ["allow plan", "admit"])
def test_what_a_plan_is_refused_for_changes_nothing(server, step):
    server.create(BillingMode="PAY_PER_REQUEST")
    steps = stepping(server, refused=step)
    assert refused(server, server.pipeline, *PUT) is Fault.LIMIT_EXCEEDED
    assert steps.seen[-1][0] == step
    server.pipeline.guard(None)
    server.pipeline.limit(None)
    assert server.run(performed(server.pipeline, "Scan", {"TableName": T})).count == 0


# A refusal that costs is charged as an answer is.
def test_failed_conditions_and_cancelled_transactions_are_charged(server):
    server.create(BillingMode="PAY_PER_REQUEST")
    steps = stepping(server)
    never = {"ConditionExpression": "attribute_exists(gone)"}
    put = {"TableName": T, "Item": ITEM, **never}
    assert refused(server, server.pipeline, "PutItem", put) is Fault.CONDITION_FAILED
    assert steps.seen[-1] == ("charge", 0.0, 1.0)
    transaction = {"TransactItems": [{"Put": put}]}
    cancelled = refused(server, server.pipeline, "TransactWriteItems", transaction)
    assert cancelled is Fault.TRANSACTION_CANCELLED
    assert steps.seen[-2:] == [
        ("admit", msgspec.structs.replace(LEAST, write_units=2.0)),
        ("charge", 0.0, 0.0, Charge(T, write_units=2.0)),
    ]


HALF = b"\x80" + bytes(15)
CHARGES = [
    ("GetItem", {"Key": ITEM}, [Charge(T, (ITEM["pk"],), read_units=0.5, position=PLACE)]),
    (
        "GetItem",
        {"Key": ITEM, "ConsistentRead": True},
        [Charge(T, (ITEM["pk"],), read_units=1.0, position=PLACE)],
    ),
    ("DeleteItem", {"Key": ITEM}, [LEAST]),
    ("UpdateItem", {"Key": ITEM}, [LEAST]),
    (
        "Query",
        {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": ITEM["pk"]}},
        [Charge(T, (ITEM["pk"],), read_units=0.5, position=PLACE)],
    ),
    ("Scan", {}, [Charge(T, HashRange(b"", b""), read_units=0.5)]),
    (
        "Scan",
        {"TotalSegments": 2, "Segment": 0},
        [Charge(T, HashRange(bytes(16), HALF), read_units=0.5, position=bytes(16))],
    ),
    (
        "Scan",
        {"TotalSegments": 2, "Segment": 1},
        [Charge(T, HashRange(HALF, b""), read_units=0.5, position=HALF)],
    ),
]


@pytest.mark.parametrize(("operation", "request_", "charges"), CHARGES)
def test_the_least_that_plans_cost(server, operation, request_, charges):
    server.create(BillingMode="PAY_PER_REQUEST")
    steps = stepping(server)
    server.run(performed(server.pipeline, operation, {"TableName": T, **request_}))
    (charge,) = charges
    charged = ("charge", charge.read_units, charge.write_units)
    assert steps.seen[3:] == [("admit", *charges), charged]


# Whatever happens in the engine is told as a fault of DynamoDB, or goes on to be logged.
@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ContendedError("x"), Fault.THROTTLED),
        (StorageBusyError("x"), Fault.UNAVAILABLE),
        (StorageUnavailableError("x"), Fault.INTERNAL),
        (NoReadLeaseError("x"), Fault.UNAVAILABLE),
        (KeyTooLongError(9), Fault.VALIDATION),
        (StaleFenceError("x"), Fault.UNAVAILABLE),
        (StorageError("x"), None),
    ],
)
@pytest.mark.parametrize(("operation", "request_"), [PUT, REQUESTS[2]])
def test_faults_of_the_storage(server, monkeypatch, error, fault, operation, request_):
    server.create(BillingMode="PAY_PER_REQUEST")
    row = OPERATIONS[operation]

    async def fail(*_):
        raise error

    rows = {operation: msgspec.structs.replace(row, run=fail)}
    performer = partial(server.pipeline.performer, rows=rows)
    monkeypatch.setattr(server.pipeline, "performer", performer)
    steps = stepping(server)
    if fault is not None:
        assert refused(server, server.pipeline, operation, request_) is fault
    else:
        with pytest.raises(StorageError):
            server.run(performed(server.pipeline, operation, request_))
    assert "returned" in [step for step, *_ in steps.seen]
    assert "charge" not in [step for step, *_ in steps.seen]
