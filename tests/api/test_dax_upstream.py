"""`hashrange dax` in front of a server: what its caches show, and what its upstream sees of it."""

import contextlib
import json
import random
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

import hashrange
from hashrange.wire.cbor import encoding as cbor
from hashrange.wire.cbor.encoding import encode_integer
from tests.api.conftest import client_of
from tests.api.dax_calls import (
    ALL_NEW,
    NUMBERS,
    Batches,
    data,
    delete,
    put,
    scanned,
    transact_put,
    update,
)
from tests.api.dax_session import NO_ATTRIBUTES, DaxSession
from tests.api.upstream import Endpoint, Gate, Proxy
from tests.pace import seconds, until

ITEM = 0
NOTHING = {}
STRONG = cbor.mapping([(b"\x02", b"\x01")])
ITEM_SECONDS, QUERY_SECONDS = 200, 100
CALLERS = 20
WRITERS, STEPS, MOMENTS = 6, 3, 20


@pytest.fixture(scope="module")
def server():
    with hashrange.start() as server:
        yield server


@pytest.fixture(scope="module")
def beside(server):
    """A client of the upstream."""
    client = client_of(server.endpoint)
    yield client
    client.close()


@pytest.fixture
def proxy(server):
    with Proxy(server.endpoint) as proxy:
        yield proxy


@pytest.fixture
def endpoint(proxy):
    ttls = {"dax_record_ttl_ms": ITEM_SECONDS * 1000, "dax_query_ttl_ms": QUERY_SECONDS * 1000}
    with Endpoint(proxy.url, **ttls) as endpoint:
        yield endpoint


@pytest.fixture
def dax(endpoint):
    with DaxSession("127.0.0.1", endpoint.port) as session:
        yield session


@pytest.fixture
def other(endpoint):
    """Another client."""
    with DaxSession("127.0.0.1", endpoint.port) as session:
        yield session


@pytest.fixture
def table(beside):
    name = f"t-{uuid.uuid4()}"
    create(beside, name)
    yield name
    beside.delete_table(TableName=name)


def create(beside, name, kind="S"):
    beside.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": kind}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )


@pytest.fixture
def write(beside, table):
    """Writes an item with a value beside the caches."""

    def write(key, value):
        item = {"pk": {"S": key}, "v": {"N": str(value)}}
        beside.put_item(TableName=table, Item=item)

    return write


@pytest.fixture
def encoded(dax):
    """The attributes of an item with a value, as they travel."""
    number = dax.call(NUMBERS["defineAttributeListId"], cbor.array([cbor.text("v")]))
    return lambda value: encode_integer(number) + encode_integer(value)


# The counting upstream is the proof: its answer is held until all callers wait.
def test_many_callers_of_one_missing_key_cause_one_read(endpoint, proxy, table, write, encoded):
    write("a", 1)
    gate = Gate()
    proxy.disturb["GetItem"] = gate.before
    sessions = [DaxSession("127.0.0.1", endpoint.port) for _ in range(CALLERS)]
    with ThreadPoolExecutor(CALLERS) as threads:
        calls = [threads.submit(session.get, table, "a") for session in sessions]
        until(lambda: endpoint.figure("dax_item_cache_misses_total") == CALLERS)
        gate.open()
        assert [call.result() for call in calls] == [{ITEM: encoded(1)}] * CALLERS
    for session in sessions:
        session.__exit__()
    assert proxy.count("GetItem") == 1
    assert proxy.count("DescribeTable") == 1


def test_an_item_is_read_once_and_what_is_written_beside_is_seen_when_its_time_is_over(
    endpoint, proxy, dax, other, table, write, encoded
):
    write("a", 1)
    assert dax.get(table, "a") == other.get(table, "a") == {ITEM: encoded(1)}
    assert dax.get(table, "b") == other.get(table, "b") == NOTHING
    assert proxy.count("GetItem") == 2
    write("a", 2)
    write("b", 3)
    assert dax.get(table, "a") == {ITEM: encoded(1)}
    assert dax.get(table, "b") == NOTHING
    strong = other.call(NUMBERS["getItem"], data(table), data("a"), STRONG)
    assert strong == {ITEM: encoded(2)}
    assert proxy.last("GetItem")["ConsistentRead"] is True
    assert dax.get(table, "a") == {ITEM: encoded(1)}
    endpoint.clock.advance(ITEM_SECONDS * 1000 + 1)
    assert dax.get(table, "a") == {ITEM: encoded(2)}
    assert dax.get(table, "b") == {ITEM: encoded(3)}


def test_puts_and_deletes_are_seen_by_all_clients_without_a_read(
    proxy, beside, dax, other, table, encoded
):
    put(dax, table, "a", encoded(1))
    assert other.get(table, "a") == {ITEM: encoded(1)}
    found = beside.get_item(TableName=table, Key={"pk": {"S": "a"}})["Item"]
    assert found == {"pk": {"S": "a"}, "v": {"N": "1"}}
    delete(dax, table, "a")
    assert other.get(table, "a") == NOTHING
    assert "Item" not in beside.get_item(TableName=table, Key={"pk": {"S": "a"}})
    assert proxy.count("GetItem") == 0


