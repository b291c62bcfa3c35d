"""What nobody should send, by name, and the exact answer to it.

Each is refused with a 400 in DynamoDB's JSON, changes nothing, takes no long time, and leaves a
server that answers the next request.
"""

from typing import Any

import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.limits.requests import JSON_DEPTH_MAX
from hashrange.wire.member_types import (
    VALUE,
    ListOf,
    MapOf,
    MemberType,
    Scalar,
    Structure,
    java_type,
    structure_of,
)
from tests.effort import effort
from tests.fuzz.memory import KEY, Refusing
from tests.fuzz.mutations import CORPUS, TABLES, encoded, nested, raw, shown

SERIALIZATION = "com.amazon.coral.service#SerializationException"
UNREADABLE = {"__type": SERIALIZATION}


@pytest.fixture(scope="module")
def server():
    own = Refusing(TABLES)
    yield own
    own.close()


def put(value):
    return {"TableName": "simple", "Item": {**KEY, "v": value}}


GOOD = [(operation, request) for operation, requests in CORPUS.items() for request in requests]


# Bodies that are no JSON, or none that ends where it should.


@pytest.mark.parametrize(("operation", "request_"), GOOD, ids=shown)
def test_every_beginning_of_a_good_body(server, operation, request_):
    body = encoded(request_)
    for length in range(0, len(body), effort(7, 1)):
        assert server.refusal(operation, body[:length]) == UNREADABLE


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"\0",
        b"\xef\xbb\xbf{}",
        b"{}{}",
        b"{},",
        b"{",
        b"}",
        b"[]",
        b"null",
        b"true",
        b"7",
        b'"{}"',
        b"{'TableName':'simple'}",
        b'{"TableName":simple}',
        b'{"TableName":"simple",}',
        b'{TableName:"simple"}',
        b'{"TableName":"simple"/**/}',
        b'{"TableName":"\\ud800"}',
        b'{"TableName":"\\udc00\\ud800"}',
        b'{"\\ud800":1}',
        b'{"TableName":"\\x41"}',
        b'{"TableName":"\\u00g0"}',
        b'{"TableName":"a\nb"}',
        b'{"TableName":"a\0b"}',
        b'{"Limit":01}',
        b'{"Limit":+1}',
        b'{"Limit":.5}',
        b'{"Limit":1.}',
        b'{"Limit":0x10}',
        b'{"Limit":NaN}',
        b'{"Limit":Infinity}',
        b'{"Limit":1e}',
        b'{"Limit":-}',
        bytes(range(256)),
        b"\x1f\x8b\x08\x00",
    ],
    ids=shown,
)
def test_what_is_no_json_object(server, body):
    for operation in OPERATIONS:
        assert server.refusal(operation, body) == UNREADABLE, operation


# What is no member is skipped unread, so here it is a member.
@pytest.mark.parametrize(
    "text", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"a\xe9", b"\xf5\x80\x80\x80"]
)
def test_what_is_no_utf_8(server, text):
    for operation, request in GOOD:
        for member in request:
            body = encoded({**request, member: "MARK"}).replace(b"MARK", text)
            assert server.refusal(operation, body) == UNREADABLE
    assert (
        server.refusal("PutItem", encoded(put({"S": "MARK"})).replace(b"MARK", text)) == UNREADABLE
    )
    assert server.refusal("PutItem", encoded(put({"M": {"MARK": {}}})).replace(b"MARK", text)) == (
        UNREADABLE
    )


# No stack overflows, wherever the depth is.
@pytest.mark.parametrize(
    "body",
    [
        nested("[", "]", 100_000, ""),
        nested('{"a":', "}", 100_000, "1"),
        nested("[", "", 100_000, ""),
        nested('{"TableName":', "}", 100_000, '"simple"'),
        raw('{"TableName":"simple","x":%s}' % ("[" * 100_000 + "]" * 100_000)),
    ],
    ids=["lists", "objects", "never closed", "member", "unknown member"],
)
def test_depth_of_100_000(server, body):
    for operation in OPERATIONS:
        assert server.refusal(operation, bytes(body)) == UNREADABLE, operation


# Of what is skipped unread as well.
def test_depth_beyond_the_bound(server):
    levels = JSON_DEPTH_MAX
    body = '{"TableName":"simple","x":%s}' % ("[" * levels + "]" * levels)
    for operation in OPERATIONS:
        assert server.refusal(operation, body.encode()) == UNREADABLE, operation
    assert server.refusal("PutItem", body.replace("[]", "").encode()) != UNREADABLE


UPDATE = '{"TableName":"simple","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET v=:v",'
VALUE_PLACES = {
    "item": ("PutItem", '{"TableName":"simple","Item":{"pk":{"S":"a"},"v":%s}}'),
    "key": ("GetItem", '{"TableName":"simple","Key":{"pk":%s}}'),
    "value": ("UpdateItem", UPDATE + '"ExpressionAttributeValues":{":v":%s}}'),
    "put": ("BatchWriteItem", '{"RequestItems":{"simple":[{"PutRequest":{"Item":{"pk":%s}}}]}}'),
    "get": ("BatchGetItem", '{"RequestItems":{"simple":{"Keys":[{"pk":%s}]}}}'),
    # Refused for its name, and echoed as JSON.
    "echo": ("BatchGetItem", '{"RequestItems":{"!":{"Keys":[{"pk":%s}]}}}'),
    "start": ("Scan", '{"TableName":"simple","ExclusiveStartKey":{"pk":%s}}'),
    "after a fault": ("PutItem", '{"TableName":5,"Item":{"pk":{"S":"a"},"v":%s}}'),
}


