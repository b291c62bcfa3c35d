"""Refused values as the service prints them back."""

import pytest

from hashrange.limits.requests import ECHO_CHARS_MAX
from hashrange.wire.constraints import between, each, length, map_keys, map_values, required
from hashrange.wire.echo import as_java
from hashrange.wire.member_types import VALUE, ListOf, Scalar
from hashrange.wire.rules import ITSELF
from tests.unit.wire.requests import (
    KeysAndAttributes,
    KeySchemaElement,
    PutRequest,
    Request,
    WriteRequest,
    told,
    value,
)

SHORT = "Member must have length greater than or equal to 3"


def shown_value(**members):
    names = ["s", "n", "b", "sS", "nS", "bS", "m", "l", "nULL", "bOOL"]
    shown = ", ".join(f"{name}={members.get(name, 'null')}" for name in names)
    return f"AttributeValue({shown})"


def test_attribute_values_are_echoed_with_all_members():
    item = {
        "pk": {"S": "a, b"},
        "none": {},
        "b": {"B": "AQI="},
        "m": {"M": {"l": {"L": [{"BOOL": True}, {"NULL": True}]}}},
        "set": {"NS": ["1", "2"]},
        "two": {"N": "1", "SS": []},
    }
    (text,) = told(
        Request(writes={"T": [WriteRequest(PutRequest(item))]}),
        map_values("writes", least=3, most=5),
    )
    inner = f"[{shown_value(bOOL='true')}, {shown_value(nULL='true')}]"
    shown = {
        "pk": shown_value(s="a, b"),
        "none": shown_value(),
        "b": shown_value(b="java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]"),
        "m": shown_value(m=f"{{l={shown_value(l=inner)}}}"),
        "set": shown_value(nS="[1, 2]"),
        "two": shown_value(n="1", sS="[]"),
    }
    listed = ", ".join(f"{name}={value}" for name, value in shown.items())
    assert text.split("'")[1] == (
        f"{{T=[WriteRequest(putRequest=PutRequest(item={{{listed}}}, workloadProfileName=null))]}}"
    )


# Values may be as deep as JSON may be.
def test_deep_values_are_echoed():
    value_ = {"S": "x"}
    for _ in range(150):
        value_ = {"M": {"a": value_}}
    assert "s=x" in as_java(value_, VALUE)


def test_booleans_and_odd_names_are_echoed_as_java_does():
    request = Request(sse=True, attributes_to_get=["é", "\N{GRINNING FACE}"])
    flag = each("attributes_to_get", length(ITSELF, 3, None))
    assert told(request, flag)[1] == value("\N{GRINNING FACE}", "attributesToGet.2.member", SHORT)
    assert told(Request(sse=True), between("sse", 3, None)) == [
        value("true", "sSEEnabled", "Member must have value greater than or equal to 3")
    ]
    assert told(Request(sse=False), between("sse", 3, None)) == [
        value("false", "sSEEnabled", "Member must have value greater than or equal to 3")
    ]


def test_json_echoes_have_no_nulls():
    request = Request(gets={"!": KeysAndAttributes(), "?": KeysAndAttributes([{"a": {"L": []}}])})
    (text,) = told(request, map_keys("gets", least=1, most=5, pattern="[a-z]+", as_json=True))
    assert '{"!":{},"?":{"Keys":[{"a":{"L":[]}}]}}' in text


class Counted(list):
    looked_at = 0

    def __iter__(self):
        for element in super().__iter__():
            self.looked_at += 1
            yield element


# What is cut off is not looked at either.
def test_the_work_of_an_echo_is_bounded():
    elements = Counted(["x"] * 1_000_000)
    assert as_java(elements, ListOf(element=Scalar.STRING)).startswith("[x, x, ")
    assert elements.looked_at < ECHO_CHARS_MAX


# 16 MiB of anything must not hold up the others. What is large is made by the test: a parameter
# would be kept until the end of the run.
@pytest.mark.parametrize(
    ("name", "unit", "count", "row"),
    [
        ("attributes_to_get", ["x"], 4_000_000, length("attributes_to_get", 1, 9)),
        ("table_name", "x", 16_000_000, length("table_name", 1, 9)),
        ("key_schema", [KeySchemaElement()], 4_000_000, length("key_schema", 1, 2)),
        ("key_schema", [KeySchemaElement()], 4_000_000, each("key_schema", required("key_type"))),
    ],
)
def test_huge_values_are_echoed_in_part(name, unit, count, row):
    found = told(Request(**{name: unit * count}), row)
    assert found
    assert all(len(text) < ECHO_CHARS_MAX + 200 for text in found)


def test_huge_json_echoes_are_cut():
    request = Request(gets={"!": KeysAndAttributes([{"a": {"S": "x" * 100_000}}])})
    (text,) = told(request, map_keys("gets", least=3, most=5, as_json=True))
    assert len(text) < ECHO_CHARS_MAX + 200
