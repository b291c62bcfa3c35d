"""Patterns: every way to match is compared with a regular expression that says the same."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.policies.wildcards import Piece, arn_like, completed, like, plain
from tests.pace import costs_at_most
from tests.rows import rows

LETTERS = "ab:*?"
texts = st.text(LETTERS, max_size=12)
patterns = st.lists(st.builds(Piece, texts, st.booleans()), max_size=4).map(tuple)


def _expression(pattern):
    wild = {"*": ".*", "?": "."}
    return "".join(
        wild.get(character, re.escape(character)) if not piece.literal else re.escape(character)
        for piece in pattern
        for character in piece.text
    )


@given(patterns, texts)
def test_wildcards_stand_for_any_characters(pattern, text):
    expected = re.fullmatch(_expression(pattern), text, re.DOTALL) is not None
    assert like(pattern)(text) is expected


# Drawn texts seldom match long patterns: here the text is made from the pattern.
@given(patterns, st.data())
def test_what_a_pattern_was_made_for_matches(pattern, data):
    filled = [
        data.draw(texts)
        if character == "*"
        else data.draw(st.sampled_from(LETTERS))
        if character == "?"
        else character
        for piece in pattern
        for character in (piece.text if not piece.literal else "")
    ]
    loose = tuple(piece for piece in pattern if not piece.literal)
    assert like(loose)("".join(filled))


ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/books"
STREAM = f"{ARN}/stream/2026-01-01T00:00:00.000"


@rows(
    ("pattern", "arn", "matches"),
    [
        ("*", ARN, True),
        (ARN, ARN, True),
        (ARN, f"{ARN}x", False),
        (ARN.upper(), ARN, False),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/*", ARN, True),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/b??ks", ARN, True),
        ("arn:aws:dynamodb:*:*:table/books", ARN, True),
        ("arn:aws:dynamodb:us-*-1:123456789012:table/books", ARN, True),
        # Within the first segments a wildcard does not reach beyond a colon ...
        ("arn:aws:dynamodb:us*1:table/books", ARN, False),
        ("arn:aws:dynamodb:us-east-1?123456789012:table/books", ARN, False),
        ("arn:aws:dynamodb:us*1:1*:table/books", "arn:aws:dynamodb:us:1:1:table/books", False),
        ("arn:aws:dynamodb:us?1:table/a:b", "arn:aws:dynamodb:us:1:table/a:b", False),
        # ... unless it is a * at the end of one.
        ("arn:aws:dynamodb:us*:1*:table/books", "arn:aws:dynamodb:us:1:1:table/books", True),
        # An ARN with fewer segments goes on with *.
        ("arn:aws:dynamodb:*:table/books", ARN, False),
        ("arn:aws:dynamodb", ARN, True),
        ("arn:aws:dynamodb:eu-west-1", ARN, False),
        ("arn:*", ARN, True),
        # After the fifth colon, a colon is a character like others.
        (f"{ARN}/stream/*", STREAM, True),
        (f"{ARN}/stream/2026*:00.000", STREAM, True),
        (f"{ARN}/stream/2026-01-01T00?00?00.000", STREAM, True),
        (f"{ARN}/stream/2*0", STREAM, True),
        (ARN, STREAM, False),
        # Of actions without a resource, AWS names a pattern, which is compared as a text.
        ("arn:aws:dynamodb:us-east-1:123456789012:table/*", f"{ARN[:-5]}*", True),
        (ARN, f"{ARN[:-5]}*", False),
    ],
)
def test_arn_patterns(pattern, arn, matches):
    assert arn_like(completed(plain(pattern)))(arn) is matches


def test_arns_that_are_not_completed():
    matches = arn_like(plain("arn:aws:dynamodb"))
    assert (matches(ARN), matches("arn:aws:dynamodb")) == (False, True)
    assert completed(plain("*")) == plain("*")


def test_what_a_variable_stood_for_is_no_wildcard():
    table = "arn:aws:dynamodb:us-east-1:123456789012:table/"
    matches = arn_like((Piece(table), Piece("*", literal=True)))
    assert (matches(f"{table}*"), matches(ARN)) == (True, False)


@pytest.mark.parametrize(("text", "matches"), [("a*b", True), ("a*xb", True), ("axb", False)])
def test_literal_and_other_wildcards_in_one_pattern(text, matches):
    pattern = (Piece("a"), Piece("*", literal=True), Piece("*b"))
    assert like(pattern)(text) is matches


# A regular expression of this pattern needs longer than the universe is old.
def test_many_wildcards_are_matched_in_linear_time():
    matches = like(plain("*a" * 500 + "b"))
    with costs_at_most(30):
        assert not matches("a" * 20_000)
