"""NextToken: its position comes back, and no token is accepted that this secret did not make."""

from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.partiql.next_tokens import (
    Position,
    claimed_number,
    position_of,
    token_of,
)
from hashrange.errors import DynamoError
from hashrange.limits.requests import STATEMENT_NEXT_TOKEN_SECONDS
from tests.rows import rows

SECRET, BOUND = bytes(range(32)), b"of this request!"
POSITION = Position(258, {"pk": {"S": "a"}, "sk": {"N": "1"}})
NOW_MS = 1_700_000_000_000
TOKEN = token_of(POSITION, BOUND, SECRET, NOW_MS)
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
INVALID = "Invalid NextToken"


def refused(token, *, bound=BOUND, secret=SECRET, now_ms=NOW_MS):
    with pytest.raises(DynamoError) as error:
        position_of(token, bound, secret, now_ms)
    return error.value.message


@given(
    st.integers(0, 2**16 - 1), st.none() | st.text(max_size=9), st.binary(min_size=1, max_size=64)
)
def test_the_position_comes_back(number, text, secret):
    position = Position(number, None if text is None else {"pk": {"S": text}})
    token = token_of(position, BOUND, secret, NOW_MS)
    assert position_of(token, BOUND, secret, NOW_MS) == position
    assert claimed_number(token) == number


# It chooses what a request is charged before it is verified, so any text has one.
@given(st.text(max_size=60))
def test_any_text_claims_a_number(text):
    assert 0 <= claimed_number(text) < 2**16


def test_a_token_is_good_for_an_hour():
    end_ms = NOW_MS + STATEMENT_NEXT_TOKEN_SECONDS * 1000
    assert position_of(TOKEN, BOUND, SECRET, end_ms - 1) == POSITION
    assert refused(TOKEN, now_ms=end_ms) == "Given NextToken has already expired"


def test_every_changed_byte_is_noticed():
    data = b64decode(TOKEN)
    for at in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            assert refused(b64encode(changed).decode()) == INVALID


# Keys of different lengths, because the last character has unused bits for some of them.
@pytest.mark.parametrize("text", ["a", "ab", "abc"])
def test_every_changed_character_is_noticed(text):
    token = token_of(Position(0, {"pk": {"S": text}}), BOUND, SECRET, NOW_MS)
    for at, char in enumerate(token):
        for other in {*map(chr, ALPHABET), "\n", "é"} - {char}:
            assert refused(token[:at] + other + token[at + 1 :]) == INVALID


@rows("count", range(len(TOKEN)))
def test_a_part_of_a_token_is_no_token(count):
    assert refused(TOKEN[:count]) == INVALID


@pytest.mark.parametrize("secret", [b"", bytes(32), SECRET[::-1]])
def test_a_token_of_another_secret_is_refused(secret):
    assert refused(token_of(POSITION, BOUND, secret, NOW_MS)) == INVALID


def test_a_token_of_another_request_is_refused():
    assert refused(TOKEN, bound=b"of another one!!") == "NextToken does not match request"
