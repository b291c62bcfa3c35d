"""What updates do, case by case; `test_update_properties` holds them against a model."""

import pytest

from hashrange.errors import DynamoError
from tests.rows import rows
from tests.unit.expressions.requests import bound, update

PATH = "The document path provided in the update expression is invalid for update"
NOWHERE = "The provided expression refers to an attribute that does not exist in the item"
TYPE = "An operand in the update expression has an incorrect data type"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
VALUES = {
    ":s": {"S": "new"},
    ":1": {"N": "1"},
    ":2": {"N": "2.5"},
    ":big": {"N": "9" * 38},
    ":small": {"N": "0.1"},
    ":l": {"L": [{"S": "x"}]},
    ":ll": {"L": [{"S": "y"}, {"S": "z"}]},
    ":m": {"M": {}},
    ":ss": {"SS": ["b", "c"]},
    ":ns": {"NS": ["10", "2"]},
    ":bs": {"BS": ["+w==", "AA=="]},
}


def _list(*texts):
    return {"L": [{"S": text} for text in texts]}


CASES = [
    ("SET a = :s", {}, {"a": {"S": "new"}}),
    ("SET a = :s", {"a": {"N": "1"}, "b": {"N": "2"}}, {"a": {"S": "new"}, "b": {"N": "2"}}),
    ("SET a = b, b = a", {"a": {"N": "1"}, "b": {"N": "2"}}, {"a": {"N": "2"}, "b": {"N": "1"}}),
    ("SET a = a", {"a": {"N": "1"}}, {"a": {"N": "1"}}),
    ("SET b = a REMOVE a", {"a": {"N": "1"}}, {"b": {"N": "1"}}),
    ("REMOVE a SET b = a", {"a": {"N": "1"}}, {"b": {"N": "1"}}),
    ("SET a = a + :1", {"a": {"N": "41"}}, {"a": {"N": "42"}}),
    ("SET a = a + a", {"a": {"N": "7"}}, {"a": {"N": "14"}}),
    ("SET a = :2 - a", {"a": {"N": "0.5"}}, {"a": {"N": "2"}}),
    ("SET a = (a - :1)", {"a": {"N": "1"}}, {"a": {"N": "0"}}),
    ("SET a = (a) - (:1)", {"a": {"N": "-1"}}, {"a": {"N": "-2"}}),
    ("SET a = a + :2", {"a": {"N": "1"}}, {"a": {"N": "3.5"}}),
    ("SET a = a + :1", {"a": {"N": "9" * 37}}, {"a": {"N": "1" + "0" * 37}}),
    ("SET a = a + :1", {"a": {"N": "9" * 38}}, {"a": {"N": "1" + "0" * 38}}),
    ("SET a = a - :big", {"a": {"N": "9" * 38}}, {"a": {"N": "0"}}),
    ("SET a = if_not_exists(a, :1)", {}, {"a": {"N": "1"}}),
    ("SET a = if_not_exists(a, :1)", {"a": {"NULL": True}}, {"a": {"NULL": True}}),
    (
        "SET a = if_not_exists(b.c, :1)",
        {"b": {"M": {"c": {"S": "x"}}}},
        {"b": {"M": {"c": {"S": "x"}}}, "a": {"S": "x"}},
    ),
    (
        "SET a = if_not_exists(a, if_not_exists(b, :1))",
        {"b": {"N": "3"}},
        {"a": {"N": "3"}, "b": {"N": "3"}},
    ),
    ("SET a = if_not_exists(a, :1) + :1", {}, {"a": {"N": "2"}}),
    ("SET a = list_append(a, :l)", {"a": _list("a")}, {"a": _list("a", "x")}),
    ("SET a = list_append(:ll, a)", {"a": _list("a")}, {"a": _list("y", "z", "a")}),
    ("SET a = list_append(if_not_exists(a, :l), :ll)", {}, {"a": _list("x", "y", "z")}),
    ("SET a = list_append(:l, :ll)", {}, {"a": _list("x", "y", "z")}),
    ("REMOVE a, b", {"a": {"N": "1"}, "c": {"N": "1"}}, {"c": {"N": "1"}}),
    ("ADD a :1", {}, {"a": {"N": "1"}}),
    ("ADD a :2", {"a": {"N": "1"}}, {"a": {"N": "3.5"}}),
    ("ADD a :ss", {}, {"a": {"SS": ["b", "c"]}}),
    ("ADD a :ss", {"a": {"SS": ["a", "c", "d"]}}, {"a": {"SS": ["a", "b", "c", "d"]}}),
    ("ADD a :ns", {"a": {"NS": ["1", "9", "11"]}}, {"a": {"NS": ["1", "2", "9", "10", "11"]}}),
    ("ADD a :bs", {"a": {"BS": ["YQ=="]}}, {"a": {"BS": ["AA==", "YQ==", "+w=="]}}),
    ("DELETE a :ss", {"a": {"SS": ["a", "b", "c"]}}, {"a": {"SS": ["a"]}}),
    ("DELETE a :ss", {"a": {"SS": ["b", "c"]}, "b": {"N": "1"}}, {"b": {"N": "1"}}),
    ("DELETE a :ss", {"b": {"N": "1"}}, {"b": {"N": "1"}}),
    ("DELETE a :ns", {"a": {"NS": ["2", "3"]}}, {"a": {"NS": ["3"]}}),
    # Within maps and lists.
    (
        "SET a.b = :s",
        {"a": {"M": {"c": {"N": "1"}}}},
        {"a": {"M": {"c": {"N": "1"}, "b": {"S": "new"}}}},
    ),
    ("SET a[1] = :s", {"a": _list("0", "1", "2")}, {"a": _list("0", "new", "2")}),
    (
        "SET a.b[0].c = :s",
        {"a": {"M": {"b": {"L": [{"M": {}}]}}}},
        {"a": {"M": {"b": {"L": [{"M": {"c": {"S": "new"}}}]}}}},
    ),
    (
        "ADD a.b :1, a.c :1",
        {"a": {"M": {"b": {"N": "4"}}}},
        {"a": {"M": {"b": {"N": "5"}, "c": {"N": "1"}}}},
    ),
    ("DELETE a.b :ss", {"a": {"M": {"b": {"SS": ["b"]}}}}, {"a": {"M": {}}}),
    ("DELETE a[0] :ss", {"a": {"L": [{"SS": ["b"]}, {"N": "1"}]}}, {"a": {"L": [{"N": "1"}]}}),
    ("REMOVE a.b", {"a": {"M": {"b": {"N": "1"}}}}, {"a": {"M": {}}}),
    ("REMOVE a.c", {"a": {"M": {"b": {"N": "1"}}}}, {"a": {"M": {"b": {"N": "1"}}}}),
    ("REMOVE a[0]", {"a": _list("0")}, {"a": {"L": []}}),
    ("REMOVE a[7]", {"a": _list("0")}, {"a": _list("0")}),
    # Indexes are those of the list as it was.
    ("REMOVE a[1], a[3]", {"a": _list(*"01234")}, {"a": _list(*"024")}),
    ("REMOVE a[3], a[1], a[0]", {"a": _list(*"01234")}, {"a": _list(*"24")}),
    ("REMOVE a[1] SET a[3] = :s", {"a": _list(*"0123")}, {"a": _list("0", "2", "new")}),
    (
        "SET a[0].b = :s REMOVE a[1]",
        {"a": {"L": [{"M": {}}, {"N": "1"}]}},
        {"a": {"L": [{"M": {"b": {"S": "new"}}}]}},
    ),
    # What is written past the end is appended, in the order of the indexes.
    ("SET a[7] = :s", {"a": _list("0")}, {"a": _list("0", "new")}),
    ("SET a[0] = :s", {"a": _list()}, {"a": _list("new")}),
    (
        "SET a[84] = b[0], a[37] = b[1], a[17] = b[2], a[50] = b[3]",
        {"a": _list("0"), "b": _list(*"wxyz")},
        {"a": _list(*"0yxzw"), "b": _list(*"wxyz")},
    ),
    ("REMOVE a[0] SET a[9] = :s", {"a": _list(*"01")}, {"a": _list("1", "new")}),
    ("ADD a[9] :1", {"a": _list("0")}, {"a": {"L": [{"S": "0"}, {"N": "1"}]}}),
]

