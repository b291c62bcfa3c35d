"""Files that have no model are refused at once, with the place and the reason in one line."""

import json

import pytest

from hashrange.tools.models.files import parsed
from hashrange.tools.models.reading import model_of, read_model
from hashrange.tools.models.schema import ModelError
from tests.unit.tools.models.shop import TEXT

CYCLE = '{"Resources": {"A": {"Type": "AWS::DynamoDB::Table", "Properties": %s}}}'
DEEP = "[" * 100_000
TABLE = {"Type": "AWS::DynamoDB::Table"}
# Each condition needs the next one twice, each name has the next one twice.
CONDITIONS = json.dumps(
    {
        "Conditions": {
            f"C{number}": {"Fn::And": [{"Condition": f"C{number + 1}"}] * 2} for number in range(30)
        },
        "Resources": {"A": {**TABLE, "Properties": {"TableName": {"Fn::If": ["C0", "a", "b"]}}}},
    }
)
NAMES = json.dumps(
    {
        "Resources": {
            f"A{number}": {
                **TABLE,
                "Properties": {"TableName": {"Fn::Sub": f"${{A{number + 1}}}" * 2}},
            }
            for number in range(30)
        }
    }
)
LONG = json.dumps(
    {
        "Parameters": {"P": {"Type": "String", "Default": "x" * 100_000}},
        "Resources": {"A": {**TABLE, "Properties": {"TableName": {"Fn::Sub": "${P}" * 10_000}}}},
    }
)
DATA_MODEL = """{
  "tables": [{"TableName": "Users", "KeySchema": [], "AttributeDefinitions": []}],
  "access_patterns": [{"pattern": "1", "implementation": "%s"}]
}"""


# A file, and a part of the reason; each is refused at once.
@pytest.mark.parametrize(
    ("suffix", "text", "reason"),
    [
        (".json", "{", "Expecting property name"),
        (".json", "[]", "not an object"),
        (".json", '{"a": NaN}', "NaN is not a number"),
        (".json", '{"a": 1, "a": 2}', "the name a stands twice"),
        (".json", f'{{"a": {DEEP}', "nested too deep"),
        (".toml", f"a = {DEEP}", "nested too deep"),
        (".yaml", DEEP, "nested too deep"),
        (".yaml", "a: &a [1]\nb: [*a, *a]", "alias"),
        (".yaml", "a: [1", "while parsing"),
        (".toml", "a = ", "Invalid value"),
        (".toml", "a = 1\n" * 300_000, "larger than"),
        (".json", "{}", "it is not a model"),
        (".json", '{"name": "x", "tables": []}', "length >= 1 - at `$.tables`"),
        (".json", '{"name": 1, "tables": [{}]}', "at `$.name`"),
        (".toml", TEXT.replace("pk:S", ":S"), "at `$.tables[0]`"),
        (".toml", TEXT.replace('sort_key = "gsi1sk:N"', "sortkey = 1"), "`sortkey`"),
        (".json", '{"DataModel": [{}], "ModelName": "x"}', "`TableName`"),
        (".json", '{"indexes": {}, "models": {}}', "indexes.primary has no hash"),
        (".json", '{"Resources": {}}', "no table"),
        (".json", CYCLE % "{}", "Resources.A: the member AttributeDefinitions is missing"),
        (
            ".json",
            CYCLE % '{"KeySchema": [1], "AttributeDefinitions": [2]}',
            "Resources.A: a member has a wrong type",
        ),
        (".json", CYCLE % '{"TableName": {"Fn::Sub": "${B}"}}', "Resources.A"),
        (".json", CYCLE % '{"TableName": {"Fn::Join": ["", [{"Ref": "A"}]]}}', "nested too deep"),
        (".json", CONDITIONS, "nested too deep"),
        (".json", NAMES, "nested too deep"),
        (".json", LONG, "too much text"),
        (".json", DATA_MODEL % "aws s3 ls", "at `$.access_patterns[0].implementation`"),
        (".json", DATA_MODEL % "aws dynamodb query --limit '{'", "--limit: it is not JSON"),
    ],
)
def test_a_file_that_is_no_model(suffix, text, reason):
    with pytest.raises(ModelError) as refused:
        model_of(parsed(text.encode(), suffix), "shop")
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ModelError):
        read_model(tmp_path / "none.toml")