# A read soon after it is strongly consistent: another could bring the old item back.
def test_an_update_drops_the_item_unless_its_answer_has_all_of_it(
    endpoint, proxy, dax, other, table, write, encoded
):
    write("a", 1)
    assert other.get(table, "a") == {ITEM: encoded(1)}
    assert update(dax, table, "a", 2) == NOTHING
    assert other.get(table, "a") == {ITEM: encoded(2)}
    assert proxy.count("GetItem") == 2
    assert proxy.last("GetItem")["ConsistentRead"] is True
    assert update(dax, table, "a", 3, ALL_NEW) == {2: encoded(3)}
    assert other.get(table, "a") == {ITEM: encoded(3)}
    assert proxy.count("GetItem") == 2
    endpoint.clock.advance(ITEM_SECONDS * 1000 + 1)
    assert other.get(table, "a") == {ITEM: encoded(3)}
    assert "ConsistentRead" not in proxy.last("GetItem")


def test_a_read_that_began_before_a_write_is_not_kept(proxy, dax, other, table, write, encoded):
    write("a", 1)
    gate = Gate()
    proxy.disturb["GetItem"] = gate.after
    with ThreadPoolExecutor(1) as threads:
        old = threads.submit(other.get, table, "a")
        assert gate.arrived.wait(seconds(30))
        put(dax, table, "a", encoded(2))
        gate.open()
        assert old.result() == {ITEM: encoded(1)}
    assert other.get(table, "a") == {ITEM: encoded(2)}
    assert proxy.count("GetItem") == 1


def test_a_refused_write_changes_nothing_in_the_cache(proxy, dax, other, table, write, encoded):
    write("a", 1)
    assert other.get(table, "a") == {ITEM: encoded(1)}
    # The tree of attribute_not_exists with a path.
    missing = bytes.fromhex("83 01 82 0c 82 12 62 70 6b 80")
    condition = cbor.mapping([(b"\x04", cbor.byte_string(missing))])
    codes, text = dax.call(
        NUMBERS["putItem"], data(table), data("a"), cbor.byte_string(NO_ATTRIBUTES), condition
    )
    assert (codes[-1], text) == (43, "The conditional request failed")
    assert other.get(table, "a") == {ITEM: encoded(1)}
    assert proxy.count("GetItem") == 1


def test_a_transaction_is_read_again_in_the_background(proxy, dax, other, table, write, encoded):
    write("a", 1)
    assert other.get(table, "a") == {ITEM: encoded(1)}
    transact_put(dax, table, "a", encoded(2))
    until(lambda: proxy.count("TransactGetItems") == 1)
    # Answered from the refresh, or by joining or following it: never the old item.
    assert other.get(table, "a") == {ITEM: encoded(2)}


def test_pages_are_cached_by_parameters_and_not_changed_by_writes(
    endpoint, proxy, dax, other, table, write, encoded
):
    write("a", 1)
    first = [[b"a", encoded(1)]]
    assert scanned(dax, table) == scanned(other, table) == first
    put(dax, table, "b")
    assert scanned(other, table) == first
    assert proxy.count("Scan") == 1
    both = [[b"b", b"\x01"], *first]
    assert sorted(scanned(other, table, STRONG)) == sorted(both)
    assert scanned(other, table) == first
    endpoint.clock.advance(QUERY_SECONDS * 1000 + 1)
    assert sorted(scanned(other, table)) == sorted(both)
    assert proxy.count("Scan") == 3


# In the order of `dax/protocol/parameters.py`: a limit, and what is consumed, no part of the page.
def test_a_page_of_other_parameters_is_another_page(proxy, beside, dax, table, write, encoded):
    write("a", 1)
    write("b", 2)
    one = cbor.mapping([(encode_integer(13), encode_integer(1))])
    consumed = cbor.mapping([(encode_integer(3), encode_integer(1))])
    assert [len(scanned(dax, table, each)) for each in (cbor.NULL, one, consumed)] == [2, 1, 2]
    assert [len(scanned(dax, table, each)) for each in (cbor.NULL, one, consumed)] == [2, 1, 2]
    assert proxy.count("Scan") == 2
    assert [request.get("Limit") for _, request in proxy.requests[-2:]] == [None, 1]
    # The page of another table.
    other_name = f"t-{uuid.uuid4()}"
    create(beside, other_name)
    assert scanned(dax, other_name) == []
    beside.delete_table(TableName=other_name)


def test_callers_of_one_page_share_a_read(endpoint, proxy, table, write, encoded):
    write("a", 1)
    gate = Gate()
    proxy.disturb["Scan"] = gate.before
    sessions = [DaxSession("127.0.0.1", endpoint.port) for _ in range(3)]
    with ThreadPoolExecutor(3) as threads:
        calls = [threads.submit(scanned, session, table) for session in sessions]
        until(lambda: endpoint.figure("dax_scan_cache_misses_total") == 3)
        gate.open()
        assert [call.result() for call in calls] == [[[b"a", encoded(1)]]] * 3
    for session in sessions:
        session.__exit__()
    assert proxy.count("Scan") == 1


