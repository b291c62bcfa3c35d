"""The lines of models that errors and findings speak of."""

import pytest

from hashrange.tools.models.files import parsed
from hashrange.tools.models.lines import Lines, line_of_error
from hashrange.tools.models.reading import model_of
from hashrange.tools.models.schema import ModelError

TOML = """\
name = "Shop"
[[tables]]
name = "Shop"
partition_key = "pk:S"

[[tables]]
name = "Log"
partition_key = "pk:S"
[[tables.indexes]]
name = "ByDay"
partition_key = "day"
[[entities]]
name = "Order"
attributes.pk = "S"
[[entities]]
name = "Line"
samples = [
  { pk = "a" },
]
"""
JSON = """\
{
  "name": "Shop",
  "tables": [
    {"name": "Shop", "partition_key": "pk:S"},
    {
      "name": "Log",
      "partition_key": "pk:S"
    }
  ],
  "entities": [
    {"name": "Order",
     "attributes": {"pk": "S"}}
  ]
}
"""
YAML = """\
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: orders
      KeySchema:
        - AttributeName: pk
"""


def refusal(text, file):
    with pytest.raises(ModelError) as caught:
        model_of(parsed(text.encode(), file), "shop")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "suffix", "old", "new", "line"),
    [
        (TOML, ".toml", '"ByDay"', "", 10),
        (TOML, ".toml", 'name = "Log"', "name = 1", 7),
        (TOML, ".toml", 'name = "ByDay"', "name = 1", 10),
        (TOML, ".toml", 'attributes.pk = "S"', "attributes.pk = 1", 14),
        (TOML, "", 'name = "Line"', 'name = "Line"\ncolour = "red"', 15),
        (TOML, ".toml", "]\n", "", 18),
        (JSON, ".json", '"Order",', '"Order"', 12),
        (JSON, ".json", '"Log"', "1", 6),
        (JSON, "", '"pk:S"\n', "1\n", 7),
        (JSON, ".json", '{"pk": "S"}', "3", 12),
        (JSON, ".json", '"Order"', '"Order", "colour": 1', 11),
        (YAML, ".yaml", "- Attr", "} Attr", 7),
        (YAML, ".template", "TableName: orders", "TableName: [1]", 2),
    ],
)
def test_the_line_of_an_error(text, suffix, old, new, line):
    changed = text.replace(old, new, 1) if old != "]\n" else text[: text.rindex(old)]
    assert line_of_error(changed, refusal(changed, suffix), suffix) == line


def test_an_error_of_the_whole_text_has_no_line():
    assert line_of_error("a = 1", refusal("a = 1", ".toml"), ".toml") is None


@pytest.mark.parametrize(
    ("text", "place", "line"),
    [
        (TOML, "table Shop", 3),
        (TOML, "table Log", 7),
        (TOML, "index ByDay of table Log", 10),
        (TOML, "entity Line", 16),
        (TOML, "entity Order, sample 12", 13),
        (TOML, "pattern Nobody", None),
        (JSON, "entity Order", 11),
        (YAML, "table orders", 5),
        ("models: {}\nUser:\n  x: 1\n", "entity User", 2),
        ('{"models": {\n"User": {}}}', "entity User", 2),
    ],
)
def test_the_line_of_a_finding(text, place, line):
    assert Lines(text).of_place(place) == line
