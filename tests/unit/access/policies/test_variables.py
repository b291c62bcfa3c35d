"""Variables of policies, and what they stand for in a request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.policies.variables import resolved, template_of
from hashrange.access.policies.wildcards import Piece, has_wildcards, text_of
from tests.rows import rows

CONTEXT = {"aws:username": ("ann",), "aws:tagkeys": ("one",), "x:star": ("a*",)}


def _text(text, *, has_variables=True):
    pattern = resolved(template_of(text, has_variables=has_variables), CONTEXT)
    return None if pattern is None else text_of(pattern)


@rows(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("", ""),
        ("${aws:username}", "ann"),
        ("user-${AWS:UserName}-*", "user-ann-*"),
        ("${aws:username}${aws:username}", "annann"),
        ("${aws:userid}", None),
        ("a-${aws:userid}", None),
        ("${aws:userid, 'nobody'}", "nobody"),
        ("${aws:username, 'nobody'}", "ann"),
        ("${aws:userid, ''}", ""),
        # The form of a default is exact.
        ("${aws:userid,'nobody'}", None),
        ("${*}${?}${$}", "*?$"),
        ("${aws:username", "${aws:username"),
        ("$aws:username", "$aws:username"),
        ("${}", None),
        # A key with several values stands for none of them, though there be one only.
        ("${aws:TagKeys}", None),
        ("${aws:TagKeys, 'none'}", None),
    ],
)
def test_variables_stand_for_values_of_the_request(text, expected):
    assert _text(text) == expected


def test_before_version_2012_variables_are_texts():
    assert _text("${aws:username}", has_variables=False) == "${aws:username}"


@pytest.mark.parametrize("text", ["${x:star}", "${*}", "${x:none, '*'}"])
def test_what_variables_stand_for_has_no_wildcards(text):
    pattern = resolved(template_of(text, has_variables=True), CONTEXT)
    assert pattern is not None
    assert not has_wildcards(pattern)


@given(st.text("${}*?':, ab", max_size=20))
def test_any_text_is_a_template(text):
    pattern = resolved(template_of(text, has_variables=True), {})
    assert pattern is None or all(isinstance(piece, Piece) for piece in pattern)
    assert "${" in text or pattern == (Piece(text),)
