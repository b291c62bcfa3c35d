import json

import pytest

from hashrange.api.dynamodb.registry import decoder_of
from hashrange.errors import DynamoError, Fault

SEARCH = {"TableName": "t", "IndexName": "vix", "SearchVector": [{"N": "1"}], "TopK": 5}
DECODER = decoder_of("SearchVectors")


def refusal(body):
    with pytest.raises(DynamoError) as raised:
        DECODER.decode(body)
    return raised.value.fault, raised.value.message


# A scalar is behind the parser when it is refused, a list or an object before it.
@pytest.mark.parametrize(
    ("number", "member", "value", "text"),
    [
        (196, "TableName", "null", "null, expected a string at line 1 column 17"),
        (196, "TableName", "5", "integer `5`, expected a string at line 1 column 14"),
        (196, "TableName", "true", "boolean `true`, expected a string at line 1 column 17"),
        (196, "TableName", "[1]", "sequence, expected a string at line 1 column 13"),
        (196, "TableName", "{}", "map, expected a string at line 1 column 13"),
        (196, "TopK", "3.5", "floating point `3.5`, expected i32 at line 1 column 11"),
        (196, "TopK", "1e2", "floating point `100.0`, expected i32 at line 1 column 11"),
        (196, "TopK", "1e300", "floating point `1e300`, expected i32 at line 1 column 13"),
        (196, "TopK", "1e-7", "floating point `1e-7`, expected i32 at line 1 column 12"),
        (196, "TopK", '"3"', 'string "3", expected i32 at line 1 column 11'),
        (196, "TopK", "null", "null, expected i32 at line 1 column 12"),
        (196, "SearchVector", "null", "null, expected a sequence at line 1 column 20"),
        (196, "SearchVector", '{"L":[]}', "map, expected a sequence at line 1 column 16"),
        (196, "ExpressionAttributeNames", "1", "integer `1`, expected a map at line 1 column 29"),
    ],
)
def test_types(number, member, value, text):
    others = {name: each for name, each in SEARCH.items() if name != member}
    body = f'{{"{member}":{value},{json.dumps(others)[1:]}'.encode()
    assert refusal(body) == (Fault.SEARCH_SERIALIZATION, f"invalid type: {text}")


def test_a_number_of_more_than_32_bits():
    body = json.dumps({"TopK": 5_000_000_000, **SEARCH} | {"TopK": 5_000_000_000}).encode()
    text = "invalid value: integer `5000000000`, expected i32 at line 1 column 19"
    assert refusal(body) == (Fault.SEARCH_SERIALIZATION, text)


# Lines and columns are of bytes.
def test_a_position_in_a_body_of_several_lines():
    body = '{"x": "ü",\n  "TableName" : "ü", "IndexName" : 1}'.encode()
    text = "invalid type: integer `1`, expected a string at line 2 column 37"
    assert refusal(body) == (Fault.SEARCH_SERIALIZATION, text)


@pytest.mark.parametrize("member", SEARCH)
def test_a_missing_member(member):
    body = json.dumps({name: value for name, value in SEARCH.items() if name != member}).encode()
    text = f"missing field `{member}` at line 1 column {len(body)}"
    assert refusal(body + b" \n") == (Fault.VALIDATION, text)


def test_what_is_missed_first():
    assert refusal(b" {}") == (Fault.VALIDATION, "missing field `TableName` at line 1 column 3")


# Null is an absent member where none is needed, and unknown members are not looked at.
def test_what_is_no_fault():
    more = {"ProjectionExpression": None, "Unknown": [{"a": 1.5}]}
    body = json.dumps({**more, **SEARCH}, indent=1).encode()
    assert (
        DECODER.decode(body) == DECODER.reread(body) == DECODER.decode(json.dumps(SEARCH).encode())
    )


@pytest.mark.parametrize("body", [b"[]", b"1", b"{", b'{"TopK": NaN}', b'"\xff"', b""])
def test_what_is_no_object_has_no_text(body):
    assert refusal(body) == (Fault.SERIALIZATION, None)


def test_numbers_of_any_length_are_read():
    body = b'{"TopK":' + b"9" * 5000 + b"}"
    assert refusal(body)[1] == "number out of range at line 1 column 5008"
