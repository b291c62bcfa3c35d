"""The targets of guided searches, without their package: good inputs, and changed ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_good(name):
    target = TARGETS[name]
    assert target.seeds
    for seed in target.seeds:
        target.run(seed)


@st.composite
def changed(draw):
    """A target and a seed of it in which bytes are replaced, left out or doubled."""
    name = draw(st.sampled_from(list(TARGETS)))
    data = bytearray(draw(st.sampled_from(TARGETS[name].seeds)))
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        part = draw(st.one_of(st.binary(max_size=4), st.just(bytes(data[start:end]) * 2)))
        data[start:end] = part
    return name, bytes(data)


@given(changed())
def test_changed_seeds_are_read_or_refused(drawn):
    name, data = drawn
    TARGETS[name](data)
