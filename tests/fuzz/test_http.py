"""Bytes that nobody meant: each connection gets well-formed answers and comes to an end.

More examples: `pytest tests/fuzz --hypothesis-profile=nightly`.
"""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.server.http_limits import HttpLimits
from tests.pace import turns
from tests.unit.server.harness import connected, cut, echo, post, read, serving

CHUNKED = (
    b"POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;e\r\nabc\r\n0\r\nX: trailer\r\n\r\n"
)
REQUESTS = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET /ping?x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    b"OPTIONS http://h/ HTTP/1.1\r\nOrigin: x\r\nAccess-Control-Request-Method: POST\r\n\r\n",
    post(b'{"TableName":"T"}', headers=b"X-Amz-Target: DynamoDB_20120810.GetItem\r\n"),
    post(b"not gzip", headers=b"Content-Encoding: gzip\r\n"),
    post(b"upgrade", headers=b"Connection: Upgrade\r\nUpgrade: h2c\r\n"),
    post(b"expected", headers=b"Expect: 100-continue\r\n"),
    post(b"last", headers=b"Connection: close\r\n"),
    CHUNKED,
]
# What a parser trips over: line ends, separators, signs, numbers that are too large.
SPICES = [
    *(
        b"\r\n",
        b"\n",
        b"\r",
        b"\r\n\r\n",
        b" ",
        b"\t",
        b"\0",
        b":",
        b";",
        b",",
        b"/",
        b"?",
        b"\xff",
    ),
    *(b"0\r\n\r\n", b"-1", b"ffffffffffffffff", b"99999999999999999999", b"HTTP/1.1", b"chunked"),
    *(b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Upgrade: x\r\n"),
    *(b"Connection: close, upgrade\r\n", b"Expect: x\r\n", b"Content-Encoding: br\r\n"),
]
STATUSES = {200, 400, 404, 413, 415, 417}

spices = st.one_of(st.sampled_from(SPICES), st.binary(max_size=4))


@st.composite
def spoilt(draw):
    """Requests with pieces put in, taken out or written over."""
    data = b"".join(draw(st.lists(st.sampled_from(REQUESTS), min_size=1, max_size=4)))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        removed = draw(st.integers(0, 6))
        data = data[:at] + draw(spices) + data[at + removed :]
    return data


anything = st.one_of(spoilt(), st.binary(max_size=200), st.lists(spices).map(b"".join))
cuts = st.lists(st.integers(0, 400), max_size=6)


@given(anything, cuts)
def test_any_bytes_mean_the_same_in_any_pieces(data, positions):
    limits = HttpLimits(body_bytes_max=100)
    pieces = cut(data, [min(position, len(data)) for position in positions])
    whole, reader = read([data], limits)
    assert read(pieces, limits)[0] == whole
    assert read(pieces, limits)[1].refusal == reader.refusal
    assert read(pieces, limits)[1].is_open == reader.is_open


@pytest.fixture(scope="module")
def loop():
    """One loop and one server for all examples: a new one for each would cost most of the time."""
    with asyncio.Runner() as runner:
        yield runner


async def hesitating(request):
    """Suspends as often as the target is long."""
    await turns(len(request.path))
    return await echo(request)


@given(data=anything, positions=cuts, hesitates=st.booleans())
def test_any_bytes_get_answers_and_an_end(loop, data, positions, hesitates):
    limits = {"body_bytes_max": 100}
    requests, reader = read([data], HttpLimits(**limits))

    async def main():
        handler = hesitating if hesitates else echo
        async with serving(handler, **limits) as server, connected(server) as client:
            for piece in cut(data, [min(position, len(data)) for position in positions]):
                client.send(piece)
                await turns()
            client.end()
            return await client.answers([request.method for request in requests])

    statuses = [answer.status for answer in loop.run(main())]
    assert set(statuses) <= STATUSES
    assert len(statuses) == len(requests) + (reader.refusal is not None)


# Valid requests, whatever their pieces and however their handlers suspend: echoed in order.
@given(st.lists(st.tuples(st.integers(0, 5), st.binary(max_size=30)), max_size=8), cuts)
def test_pipelines_are_answered_in_order(loop, requests, positions):
    data = b"".join(post(body, path=b"/" * (1 + turns)) for turns, body in requests)

    async def main():
        async with serving(hesitating) as server, connected(server) as client:
            for piece in cut(data, [min(position, len(data)) for position in positions]):
                client.send(piece)
                await turns()
            client.end()
            return [answer.body for answer in await client.answers()]

    expected = [b"POST %b? %b" % (b"/" * (1 + turns), body) for turns, body in requests]
    assert loop.run(main()) == expected