REFUSED = [
    ("SET a = b", {}, NOWHERE),
    ("SET a = b.c", {"b": {"N": "1"}}, NOWHERE),
    ("SET a = b + :1", {}, NOWHERE),
    ("SET a = :1 - b", {}, NOWHERE),
    ("SET a = list_append(b, :l)", {}, NOWHERE),
    ("SET a = list_append(:l, b)", {}, NOWHERE),
    ("SET a = if_not_exists(b, c)", {}, NOWHERE),
    ("SET x.y = b", {}, NOWHERE),
    ("SET a = a + :1", {"a": {"S": "1"}}, TYPE),
    ("SET a = :1 + a", {"a": {"S": "1"}}, TYPE),
    ("SET a = if_not_exists(a, :s) + :1", {}, TYPE),
    ("SET a = b + c", {"b": {"S": "1"}}, TYPE),
    ("SET a = list_append(a, :l)", {"a": {"S": "x"}}, TYPE),
    ("SET a = list_append(:l, a)", {"a": {"SS": ["x"]}}, TYPE),
    ("ADD a :1", {"a": {"S": "x"}}, TYPE),
    ("ADD a :ss", {"a": {"NS": ["1"]}}, TYPE),
    ("ADD a :ss", {"a": _list("x")}, TYPE),
    ("ADD a :1", {"a": {"NS": ["1"]}}, TYPE),
    ("DELETE a :ss", {"a": {"NS": ["1"]}}, TYPE),
    ("DELETE a :ss", {"a": {"S": "b"}}, TYPE),
    ("SET a = a + :small", {"a": {"N": "9" * 38}}, OVERFLOW),
    ("SET a = a + a", {"a": {"N": "9" * 38 + "0" * 88}}, OVERFLOW),
    ("SET a = a + :big", {"a": {"N": "9" * 38}}, OVERFLOW),
    ("ADD a :big", {"a": {"N": "9" * 38}}, OVERFLOW),
    ("ADD a :small", {"a": {"N": "1" + "0" * 50}}, OVERFLOW),
    ("SET a = a - :1", {"a": {"N": "1" + "0" * 50}}, OVERFLOW),
    ("SET a.b = :s", {}, PATH),
    ("SET a.b = :s", {"a": {"S": "x"}}, PATH),
    ("SET a.b = :s", {"a": _list("x")}, PATH),
    ("SET a[0] = :s", {"a": {"M": {}}}, PATH),
    ("SET a[0] = :s", {}, PATH),
    ("SET a.b.c = :s", {"a": {"M": {}}}, PATH),
    ("SET a[3].b = :s", {"a": _list("x")}, PATH),
    ("SET a[0].b = :s", {"a": _list("x")}, PATH),
    ("REMOVE a.b", {}, PATH),
    ("REMOVE a[0]", {"a": {"S": "x"}}, PATH),
    ("ADD a.b :1", {}, PATH),
    ("DELETE a.b :ss", {}, PATH),
]


