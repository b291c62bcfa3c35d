"""NextToken: its position comes back, and no token is accepted that this secret did not make."""

from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError
from hashrange.operations.partiql.next_tokens import Place, place_of, token_of
from tests.rows import rows

SECRET, BOUND = bytes(range(32)), b"of this request!"
PLACE = Place(258, {"pk": {"S": "a"}, "sk": {"N": "1"}})
TOKEN = token_of(PLACE, BOUND, SECRET)
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
INVALID = "Invalid NextToken"


def refused(token, *, bound=BOUND, secret=SECRET):
    with pytest.raises(DynamoError) as error:
        place_of(token, bound, secret)
    return error.value.message


@given(st.integers(0, 2**16 - 1), st.text(max_size=9), st.binary(min_size=1, max_size=64))
def test_the_position_comes_back(number, text, secret):
    place = Place(number, {"pk": {"S": text}})
    assert place_of(token_of(place, BOUND, secret), BOUND, secret) == place


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
    token = token_of(Place(0, {"pk": {"S": text}}), BOUND, SECRET)
    for at, char in enumerate(token):
        for other in {*map(chr, ALPHABET), "\n", "é"} - {char}:
            assert refused(token[:at] + other + token[at + 1 :]) == INVALID


@rows("count", range(len(TOKEN)))
def test_a_part_of_a_token_is_no_token(count):
    assert refused(TOKEN[:count]) == INVALID


@pytest.mark.parametrize("secret", [b"", bytes(32), SECRET[::-1]])
def test_a_token_of_another_secret_is_refused(secret):
    assert refused(token_of(PLACE, BOUND, secret)) == INVALID


def test_a_token_of_another_request_is_refused():
    assert refused(TOKEN, bound=b"of another one!!") == "NextToken does not match request"
