"""Transactions on tables whose writes look first: at unfinished indexes, at item collections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.steps.operation import ChargedError
from hashrange.errors import DynamoError, Fault
from hashrange.tables.verifying.verify import findings
from tests.api.indexes import attributes, index_of, schema
from tests.api.transactions import check, delete, put, update
from tests.unit.api.dynamodb.still_server import StillServer

T = "a-table"
INDEX = index_of("by-g", "g")
BUILD = {
    "AttributeDefinitions": attributes(pk="S", g="S"),
    "GlobalSecondaryIndexUpdates": [{"Create": INDEX}],
}
LETTERS = "abcd"


def key(letter):
    return {"pk": {"S": letter}}


def grouped(letter, group):
    return {**key(letter), "g": {"S": group}}


@pytest.fixture
def new_server():
    """Makes servers in which everything must fit together at the end."""
    made = []

    def new(**table):
        server = StillServer(transient_ms=0)
        made.append(server)
        server.create(BillingMode="PAY_PER_REQUEST", **table)
        return server

    yield new
    for server in made:
        assert server.run(findings(server.engine)) == []
        assert server.store.in_flight == {}
        server.end()


_actions = {
    "put": lambda letter, group: put(T, grouped(letter, group)),
    "move": lambda letter, group: update(
        T, key(letter), "SET g = :g", ExpressionAttributeValues={":g": {"S": group}}
    ),
    "leave": lambda letter, _: update(T, key(letter), "REMOVE g"),
    "delete": lambda letter, _: delete(T, key(letter)),
    "check": lambda letter, _: check(T, key(letter), "attribute_exists(pk)"),
}
_transactions = st.dictionaries(
    st.sampled_from(LETTERS),
    st.tuples(st.sampled_from(sorted(_actions)), st.sampled_from("xy")),
    min_size=1,
)


# An index is built while transactions go on: in the end it has what the items have, whether its
# builder came before, between or after them.
@given(st.lists(_transactions, max_size=8), st.integers(0, 8), st.booleans())
def test_an_index_that_is_built_meanwhile(transactions, built_after, with_tokens):
    server = StillServer(transient_ms=0)
    server.create(BillingMode="PAY_PER_REQUEST")
    for letter in LETTERS[:2]:
        server.call("PutItem", Item=grouped(letter, "x"))
    server.update(**BUILD)
    for number, chosen in enumerate(transactions):
        if number == built_after:
            server.index()
        actions = [_actions[kind](letter, group) for letter, (kind, group) in chosen.items()]
        token = {"ClientRequestToken": f"token-{number}"} if with_tokens else {}
        for _ in range(2):
            try:
                server.call("TransactWriteItems", TransactItems=actions, **token)
            except ChargedError:
                continue
    server.index()
    items = {item["pk"]["S"]: item for item in server.call("Scan")["Items"]}
    entries = {item["pk"]["S"]: item for item in server.call("Scan", IndexName="by-g")["Items"]}
    assert entries == {letter: item for letter, item in items.items() if "g" in item}
    assert server.run(findings(server.engine)) == []
    server.end()


LOCAL = {
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "l")
    ],
    "KeySchema": schema("pk", sort=("sk",)),
    "LocalSecondaryIndexes": [index_of("by-l", "pk", sort=("l",))],
}


def row(pk, sk, size=0):
    return {"pk": {"S": pk}, "sk": {"S": sk}, "a": {"S": "x" * size}}


def reasons(server, *actions):
    with pytest.raises(DynamoError) as refused:
        server.call("TransactWriteItems", TransactItems=actions)
    assert refused.value.fault is Fault.TRANSACTION_CANCELLED
    return [
        (reason.code, reason.message) for reason in refused.value.members["CancellationReasons"]
    ]


# J.3: an item collection that grows beyond its limit is the reason of the action that does it.
def test_collections_that_are_full(new_server):
    server = new_server(**LOCAL)
    server.store.collection_bytes_max = 1000
    full = ("ItemCollectionSizeLimitExceeded", "Collection size exceeded.")
    told = reasons(
        server, put(T, row("a", "1", 600)), put(T, row("b", "1", 600)), put(T, row("a", "2", 600))
    )
    assert told == [("None", None), ("None", None), full]
    server.call(
        "TransactWriteItems", TransactItems=[put(T, row("a", "1", 600)), put(T, row("b", "1", 600))]
    )
    assert reasons(server, put(T, row("a", "2", 600))) == [full]
    # What shrinks before makes room for what comes behind it.
    server.call(
        "TransactWriteItems",
        TransactItems=[delete(T, {"pk": {"S": "a"}, "sk": {"S": "1"}}), put(T, row("a", "2", 600))],
    )
    # A check neither grows nor shrinks anything.
    server.store.collection_bytes_max = 10
    checked = check(T, {"pk": {"S": "a"}, "sk": {"S": "2"}}, "attribute_exists(pk)")
    assert server.call("TransactWriteItems", TransactItems=[checked]) == {}
