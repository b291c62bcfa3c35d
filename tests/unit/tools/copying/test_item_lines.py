"""Lines of JSON by value: which form they have, and what cannot be an item."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.tools.copying.item_lines import (
    ItemError,
    KnownTypes,
    item_of_line,
    json_of,
    plain_json_of,
)
from hashrange.tools.copying.seeding import line_of
from tests.rows import rows

BY_ID = KnownTypes(["id"], {"id": "S"})
BY_ITEM = KnownTypes(["Item"], {"Item": "S"})


@rows(
    ("line", "item"),
    [
        ('{"id": "a"}', {"id": {"S": "a"}}),
        ('{"id": {"S": "a"}}', {"id": {"S": "a"}}),
        ('{"Item": {"id": {"S": "a"}}}', {"id": {"S": "a"}}),
        # What is in a plain item is plain, whatever it looks like.
        ('{"id": "a", "m": {"S": "b"}}', {"id": {"S": "a"}, "m": {"M": {"S": {"S": "b"}}}}),
        ('{"id": "a", "Item": {}}', {"id": {"S": "a"}, "Item": {"M": {}}}),
        (
            '{"id": "", "n": -0.10, "t": true, "z": null, "l": [1E2, "x"]}',
            {
                "id": {"S": ""},
                "n": {"N": "-0.10"},
                "t": {"BOOL": True},
                "z": {"NULL": True},
                "l": {"L": [{"N": "1E2"}, {"S": "x"}]},
            },
        ),
        (
            '{"id": "a", "n": 1234567890123456789012345678901234567.8}',
            {"id": {"S": "a"}, "n": {"N": "1234567890123456789012345678901234567.8"}},
        ),
        ('{"id": "\\ud83d\\ude00é"}', {"id": {"S": "😀é"}}),
    ],
)
def test_line_is_an_item(line, item):
    assert item_of_line(line.encode(), BY_ID) == item


# The key of a table may have the name that exports give to the item.
@pytest.mark.parametrize(
    "line", ['{"Item": "a"}', '{"Item": {"S": "a"}}', '{"Item": {"Item": {"S": "a"}}}']
)
def test_key_named_item(line):
    assert item_of_line(line.encode(), BY_ITEM) == {"Item": {"S": "a"}}


def test_types_that_are_given():
    types = {"n": "N", "b": "B", "s": "SS", "ns": "NS", "bs": "BS", "l": "L", "m": "M", "t": "BOOL"}
    plain = {
        "id": "a",
        "n": "12",
        "b": "AA==",
        "s": ["a", "b"],
        "ns": [1, "2"],
        "bs": ["AA=="],
        "l": [1],
        "m": {"x": "y"},
        "t": False,
    }
    assert item_of_line(json.dumps(plain).encode(), KnownTypes(["id"], {"id": "S"}, types)) == {
        "id": {"S": "a"},
        "n": {"N": "12"},
        "b": {"B": "AA=="},
        "s": {"SS": ["a", "b"]},
        "ns": {"NS": ["1", "2"]},
        "bs": {"BS": ["AA=="]},
        "l": {"L": [{"N": "1"}]},
        "m": {"M": {"x": {"S": "y"}}},
        "t": {"BOOL": False},
    }


# What would be stored as something else than the file means, or not at all.
@rows(
    ("line", "text"),
    [
        (b"nope", "it is not JSON"),
        (b'{"id": "a"', "it is not JSON"),
        (b'{"id": "a"} {"id": "b"}', "it is not JSON"),
        (b'"a"', "not a JSON object"),
        (b'[{"id": "a"}]', "not a JSON object"),
        (b"{}", "the key attribute id is missing"),
        (b'{"ID": "a"}', "the key attribute id is missing"),
        (b'{"Item": {"x": {"S": "a"}}}', "the key attribute id is missing"),
        (b'{"Item": "a"}', "the value of the member Item is not an object"),
        (b'{"Item": {"id": "a"}}', "the attribute id of the member Item is not DynamoDB-JSON"),
        (b'{"id": "a", "id": "b"}', "the name id stands twice"),
        (b'{"id": "a", "m": {"x": 1, "x": 2}}', "the name x stands twice"),
        (b'{"id": "a", "n": NaN}', "NaN is not a number"),
        (b'{"id": "a", "n": -Infinity}', "-Infinity is not a number"),
        (b'{"id": 1}', "the attribute id is of type N, and S is wanted"),
        (b'{"id": null}', "the attribute id is of type NULL, and S is wanted"),
        (b'{"id": {"N": "1"}}', "the attribute id is of type N, and S is wanted"),
        (b'{"id": {"S": "a"}, "x": "plain"}', "the attribute x is not DynamoDB-JSON"),
        (b'{"id": {"S": "a"}, "x": {"N": 5}}', "the attribute x is not DynamoDB-JSON"),
        (b'{"id": {"S": "a"}, "x": {"L": [1]}}', "the attribute x is not DynamoDB-JSON"),
        (b'{"id": {"S": "a"}, "x": {"M": {"y": 1}}}', "the attribute x is not DynamoDB-JSON"),
        (b'{"id": {"S": "a"}, "x": {"S": "a", "N": "1"}}', "the attribute x is not DynamoDB"),
        (b'{"id": {"S": "a"}, "x": {"Z": "a"}}', "the attribute x is not DynamoDB-JSON"),
        (b'{"id": {"S": "a"}, "tags": {"L": []}}', "tags is of type L, and SS is wanted"),
        (b'{"id": "a", "tags": ["x", 1]}', "tags is of type L, and SS is wanted"),
        (b'{"id": "a", "tags": null}', "tags is of type NULL, and SS is wanted"),
        (b'{"id": "\xff"}', "it is not UTF-8 at byte 9 of the line"),
        (b'{"id": ' + b"[" * 100_000, "it is nested too deep"),
    ],
)
def test_line_that_is_no_item(line, text):
    with pytest.raises(ItemError, match=text.replace("(", r"\(")):
        item_of_line(line, KnownTypes(["id"], {"id": "S"}, {"tags": "SS"}))


def test_half_of_a_surrogate_pair():
    item = item_of_line(rb'{"id": "\ud800"}', BY_ID)
    with pytest.raises(ItemError, match="surrogate"):
        json_of(item)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
numbers = st.one_of(st.integers().map(str), st.decimals(allow_nan=False, allow_infinity=False))
values = st.recursive(
    st.one_of(
        texts.map(lambda text: {"S": text}),
        numbers.map(lambda number: {"N": str(number)}),
        st.booleans().map(lambda flag: {"BOOL": flag}),
        st.just({"NULL": True}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda content: {"L": content}),
        st.dictionaries(texts, inner, max_size=3).map(lambda content: {"M": content}),
    ),
)
items = st.dictionaries(texts, values, max_size=4).flatmap(
    lambda item: texts.map(lambda key: {**item, "id": {"S": key}})
)


@given(items)
def test_plain_json_comes_back(item):
    assert item_of_line(plain_json_of(item), BY_ID) == item


@given(items)
def test_dynamodb_json_comes_back_in_both_forms(item):
    line = json_of(item)
    assert item_of_line(line, BY_ID) == item_of_line(b'{"Item":%b}' % line, BY_ID) == item


# Another server may write its answers for people.
@given(items)
def test_item_is_on_one_line(item):
    wide = msgspec.Raw(json.dumps(item, indent=2, ensure_ascii=False).encode())
    line = line_of(wide)
    assert b"\n" not in line
    assert json.loads(line) == item


@pytest.mark.parametrize("kind", ["B", "SS", "NS", "BS"])
def test_plain_json_that_would_lose_a_type_is_refused(kind):
    item = {"id": {"S": "a"}, "m": {"M": {"x": {"L": [{kind: ["1"]}]}}}}
    with pytest.raises(ItemError, match=f"the attribute m has type {kind}"):
        plain_json_of(item)