@rows(("text", "before", "after"), CASES)
def test_updates(text, before, after):
    kept = repr(before)
    assert update(text, VALUES).apply(before) == after
    assert repr(before) == kept


@rows(("text", "before", "reason"), REFUSED)
def test_refusals(text, before, reason):
    kept = repr(before)
    with pytest.raises(DynamoError) as caught:
        update(text, VALUES).apply(before)
    assert caught.value.message == reason
    assert caught.value.bare, "never enveloped"
    assert repr(before) == kept


# Copies cost time and memory: what an update does not touch is the same object.
def test_untouched_parts_are_shared():
    before = {"a": {"M": {"b": {"L": []}, "c": {"S": "x"}}}, "d": {"L": [{"S": "y"}]}}
    after = update("SET a.b[0] = :s", VALUES).apply(before)
    assert after["d"] is before["d"]
    assert after["a"]["M"]["c"] is before["a"]["M"]["c"]


@pytest.mark.parametrize(
    ("text", "targets", "only_removes"),
    [
        ("SET a = :s", ("a",), False),
        ("SET b.c = :s, a = :s, b.d = :s", ("b", "a"), False),
        ("REMOVE a, b[0] DELETE c :ss", ("a", "b", "c"), True),
        ("ADD a :1", ("a",), False),
        ("REMOVE a ADD b :1", ("a", "b"), False),
    ],
)
def test_targets(text, targets, only_removes):
    compiled = update(text, VALUES)
    assert compiled.targets == targets
    assert compiled.only_removes is only_removes