# As of `--dax-port`: its caches go by the identity of the table, not by its name.
def test_a_table_that_is_made_again_with_another_key_is_described_again(
    endpoint, proxy, beside, dax, table, write, encoded
):
    write("a", 1)
    assert dax.get(table, "a") == {ITEM: encoded(1)}
    beside.delete_table(TableName=table)
    codes, text = dax.get(table, "b")
    assert (codes[-1], text) == (41, "Requested resource not found")
    create(beside, table)
    assert dax.get(table, "a") == NOTHING
    beside.delete_table(TableName=table)
    create(beside, table, "N")
    endpoint.clock.advance(1_000)
    codes, _ = dax.get(table, "b")
    assert codes[-1] == 46
    schema = dax.call(NUMBERS["defineKeySchema"], data(table))
    assert schema == {"pk": "N"}


def test_items_of_a_batch_are_served_each_by_itself(proxy, dax, other, table, write, encoded):
    write("a", 1)
    write("b", 2)
    assert dax.get(table, "a") == {ITEM: encoded(1)}
    session = Batches(other)
    found, unprocessed = session.get(table, "a", "b", "c")
    assert (found, unprocessed) == ({b"a": encoded(1), b"b": encoded(2)}, [])
    assert proxy.last("BatchGetItem") == {
        "RequestItems": {table: {"Keys": [{"pk": {"S": "b"}}, {"pk": {"S": "c"}}]}}
    }
    assert session.get(table, "a", "b", "c") == (found, [])
    assert other.get(table, "c") == NOTHING
    assert (proxy.count("BatchGetItem"), proxy.count("GetItem")) == (1, 1)


def test_keys_that_the_upstream_leaves_out_are_unprocessed_and_not_cached(
    proxy, dax, other, table, write, encoded
):
    write("a", 1)
    left = {"Keys": [{"pk": {"S": "a"}}]}
    answer = {"Responses": {table: []}, "UnprocessedKeys": {table: left}}
    proxy.disturb["BatchGetItem"] = lambda _: (200, json.dumps(answer).encode())
    assert Batches(dax).get(table, "a") == ({}, [b"a"])
    assert other.get(table, "a") == {ITEM: encoded(1)}


# Clients cannot be told of unprocessed puts.
def test_throttled_puts_of_a_batch_are_written_again(proxy, beside, dax, other, table, encoded):
    def throttle(_forward):
        del proxy.disturb["BatchWriteItem"]
        request = proxy.last("BatchWriteItem")["RequestItems"]
        answer = {"UnprocessedItems": {table: request[table][1:]}}
        return 200, json.dumps(answer).encode()

    put(dax, table, "b", encoded(1))
    proxy.disturb["BatchWriteItem"] = throttle
    assert Batches(dax).put(table, {"a": encoded(5), "b": encoded(6)}) == {}
    assert proxy.count("BatchWriteItem") == 2
    assert proxy.last("BatchWriteItem")["RequestItems"][table] == [
        {"PutRequest": {"Item": {"v": {"N": "6"}, "pk": {"S": "b"}}}}
    ]
    assert other.get(table, "b") == {ITEM: encoded(6)}
    assert proxy.count("GetItem") == 0
    assert beside.get_item(TableName=table, Key={"pk": {"S": "b"}})["Item"]["v"] == {"N": "6"}


# Whatever was joined, dropped or refreshed meanwhile: the cache never keeps an older item than the
# upstream has, as long as all write through it.
@pytest.mark.long
def test_after_many_writes_at_once_the_cache_has_what_the_upstream_has(endpoint, table, encoded):
    keys = ("a", "b", "c")

    calls = [
        lambda session, key, value: put(session, table, key, encoded(value)),
        lambda session, key, _: delete(session, table, key),
        lambda session, key, value: update(session, table, key, value),
        lambda session, key, value: update(session, table, key, value, ALL_NEW),
        lambda session, key, value: transact_put(session, table, key, encoded(value)),
        lambda session, key, value: Batches(session).put(table, {key: encoded(value)}),
        lambda session, *_: Batches(session).get(table, *keys),
        lambda session, key, _: session.get(table, key),
    ]

    def work(session, seed):
        drawn = random.Random(seed)
        for _ in range(STEPS):
            drawn.choice(calls)(session, drawn.choice(keys), drawn.randrange(1000))

    with contextlib.ExitStack() as stack, ThreadPoolExecutor(WRITERS) as threads:
        sessions = [
            stack.enter_context(DaxSession("127.0.0.1", endpoint.port)) for _ in range(WRITERS)
        ]
        for moment in range(MOMENTS):
            seeds = range(moment * WRITERS, (moment + 1) * WRITERS)
            list(threads.map(work, sessions, seeds))
            first = sessions[0]
            found = [first.get(table, key) for key in keys]
            stored = [
                first.call(NUMBERS["getItem"], data(table), data(key), STRONG) for key in keys
            ]
            assert found == stored
    assert endpoint.figure("dax_item_cache_hits_total") > 0
