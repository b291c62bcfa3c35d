"""ProjectionExpression, through GetItem."""

import pytest

from tests.api.items import answer

KEY = {"pk": {"S": "item"}}
ITEM = {
    **KEY,
    "a": {"N": "1"},
    "b": {"SS": ["x", "y"]},
    "m": {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"S": "deep"}}}, "l": {"L": [{"N": "5"}]}}},
    "l": {
        "L": [
            {"N": "0"},
            {"M": {"x": {"S": "one"}, "y": {"S": "uno"}}},
            {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]},
            {"N": "3"},
        ]
    },
    "a.b": {"S": "dotted"},
}


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    """A table with the item."""
    name = new_table()
    dynamodb.put_item(TableName=name, Item=ITEM)
    return name


@pytest.fixture
def projected(dynamodb, table):
    """The item as a projection shows it."""

    def shown(projection, names=None):
        more = {} if names is None else {"ExpressionAttributeNames": names}
        request = {"TableName": table, "Key": KEY, "ProjectionExpression": projection}
        return answer(dynamodb.get_item, **request, **more)["Item"]

    return shown


# Only what is asked for, key attributes too only if they are. Source: E.4.
@pytest.mark.parametrize(
    ("projection", "wanted"),
    [("a", ["a"]), ("pk", ["pk"]), ("b, a", ["a", "b"]), ("a,m , pk", ["a", "m", "pk"])],
)
def test_top_level_attributes(projected, projection, wanted):
    assert projected(projection) == {name: ITEM[name] for name in wanted}


# What is not there is left out, and so are containers of nothing. Source: E.4.
@pytest.mark.parametrize(
    "missing", ["z", "a.x", "a[0]", "m.z", "m[0]", "l.x", "l[9]", "m.x.y", "l[1].z", "b[0]"]
)
def test_unknown_paths_are_ignored(projected, missing):
    assert projected(f"pk, {missing}") == KEY


# Containers are made anew around what is asked for; lists close up, in the order of their indexes
# and not of the expression; paths into one element are merged. Source: E.4.
@pytest.mark.parametrize(
    ("projection", "expected"),
    [
        ("m.x", {"m": {"M": {"x": {"N": "1"}}}}),
        ("m.y.z", {"m": {"M": {"y": {"M": {"z": {"S": "deep"}}}}}}),
        ("m.l[0]", {"m": {"M": {"l": {"L": [{"N": "5"}]}}}}),
        ("l[3]", {"l": {"L": [{"N": "3"}]}}),
        ("l[3], l[0]", {"l": {"L": [{"N": "0"}, {"N": "3"}]}}),
        ("l[1].y, l[1].x", {"l": {"L": [{"M": {"x": {"S": "one"}, "y": {"S": "uno"}}}]}}),
        ("l[2][2], l[2][0]", {"l": {"L": [{"L": [{"S": "a"}, {"S": "c"}]}]}}),
        (
            "l[2][1], m.x, l[1].x, a, m.y",
            {
                "a": {"N": "1"},
                "m": {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"S": "deep"}}}}},
                "l": {"L": [{"M": {"x": {"S": "one"}}}, {"L": [{"S": "b"}]}]},
            },
        ),
        ("l[9], l[0]", {"l": {"L": [{"N": "0"}]}}),
    ],
)
def test_nested_paths(projected, projection, expected):
    assert projected(projection) == expected


# A placeholder is one name, dots or not, at any place of a path; it may be used again. Source: E.1.
@pytest.mark.parametrize(
    ("projection", "names", "expected"),
    [
        ("#d", {"#d": "a.b"}, {"a.b": {"S": "dotted"}}),
        ("#m.#x", {"#m": "m", "#x": "x"}, {"m": {"M": {"x": {"N": "1"}}}}),
        (
            "m.#x, l[1].#x",
            {"#x": "x"},
            {"m": {"M": {"x": {"N": "1"}}}, "l": {"L": [{"M": {"x": {"S": "one"}}}]}},
        ),
        ("#d", {"#d": "m.x"}, {}),
    ],
)
def test_placeholders(projected, projection, names, expected):
    assert projected(projection, names) == expected


# What DynamoDB reads are 4 KB and not what is shown of them; here only that both go together.
def test_projection_beside_consistent_read(dynamodb, table):
    request = {"TableName": table, "Key": KEY, "ProjectionExpression": "a", "ConsistentRead": True}
    assert answer(dynamodb.get_item, **request) == {"Item": {"a": {"N": "1"}}}
