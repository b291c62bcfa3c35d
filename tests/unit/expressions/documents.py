"""Items and constants to draw: few and small, so that what is compared is often equal."""

from hypothesis import strategies as st

from hashrange.model.canonical import canonical_item, canonical_value
from hashrange.model.wording import Wording
from tests.unit.expressions.trees import NAMES

_texts = st.sampled_from(["", "a", "ab", "b", "é", "\U00010000", "\uffff"])
_numbers = st.sampled_from(["0", "1", "2", "10", "-1", "0.5", "1.50", "-3.25", "9" * 38, "1e-100"])
_binaries = st.sampled_from(["", "YQ==", "YWI=", "Yg==", "+w==", "AA=="])

strings = _texts.map(lambda text: {"S": text})
binaries = _binaries.map(lambda data: {"B": data})
numbers = _numbers.map(lambda number: {"N": number})
_scalars = st.one_of(
    strings, binaries, numbers, st.sampled_from([{"BOOL": True}, {"BOOL": False}, {"NULL": True}])
)


def _members(kind, members):
    return st.lists(members, min_size=1, max_size=3, unique=True).map(lambda drawn: {kind: drawn})


sets = st.one_of(
    _members("SS", _texts),
    _members("NS", st.sampled_from(["0", "1", "2", "10", "-1", "0.5"])),
    _members("BS", _binaries),
)
_sent = st.recursive(
    st.one_of(_scalars, _scalars, sets),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda elements: {"L": elements}),
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=3).map(
            lambda members: {"M": members}
        ),
    ),
    max_leaves=8,
)
values = _sent.map(lambda value: canonical_value(value, Wording.CURRENT))
"""Any canonical value."""

items = st.dictionaries(st.sampled_from(NAMES), _sent, max_size=5).map(
    lambda item: canonical_item(item, Wording.CURRENT).item
)
"""Canonical items."""
