"""What projections take beyond `test_update_properties`."""

from tests.unit.expressions.requests import bound


def test_parts_are_shared():
    item = {"a": {"M": {"b": {"L": [{"N": "2"}]}, "c": {"N": "5"}}}}
    part = bound(projection="a.b").projection.apply(item)
    assert part["a"]["M"]["b"] is item["a"]["M"]["b"]
