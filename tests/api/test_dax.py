"""The DAX endpoint beside the API: what no official client shows. See tests/clients/dax."""

import uuid

import pytest

from hashrange.dax.protocol.methods import METHODS
from hashrange.wire.cbor import encoding as cbor
from hashrange.wire.cbor.encoding import encode_integer
from tests.api.conftest import client_of
from tests.api.dax_session import DaxSession
from tests.api.test_audit import ATTEMPTS_MAX, records_in
from tests.ports import free_port

NUMBERS = {method.name: number for number, method in METHODS.items()}
VALIDATION = [4, 37, 38, 39, 46]
NOT_FOUND = [4, 37, 38, 39, 41]
ITEM, ITEMS = 0, 7
PROJECTION, CONSISTENT, SELECT = 0, 2, 15


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The directory of the audit log of one table."""
    return tmp_path_factory.mktemp("audit") / "log"


@pytest.fixture(scope="module")
def server(start_server, log):
    """URL and DAX port of a server."""
    port = free_port()
    url = start_server(dax_port=port, audit=log, audit_data_events="Audited")
    return url, port


@pytest.fixture
def dynamodb(server):
    return client_of(server[0])


@pytest.fixture
def dax(server):
    with DaxSession("127.0.0.1", server[1]) as session:
        yield session


@pytest.fixture
def table(dynamodb):
    name = f"t-{uuid.uuid4()}"
    make(dynamodb, name, "S")
    yield name
    dynamodb.delete_table(TableName=name)


def make(dynamodb, name, kind):
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": kind}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )


def call(dax, name, *arguments):
    return dax.call(NUMBERS[name], *arguments)


def data(text):
    return cbor.byte_string(text.encode())


def parameters(**values):
    names = {"projection": PROJECTION, "consistent": CONSISTENT, "select": SELECT}
    pairs = [(encode_integer(names[name]), value) for name, value in values.items()]
    return cbor.mapping(pairs)


# Of two paths through elements of a list that which exists is told, also if it is the second.
def test_projection_of_list_elements(dynamodb, dax, table):
    elements = [{"M": {"y": {"N": "1"}}}, {"M": {"x": {"N": "2"}}}]
    dynamodb.put_item(TableName=table, Item={"pk": {"S": "a"}, "l": {"L": elements}})
    path = "84 12 616c d90cfc{index} 6178"
    paths = "82" + path.format(index="00") + path.format(index="01")
    projection = cbor.byte_string(bytes.fromhex("8201" + paths))
    answer = call(dax, "getItem", data(table), data("a"), parameters(projection=projection))
    assert answer == {ITEM: {1: 2}}
    twice = cbor.byte_string(bytes.fromhex("8201" + "82" + path.format(index="00") * 2))
    codes, text = call(dax, "getItem", data(table), data("a"), parameters(projection=twice))
    assert (codes, "overlap" in text) == (VALIDATION, True)


# Clients keep a schema for a minute; what does not fit the new one is refused.
def test_table_with_another_key(dynamodb, dax, table):
    assert call(dax, "defineKeySchema", data(table)) == {"pk": "S"}
    assert dax.get(table, "foo") == {}
    dynamodb.delete_table(TableName=table)
    make(dynamodb, table, "N")
    codes, text = dax.get(table, "foo")
    assert (codes, text) == (VALIDATION, "The provided key element does not match the schema")
    assert call(dax, "defineKeySchema", data(table)) == {"pk": "N"}


def test_table_that_does_not_exist(dax):
    assert call(dax, "defineKeySchema", data("nothing"))[0] == NOT_FOUND
    assert dax.get("nothing", "a")[0] == NOT_FOUND
    assert dax.get("?", "a")[0] == VALIDATION


# Names of an item are found by its number, which other connections are told too.
def test_attribute_lists(server, dynamodb, dax, table):
    names = cbor.array([cbor.text("b"), cbor.text("a")])
    number = call(dax, "defineAttributeListId", names)
    with DaxSession("127.0.0.1", server[1]) as other:
        assert call(other, "defineAttributeListId", names) == number
        assert call(other, "defineAttributeList", encode_integer(number)) == ["b", "a"]
        assert call(other, "defineAttributeList", encode_integer(10**9))[0] == VALIDATION
        assert call(other, "defineAttributeList", b"\x01") == []
    item = cbor.byte_string(encode_integer(number) + b"\x01\x02")
    call(dax, "putItem", data(table), data("k"), item, cbor.NULL)
    stored = dynamodb.get_item(TableName=table, Key={"pk": {"S": "k"}})["Item"]
    assert stored == {"pk": {"S": "k"}, "b": {"N": "1"}, "a": {"N": "2"}}
    unknown = cbor.byte_string(encode_integer(10**9) + b"\x01")
    assert call(dax, "putItem", data(table), data("k"), unknown, cbor.NULL)[0] == VALIDATION


# A read that comes again is decoded once: its values are as they were, and the item is not.
def test_repeated_reads(dynamodb, dax, table):
    number = call(dax, "defineAttributeListId", cbor.array([cbor.text("v")]))
    condition = cbor.byte_string(bytes.fromhex("830183048212617682110081c4820001"))
    # Strongly consistent, since items are written beside the caches.
    strong = (encode_integer(CONSISTENT), b"\x01")
    filtered = cbor.mapping([strong, (b"\x0a", condition)])
    key_condition = cbor.byte_string(bytes.fromhex("83018300821262706b821100816161"))
    for value in (2, 1, 3):
        item = {"pk": {"S": "a"}, "v": {"N": str(value)}}
        dynamodb.put_item(TableName=table, Item=item)
        encoded = encode_integer(number) + encode_integer(value)
        for _ in range(2):
            read = call(dax, "getItem", data(table), data("a"), cbor.mapping([strong]))
            assert read == {ITEM: encoded}
            found = [[b"a", encoded]] if value > 1 else []
            assert call(dax, "scan", data(table), filtered)[ITEMS] == found
            assert call(dax, "query", data(table), key_condition, filtered)[ITEMS] == found


# Arguments of wrong types are refused, and the connection goes on.
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("getItem", ["01", "4161", "f6"]),
        ("getItem", ["4474657374", "6161", "f6"]),
        ("getItem", ["4474657374", "4161", "01"]),
        ("getItem", ["4474657374", "4161", "a10363544f54"]),
        ("getItem", ["4474657374", "4161", "a10309"]),
        ("putItem", ["4474657374", "4161", "f6", "f6"]),
        ("query", ["4474657374", "f6", "a10d1bffffffffffffffff"]),
        ("batchGetItem", ["80", "f6"]),
        ("batchGetItem", ["a16474657374 80", "f6"]),
        ("batchWriteItem", ["a16474657374814161", "f6"]),
        ("transactGetItems", ["8144746573 74", "80", "f6", "f6"]),
        ("transactWriteItems", ["8118ff", "814474657374", "814161", *["f6"] * 6]),
        ("defineAttributeListId", ["8101"]),
        ("defineAttributeList", ["6161"]),
        ("defineKeySchema", ["01"]),
    ],
)
def test_wrong_arguments(dax, name, arguments):
    assert call(dax, name, *map(bytes.fromhex, arguments))[0] == VALIDATION
    assert dax.endpoints()


# The number of its arguments is not known: the connection ends.
def test_unknown_method(dax):
    codes, text = dax.call(785068263)
    assert (codes, text) == ([4, 37, 38, 44], "The method 785068263 is not supported")
    with pytest.raises((AssertionError, ConnectionError)):
        dax.endpoints()


# An answer of a megabyte, and a put of 400 KB in many parts.
def test_large(dax, table):
    number = call(dax, "defineAttributeListId", cbor.array([cbor.text("v")]))
    item = cbor.byte_string(encode_integer(number) + cbor.text("x" * 390_000))
    for key in "abc":
        call(dax, "putItem", data(table), data(key), item, cbor.NULL)
    assert len(call(dax, "scan", data(table), cbor.NULL)[ITEMS]) == 3


# The endpoint is found at the address that the client has reached.
def test_endpoints(server, dax):
    (node,) = call(dax, "endpoints")
    assert (node[1], node[2], node[3], node[4]) == ("127.0.0.1", b"\x7f\x00\x00\x01", server[1], 1)


def record_of(log, name):
    """The newest record of an operation on the table Audited."""
    for _ in range(ATTEMPTS_MAX):
        found = [each for each in records_in(log) if each["eventName"] == name]
        if found:
            return found[-1]
    raise AssertionError(f"no record of {name}")


# Calls are in the audit log as requests of the API: with keys, and without values.
def test_audited(dynamodb, dax, log):
    make(dynamodb, "Audited", "S")
    dax.put("Audited", "k-1")
    record = record_of(log, "PutItem")
    assert record["requestParameters"] == {
        "tableName": "Audited",
        "key": {"pk": "k-1"},
        "items": ["pk"],
    }
    assert record["userIdentity"]["accessKeyId"] == "local"
    assert record["sourceIPAddress"] == "127.0.0.1"
    condition = cbor.byte_string(bytes.fromhex("8301820c821262706b80"))
    failing = cbor.mapping([(b"\x04", condition)])
    call(dax, "deleteItem", data("Audited"), data("k-1"), failing)
    assert record_of(log, "DeleteItem")["errorCode"] == "ConditionalCheckFailedException"
