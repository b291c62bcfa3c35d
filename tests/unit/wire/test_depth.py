"""How deep JSON is, without reading it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.limits.requests import JSON_DEPTH_MAX
from hashrange.wire.depth import DEEP_BYTES_MIN, is_too_deep

texts = st.text('{[]}"\\\\:,ab\n\u00e9', max_size=8)
values = st.recursive(
    texts | st.integers() | st.none() | st.booleans(),
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
)


def depth(value):
    inner = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    )
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


# What stands in texts does not count, however it is escaped; neither does what stands beside.
@given(
    st.lists(values, max_size=3),
    values,
    st.integers(-3, 3),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_the_deepest_place_counts(beside, value, more, is_ascii, indent):
    inner, aside = (
        json.dumps(each, ensure_ascii=is_ascii, indent=indent) for each in (value, beside)
    )
    levels = JSON_DEPTH_MAX + more - depth(value)
    body = f'[{aside},{{"a":' + "[" * (levels - 2) + inner + "]" * (levels - 2) + "}]"
    deepest = max(JSON_DEPTH_MAX + more, 1 + depth(beside))
    assert is_too_deep(body.encode()) is (deepest > JSON_DEPTH_MAX)


def test_the_shortest_that_is_too_deep():
    body = b"[" * (JSON_DEPTH_MAX + 1) + b"]" * (JSON_DEPTH_MAX + 1)
    assert len(body) == DEEP_BYTES_MIN
    assert is_too_deep(body)
    assert not is_too_deep(body[1:-1])


@pytest.mark.parametrize("unit", [b"[]", b"[{}],", b'"{"', b'"', b"\\", b'\\"', b"["])
def test_16_megabytes_of_anything(unit):
    assert is_too_deep(unit * (16_000_000 // len(unit))) is (unit == b"[")
