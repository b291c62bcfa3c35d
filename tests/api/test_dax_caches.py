"""The caches of `--dax-port`: two clients see what DAX documents as stale, and nothing else so."""

import re
import uuid

import pytest

from hashrange.dax.protocol.methods import METHODS
from hashrange.wire.cbor import encoding as cbor
from hashrange.wire.cbor.encoding import encode_integer
from tests.api.conftest import client_of
from tests.api.dax_session import DaxSession
from tests.api.tables import keyed
from tests.copied_pages import fresh
from tests.ports import free_port
from tests.served import served

NUMBERS = {method.name: number for number, method in METHODS.items()}
ITEM = 0
STRONG = cbor.mapping([(b"\x02", b"\x01")])
NOTHING = {}
QUERY_SECONDS, ITEM_SECONDS = 60, 300
"""Times to live: the first is set, the other one is that of DAX."""


@pytest.fixture(scope="module")
def port():
    return free_port()


@pytest.fixture(scope="module")
def server(port):
    ttl_ms = QUERY_SECONDS * 1000
    with served(testing=True, dax_port=port, dax_query_ttl_ms=ttl_ms) as server:
        yield server


@pytest.fixture(scope="module")
def beside(server):
    """A client of the API, which the caches do not see."""
    client = client_of(server.endpoint)
    yield client
    client.close()


@pytest.fixture
def dax(server, port):
    with DaxSession("127.0.0.1", port) as session:
        yield session


@pytest.fixture
def other(server, port):
    """Another client of DAX."""
    with DaxSession("127.0.0.1", port) as session:
        yield session


@pytest.fixture
def table(beside):
    name = f"t-{uuid.uuid4()}"
    beside.create_table(TableName=name, **keyed(pk="S"))
    yield name
    beside.delete_table(TableName=name)


@pytest.fixture
def write(beside, table):
    """Writes an item with a value beside the caches."""

    def write(key, value):
        item = {"pk": {"S": key}, "v": {"N": str(value)}}
        beside.put_item(TableName=table, Item=item)

    return write


@pytest.fixture
def encoded(dax):
    """The attributes of an item with a value, as answers have them."""
    number = dax.call(NUMBERS["defineAttributeListId"], cbor.array([cbor.text("v")]))
    return lambda value: encode_integer(number) + encode_integer(value)


def data(text):
    return cbor.byte_string(text.encode())


def strong(dax, table, key):
    return dax.call(NUMBERS["getItem"], data(table), data(key), STRONG)


def figure(server, name):
    text = fresh(f"{server.endpoint}/metrics")
    return float(re.search(rf"^hashrange_{name} (\S+)$", text, re.MULTILINE)[1])


def test_an_item_is_read_from_the_table_once(server, beside, dax, other, table, write, encoded):
    write("a", 1)
    hits = figure(server, "dax_item_cache_hits_total")
    misses = figure(server, "dax_item_cache_misses_total")
    assert [each.get(table, "a") for each in (dax, other, dax)] == [{ITEM: encoded(1)}] * 3
    assert figure(server, "dax_item_cache_hits_total") == hits + 2
    assert figure(server, "dax_item_cache_misses_total") == misses + 1


def test_what_is_written_beside_the_caches_is_seen_when_the_time_is_over(
    clock, dax, other, table, write, encoded
):
    write("a", 1)
    assert dax.get(table, "a") == {ITEM: encoded(1)}
    assert other.get(table, "b") == NOTHING
    write("a", 2)
    write("b", 2)
    assert other.get(table, "a") == {ITEM: encoded(1)}
    assert dax.get(table, "b") == NOTHING
    # A strongly consistent read passes by, and leaves the entry as it is.
    assert strong(other, table, "a") == {ITEM: encoded(2)}
    clock.advance(seconds=ITEM_SECONDS - 10)
    assert dax.get(table, "a") == {ITEM: encoded(1)}
    clock.advance(seconds=11)
    assert dax.get(table, "a") == other.get(table, "b") == {ITEM: encoded(2)}


# A table of the same name is another table.
def test_a_table_that_is_made_again_has_no_old_items(beside, dax, table, write, encoded):
    write("a", 1)
    assert dax.get(table, "a") == {ITEM: encoded(1)}
    schema = beside.describe_table(TableName=table)["Table"]
    beside.delete_table(TableName=table)
    beside.create_table(
        TableName=table,
        BillingMode="PAY_PER_REQUEST",
        **{name: schema[name] for name in ("AttributeDefinitions", "KeySchema")},
    )
    assert dax.get(table, "a") == NOTHING
