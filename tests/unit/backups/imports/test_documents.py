"""Objects of JSON on one line are found, whatever their strings have in them."""

import json

from hypothesis import given
from hypothesis import strategies as st

from hashrange.backups.imports.lines import apart
from hashrange.limits.backups import IMPORT_GROUP_RECORDS, IMPORT_GROUP_TOKENS

TEXTS = st.text('}{"\\ab \té', max_size=6)
VALUES = st.recursive(
    st.none() | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
LINES = st.lists(st.lists(OBJECTS, min_size=1, max_size=4), max_size=4)


def found(lines):
    return [each for group in apart(lines) for each in group]


@given(LINES, st.sampled_from(["", " ", "\t\r "]))
def test_objects_of_lines(lines, between):
    sent = [between.join(map(json.dumps, line)).encode() for line in lines]
    expected = [each for line in lines for each in line]
    assert list(map(json.loads, found(sent))) == expected


# Nothing is lost of what is no JSON: it is refused later.
@given(st.lists(st.text('}{"\\a ', min_size=1, max_size=12).map(str.encode), max_size=4))
def test_no_bytes_are_lost(lines):
    assert b"".join(found(lines)).replace(b" ", b"") == b"".join(lines).replace(b" ", b"")


def test_groups_are_small():
    sizes = [len(group) for group in apart([b"{}" * (3 * IMPORT_GROUP_RECORDS + 1)])]
    assert sizes == [IMPORT_GROUP_RECORDS] * 3 + [1]
    long = b"{" + b'"a":{},' * IMPORT_GROUP_TOKENS + b"}{}"
    groups = list(apart([long]))
    assert [group for group in groups if group] == [[long[:-2], b"{}"]]
    assert len(groups) > 3


# A string without an end is looked at once, not from each of its quotes on.
def test_a_string_without_an_end():
    line = b'}{"' + b'\\"' * 500_000
    assert found([line]) == [b"}", line[1:]]
