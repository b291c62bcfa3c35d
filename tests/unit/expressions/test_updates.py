"""What is known of updates before they are carried out; the rest is in `test_update_properties`."""

import pytest

from hashrange.errors import DynamoError
from tests.unit.expressions.requests import bound, update

VALUES = {
    ":s": {"S": "new"},
    ":1": {"N": "1"},
    ":l": {"L": [{"S": "x"}]},
    ":ss": {"SS": ["b", "c"]},
}


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
