"""AttributesToGet as a projection."""

import pytest

from hashrange.expressions.projections import attributes_projection
from tests.unit.expressions.legacy import INVALID, refused


def test_top_level_attributes():
    projection = attributes_projection(["b", "a", "a.b", "none"])
    item = {"a": {"M": {"b": {"S": "x"}}}, "b": {"S": "y"}, "c": {"S": "z"}}
    assert projection.apply(item) == {"a": item["a"], "b": item["b"]}
    assert projection.apply({"a.b": {"N": "1"}}) == {"a.b": {"N": "1"}}
    assert projection.apply({}) == {}


# Catalogue 225: the first that comes again, not the first that there are two of.
@pytest.mark.parametrize(
    ("names", "told"), [("aa", "a"), ("abba", "b"), ("abab", "a"), ("xabcbax", "b")]
)
def test_duplicates(names, told):
    text = INVALID + f"Duplicate value in attribute name: {told}"
    assert refused(attributes_projection, list(names)) == text
