"""Messages between servers as bytes."""

import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.regions.peers.calls import MessageError, packed, unpacked


class Pair(msgspec.Struct, frozen=True):
    name: str
    data: bytes


@given(st.builds(Pair, st.text(), st.binary()))
def test_messages_come_as_they_were(pair):
    assert unpacked(packed(pair), Pair) == pair


@given(st.binary())
def test_other_bytes_are_refused(data):
    with pytest.raises(MessageError):
        unpacked(data, Pair)


def test_a_message_that_is_cut_off_or_followed_is_refused():
    data = packed(Pair("a", b"b" * 100))
    for altered in (data[:-1], data + b"x", packed([1])):
        with pytest.raises(MessageError):
            unpacked(altered, Pair)


def test_a_small_body_of_many_bytes_is_not_unpacked():
    bomb = zlib.compress(msgspec.msgpack.encode(Pair("a", bytes(10_000))))
    with pytest.raises(MessageError):
        unpacked(bomb, Pair, 1000)