# What it reads besides: keys must not be read into.
def test_paths():
    text = "SET a = b.c, d = if_not_exists(e[0], f) + b.c, g = list_append(:l, h) REMOVE i"
    assert update(text, VALUES).nested == ("b", "e")
    assert update("ADD a :1 DELETE b :ss", VALUES).nested == ()


# 32 levels, the attribute's own value being the first.
def test_levels():
    deep = {"S": "x"}
    for _ in range(29):
        deep = {"L": [deep]}
    before = {"a": {"M": {"b": {"M": {}}}}}

    def apply(text, value):
        return bound(None, {":v": value}, update=text).update.apply(before)

    assert apply("SET a.b.c = :v", deep)["a"]["M"]["b"]["M"]["c"] == deep
    for deeper in {"L": [deep]}, {"M": {"k": deep}}:
        assert apply("SET a.c = :v", deeper)
        with pytest.raises(DynamoError, match="Nesting Levels have exceeded") as caught:
            apply("SET a.b.c = :v", deeper)
        assert caught.value.bare
    # An empty container adds no level.
    empty = {"L": []}
    for _ in range(29):
        empty = {"L": [empty]}
    assert apply("SET a.b.c = :v", empty)


# What UPDATED_OLD and UPDATED_NEW answer.
@pytest.mark.parametrize(
    ("text", "before", "old", "new"),
    [
        (
            "SET b = :s, c = :1",
            {"a": {"N": "1"}, "b": {"S": "x"}},
            {"b": {"S": "x"}},
            {"b": {"S": "new"}, "c": {"N": "1"}},
        ),
        ("REMOVE b", {"b": {"S": "x"}}, {"b": {"S": "x"}}, {}),
        (
            "SET a.b = :s",
            {"a": {"M": {"b": {"S": "x"}, "c": {"S": "y"}}}},
            {"a": {"M": {"b": {"S": "x"}}}},
            {"a": {"M": {"b": {"S": "new"}}}},
        ),
        ("SET a.x = :s", {"a": {"M": {"b": {"S": "x"}}}}, {}, {"a": {"M": {"x": {"S": "new"}}}}),
        (
            "SET a.c[1] = :s, a.b = :1",
            {"a": {"M": {"b": {"S": "x"}, "c": _list(*"123"), "d": {"N": "1"}}}},
            {"a": {"M": {"b": {"S": "x"}, "c": _list("2")}}},
            {"a": {"M": {"b": {"N": "1"}, "c": _list("new")}}},
        ),
        # By the paths, whatever has moved there: an element past the end is not shown, after a
        # removal the next one is.
        ("SET a[100] = :s", {"a": _list(*"12")}, {}, {}),
        ("REMOVE a[1], a[3]", {"a": _list(*"123")}, {"a": _list("2")}, {"a": _list("3")}),
    ],
)
def test_fragments(text, before, old, new):
    compiled = update(text, VALUES)
    assert compiled.fragments(before) == old
    assert compiled.fragments(compiled.apply(before)) == new