# Below our bound there is Python's, which must not show: every depth is refused.
@pytest.mark.parametrize(("operation", "body"), VALUE_PLACES.values(), ids=VALUE_PLACES)
@pytest.mark.parametrize(
    ("opening", "closing", "leaf"),
    [('{"L":[', "]}", '{"S":"x"}'), ('{"M":{"a":', "}}", '{"S":"x"}'), ('{"L":[', "]}", '{"S":1}')],
)
def test_values_of_every_depth(server, operation, body, opening, closing, leaf):
    for depth in [33, *range(140, 160), *range(200, 1300, effort(211, 31)), 100_000]:
        value = opening * depth + leaf + closing * depth
        response = server.send(operation, (body % value).encode())
        assert response.status == 400, response.body


# A value of every wrong kind in every member of every operation, also of members in members.


def _places(
    member_type: MemberType, skeleton: Any = None, depth: int = 0, *, is_member: bool = True
):
    """Every place of a request with the function that puts a value there."""
    build = skeleton or (lambda value: value)
    if depth:
        yield member_type, build, is_member
    if member_type is VALUE and depth > 3:
        return
    match member_type:
        case Structure(members=members):
            for name, member in members.items():
                yield from _places(member, lambda value, name=name: build({name: value}), depth + 1)
        case ListOf(element=element):
            yield from _places(element, lambda value: build([value]), depth + 1, is_member=False)
        case MapOf(value=inner):
            yield from _places(inner, lambda value: build({"k": value}), depth + 1, is_member=False)


OBJECT = "Start of structure or map found where not expected"
CAST = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
    "java.lang.Class are in module java.base of loader 'bootstrap')"
)
KINDS = {
    "NUMBER_VALUE": 7,
    "DECIMAL_VALUE": 1.5,
    "STRING_VALUE": "x",
    "TRUE_VALUE": True,
    "list": [],
    "object": {},
}
"""A value of each kind of JSON; scalars by the name of their token."""
FITTING: dict[Scalar, set[str]] = {
    Scalar.STRING: {"STRING_VALUE"},
    Scalar.BLOB: set(),
    Scalar.BOOLEAN: {"TRUE_VALUE"},
    Scalar.INTEGER: {"NUMBER_VALUE", "DECIMAL_VALUE"},
    Scalar.LONG: {"NUMBER_VALUE", "DECIMAL_VALUE"},
    Scalar.DOUBLE: {"NUMBER_VALUE", "DECIMAL_VALUE"},
    Scalar.DATE: {"NUMBER_VALUE", "DECIMAL_VALUE"},
}


def _text(member_type: MemberType, kind: str, *, is_member: bool) -> str | None:
    """What is said of a kind in a place; None where it is of the right kind."""
    match member_type:
        case Scalar():
            fitting = FITTING[member_type]
        case ListOf():
            fitting = {"list"}
        case _:
            fitting = {"object"}
    if kind in fitting:
        return None
    if kind == "object":
        return OBJECT
    if kind == "list":
        return f"Unrecognized collection type {java_type(member_type)}"
    return _text_of_scalar(member_type, kind, is_member=is_member)


SPECIAL = {
    (Scalar.BLOB, "STRING_VALUE"): (
        "Base64 encoded length is expected a multiple of 4 bytes but found: 1"
    ),
    (Scalar.BLOB, "NUMBER_VALUE"): "only base-64-encoded strings are convertible to bytes",
    (Scalar.BLOB, "DECIMAL_VALUE"): "only base-64-encoded strings are convertible to bytes",
    (Scalar.BLOB, "TRUE_VALUE"): "only base-64-encoded strings are convertible to bytes",
    (Scalar.BOOLEAN, "STRING_VALUE"): "Unexpected token received from parser",
}


def _text_of_scalar(member_type: MemberType, token: str, *, is_member: bool) -> str:
    match member_type:
        case Scalar():
            converted = f"{token} cannot be converted to {member_type.simple_name}"
            return SPECIAL.get((member_type, token), converted)
        case _ if is_member:
            return "Unexpected field type"
        case Structure():
            return "Unexpected value type in payload"
        case _:
            return CAST


# Searches are read by another parser: tests/unit/wire/test_strict_reading.py.
LENIENT = [name for name in OPERATIONS if not OPERATIONS[name].needed]


@pytest.mark.parametrize("operation", LENIENT)
def test_every_wrong_kind_in_every_member(server, operation):
    places = list(_places(structure_of(OPERATIONS[operation].request)))
    step = effort(3, 1)
    for number, (member_type, build, is_member) in enumerate(places):
        for kind, value in [*KINDS.items()][number % step :: step]:
            text = _text(member_type, kind, is_member=is_member)
            body = build(value)
            answer = server.answer(operation, body)[1]
            if text is None:
                assert answer.get("__type") != SERIALIZATION, body
            else:
                assert answer == {"__type": SERIALIZATION, "Message": text}, body


# Null is an absent member, so whatever it stands for, it is no fault of its form.
@pytest.mark.parametrize("operation", LENIENT)
def test_null_in_every_member(server, operation):
    for member_type, build, is_member in _places(structure_of(OPERATIONS[operation].request)):
        answer = server.answer(operation, build(None))[1]
        if is_member:
            assert answer.get("__type") != SERIALIZATION, (member_type, answer)
