"""Filter patterns by table: what matches, what does not, what cannot be."""

import json

import pytest

from hashrange.background.triggers.patterns import PatternError, matches, pattern_from
from tests.rows import rows

RECORD = {
    "eventName": "MODIFY",
    "dynamodb": {
        "SizeBytes": 300,
        "Keys": {"pk": {"S": "us-east#7"}},
        "NewImage": {
            "pk": {"S": "us-east#7"},
            "price": {"N": "12.5"},
            "note": {"S": ""},
            "gone": {"NULL": True},
            "tags": {"SS": ["red", "Blue"]},
            "lines": {"L": [{"M": {"sku": {"S": "x"}, "n": {"N": "1"}}}, {"S": "y"}]},
            "none": {"L": []},
        },
    },
    "plain": None,
    "share": 0.5,
}


def image(**attributes):
    return {"dynamodb": {"NewImage": attributes}}


@pytest.mark.parametrize(
    "pattern",
    [
        {"eventName": ["INSERT", "MODIFY"]},
        {"eventName": ["MODIFY"], "dynamodb": {"Keys": {"pk": {"S": [{"prefix": "us-"}]}}}},
        image(pk={"S": [{"suffix": "#7"}]}),
        image(pk={"S": [{"prefix": {"equals-ignore-case": "US-EAST"}}]}),
        image(pk={"S": [{"suffix": {"equals-ignore-case": "T#7"}}]}),
        image(pk={"S": [{"equals-ignore-case": "US-East#7"}]}),
        image(pk={"S": [{"anything-but": "other"}]}),
        image(pk={"S": [{"anything-but": ["other", 7]}]}),
        image(pk={"S": [{"anything-but": {"prefix": "eu-"}}]}),
        image(pk={"S": [{"anything-but": {"prefix": ["eu-", "ap-"]}}]}),
        image(pk={"S": [{"anything-but": {"equals-ignore-case": ["x"]}}]}),
        image(price={"N": ["12.5"]}),
        image(price={"N": [{"exists": True}]}),
        image(note={"S": [""]}),
        image(gone={"NULL": [True]}),
        image(absent={"S": [{"exists": False}]}),
        image(tags={"SS": ["Blue", "green"]}),
        image(tags={"SS": [{"anything-but": "red"}]}),
        image(lines={"L": {"M": {"sku": {"S": ["x"]}, "n": {"N": ["1"]}}}}),
        image(none={"L": [{"exists": False}]}),
        {"plain": [None]},
        {"plain": [{"exists": True}]},
        {"dynamodb": {"SizeBytes": [300]}},
        {"dynamodb": {"SizeBytes": [{"numeric": [">", 299.5, "<=", 300]}]}},
        {"dynamodb": {"SizeBytes": [{"numeric": ["=", 300]}]}},
        {"share": [0.5]},
        {"$or": [{"eventName": ["REMOVE"]}, {"share": [{"numeric": ["<", 1]}]}]},
        {"eventName": ["MODIFY"], "dynamodb": {"$or": [{"SizeBytes": [1]}, {"SizeBytes": [300]}]}},
        # Only values are there or not: an object is neither.
        {"dynamodb": {"NewImage": [{"exists": False}]}},
        {"dynamodb": {"OldImage": {"pk": {"S": [{"exists": False}]}}}},
    ],
    ids=json.dumps,
)
def test_pattern_matches(pattern):
    assert matches(pattern_from(json.dumps(pattern)), RECORD)


@pytest.mark.parametrize(
    "pattern",
    [
        {"eventName": ["modify"]},
        {"eventName": ["MODIFY"], "share": [1]},
        image(pk={"S": [{"prefix": "US-"}]}),
        image(pk={"S": [{"suffix": "#8"}]}),
        image(pk={"S": [{"anything-but": ["us-east#7"]}]}),
        image(pk={"S": [{"anything-but": {"prefix": ["eu-", "us-"]}}]}),
        image(pk={"S": [{"anything-but": {"suffix": "7"}}]}),
        image(pk={"S": [{"anything-but": {"equals-ignore-case": "US-EAST#7"}}]}),
        # What is not there is not anything but something.
        image(absent={"S": [{"anything-but": "x"}]}),
        image(absent={"S": [{"exists": True}]}),
        image(price={"N": [{"exists": False}]}),
        # DynamoDB's numbers are strings, and compared as such.
        image(price={"N": [12.5]}),
        image(price={"N": ["12.50"]}),
        image(price={"N": [{"numeric": [">", 1]}]}),
        image(note={"S": [None]}),
        image(gone={"NULL": [None, 1, "true"]}),
        image(lines={"L": {"M": {"sku": {"S": ["x"]}, "n": {"N": ["2"]}}}}),
        {"plain": [""]},
        {"dynamodb": {"SizeBytes": [300.0, "300", True]}},
        {"dynamodb": {"SizeBytes": [{"numeric": [">", 300]}]}},
        {"dynamodb": {"SizeBytes": [{"numeric": [">=", 0, "<", 300]}]}},
        {"dynamodb": {"NewImage": [{"exists": True}]}},
        {"$or": [{"eventName": ["REMOVE"]}, {"share": [1]}]},
        {"eventName": ["REMOVE"], "$or": [{"share": [0.5]}]},
    ],
    ids=json.dumps,
)
def test_pattern_does_not_match(pattern):
    assert not matches(pattern_from(json.dumps(pattern)), RECORD)


@rows(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[]", "the pattern is not an object"),
        ("{}", "the pattern is not an object"),
        ('{"a": {}}', "a is not an object"),
        ('{"a": "b"}', "a is not an object"),
        ('{"a": []}', "a has no rule"),
        ('{"a": [["b"]]}', "a rule of a"),
        ('{"a": [{"prefix": "b", "suffix": "c"}]}', "a rule of a"),
        ('{"a": [{"prefix": 1}]}', "prefix of a is not a string"),
        ('{"a": [{"equals-ignore-case": {"equals-ignore-case": "b"}}]}', "is not a string"),
        ('{"a": [{"exists": "true"}]}', "exists of a"),
        ('{"a": [{"anything-but": []}]}', "anything-but of a has no value"),
        ('{"a": [{"anything-but": [null]}]}', "neither strings nor numbers"),
        ('{"a": [{"anything-but": true}]}', "neither strings nor numbers"),
        ('{"a": [{"anything-but": {"numeric": ["=", 1]}}]}', "another operator"),
        ('{"a": [{"anything-but": {"prefix": []}}]}', "no value"),
        ('{"a": [{"numeric": []}]}', "numeric of a"),
        ('{"a": [{"numeric": [">", "1"]}]}', "numeric of a"),
        ('{"a": [{"numeric": ["!=", 1]}]}', "numeric of a"),
        ('{"a": [{"numeric": [">", true]}]}', "numeric of a"),
        ('{"a": [{"numeric": [">", 1, "<"]}]}', "numeric of a"),
        ('{"a": [{"wildcard": "*"}]}', "wildcard of a is not an operator"),
        ('{"$or": []}', "$or of the pattern"),
        ('{"$or": {"a": [1]}}', "$or of the pattern"),
        ('{"a": {"$or": [1]}}', "$or of a is not an object"),
    ],
)
def test_pattern_that_cannot_be_is_refused(text, told):
    with pytest.raises(PatternError) as refused:
        pattern_from(text)
    assert told in str(refused.value)
