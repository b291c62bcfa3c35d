import pytest

from hashrange.dax.protocol.methods import METHODS
from hashrange.dax.protocol.session import Hello, Received, Session, framed
from hashrange.limits.dax import (
    DAX_HELLO_BYTES_MAX,
    DAX_REQUEST_BYTES_MAX,
    DAX_UNAUTHENTICATED_ITEMS_MAX,
    DAX_WHOLE_BYTES_MAX,
)
from hashrange.wire.cbor.reader import MalformedError

# The handshake of the client of Python, and calls of it.
HELLO = bytes.fromhex(
    "674a37796e6535470050be6a013a2ce91b722a1245efb75e08cea1695573657241"
    "67656e7475446178507974686f6e436c69656e742d322e312e3000"
)
KEY_SCHEMA = bytes.fromhex("013a2c43e27e4454616231")
ENDPOINTS = bytes.fromhex("011a1b2bcf02")
GET = bytes.fromhex("011a0fb0cc6a44546162314161bf0300ff")
SEEN = [
    Hello("DaxPythonClient-2.1.0", is_framed=False),
    Received(-742646399, METHODS[-742646399], [b"Tab1"]),
    Received(455855874, METHODS[455855874], []),
    Received(263244906, METHODS[263244906], [b"Tab1", b"a", {3: 0}]),
]


def frames_of(session):
    frames = []
    while (frame := session.next()) is not None:
        frames.append(frame)
    return frames


# However the bytes are cut, the calls are the same.
@pytest.mark.parametrize("size", [1, 2, 3, 7, 40, 1000])
def test_parts(size):
    session, seen = Session(), []
    data = HELLO + KEY_SCHEMA + ENDPOINTS + GET
    for at in range(0, len(data), size):
        session.feed(data[at : at + size])
        seen += frames_of(session)
    assert seen == SEEN
    assert not session.is_receiving


def put_of(size):
    start = bytes.fromhex("013a7d8e7e56445461623141615a")
    return start + size.to_bytes(4, "big") + bytes(size) + b"\xf6"


# Behind a large call the next one is found.
@pytest.mark.parametrize("part", [1000, 65_536, 10**9])
def test_large(part):
    session, seen = Session(), []
    session.trust(DAX_REQUEST_BYTES_MAX)
    data = HELLO + put_of(DAX_WHOLE_BYTES_MAX * 5) + ENDPOINTS + put_of(100_000) + ENDPOINTS
    for at in range(0, len(data), part):
        session.feed(data[at : at + part])
        seen += frames_of(session)
    assert [type(each) for each in seen] == [Hello, *[Received] * 4]
    assert [len(each.arguments) for each in seen[1:]] == [4, 0, 4, 0]
    assert len(seen[1].arguments[2]) == DAX_WHOLE_BYTES_MAX * 5


# What is too large is refused at its head, before it is sent.
def test_too_large():
    session = Session()
    session.feed(HELLO + put_of(0)[:-5] + b"\x7f\xff\xff\xff")
    assert session.next() == SEEN[0]
    with pytest.raises(MalformedError):
        session.next()


# Each item costs as much as some hundred bytes of a text, and no client has many before it signs.
@pytest.mark.parametrize(
    "data",
    [
        HELLO[:8] + b"\x00\xf6" + b"\xa1" * 30_000,
        HELLO[:8] + b"\x00\xf6\x9f" + bytes(DAX_UNAUTHENTICATED_ITEMS_MAX),
        HELLO[:8] + b"\x00\x7f" + b"\x60" * DAX_UNAUTHENTICATED_ITEMS_MAX,
        HELLO + GET[:-3] + b"\x9f" + bytes(DAX_UNAUTHENTICATED_ITEMS_MAX),
    ],
)
def test_many_items_before_the_first_signature(data):
    session = Session()
    session.feed(data)
    with pytest.raises(MalformedError):
        frames_of(session)


def test_another_protocol_is_noticed_at_once():
    session = Session()
    session.feed(b"GET / HTTP/1.1\r\n")
    with pytest.raises(MalformedError):
        session.next()


def test_hello_too_large():
    session = Session()
    session.feed(HELLO[:8] + b"\x00\xf6\xa1\x61a\x7a\x7f\xff\xff\xff")
    with pytest.raises(MalformedError):
        session.next()
    session = Session()
    session.feed(HELLO[:8] + b"\x00\xf6\x9f" + bytes(DAX_HELLO_BYTES_MAX))
    with pytest.raises(MalformedError):
        session.next()


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02", b"\xff", b"\x00"])
def test_other_protocols(data):
    session = Session()
    session.feed(data)
    with pytest.raises(MalformedError):
        session.next()


def test_other_service():
    session = Session()
    session.feed(HELLO + b"\x02" + ENDPOINTS[1:])
    assert session.next() == SEEN[0]
    with pytest.raises(MalformedError):
        session.next()


# Its arguments cannot be skipped, for nobody knows how many there are.
def test_unknown_method():
    session = Session()
    session.feed(HELLO + bytes.fromhex("011801") + GET)
    assert session.next() == SEEN[0]
    assert session.next() == Received(1, None, [])


# The handshake of Java differs: it expects answers in frames of one part, with the length of the
# header.
def test_framed():
    session = Session()
    session.feed(bytes.fromhex("674a37796e65354701f6a169557365724167656e7461 4a00"))
    assert session.next() == Hello("J", is_framed=True)
    assert framed(b"\x80\xa0").hex() == "0000000a0100000080a0"


# The texts of such numbers are longer than Python makes them.
@pytest.mark.parametrize("before", [b"", b"\x81", b"\xc9"])
def test_an_agent_that_is_no_text(before):
    session = Session()
    number = b"\xc2\x59\x08\x00" + b"\xff" * 2048
    session.feed(b"\x67J7yne5G\x00\x60\xa1\x69UserAgent" + before + number + b"\x00")
    assert frames_of(session) == [Hello("", is_framed=False)]
