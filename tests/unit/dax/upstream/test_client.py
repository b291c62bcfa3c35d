"""What the client of an upstream makes of its answers, and when it asks again."""

import asyncio
import contextlib
from zlib import crc32

import pytest

from hashrange.dax.upstream.refusals import UpstreamError
from hashrange.errors import Fault
from hashrange.limits.dax import UPSTREAM_ANSWER_BYTES_MAX, UPSTREAM_TRIES_MAX
from tests.ports import free_port
from tests.unit.dax.upstream.endpoints import answer, client_of, in_loop, sent, serving


async def error_of(call):
    with pytest.raises(UpstreamError) as raised:
        await call
    return raised.value


@in_loop
async def test_a_connection_is_used_again():
    async with serving(answer(b'{"a":1}')) as upstream, client_of(upstream.url) as client:
        assert [await client.call(sent(b"[1]")) for _ in range(3)] == [b'{"a":1}'] * 3
        assert upstream.bodies == [b"[1]"] * 3
        assert upstream.connections == 1


@in_loop
async def test_answers_come_in_any_pieces():
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    checked = answer(b"{}", 200, f"x-amz-crc32: {crc32(b'{}')}")
    closing = answer(b"{}", 200, "Connection: close")
    pieces = [answer(b"{}")[at : at + 1] for at in range(len(answer(b"{}")))]
    async with (
        serving(chunked, pieces, checked, closing, answer()) as upstream,
        client_of(upstream.url) as client,
    ):
        assert [await client.call(sent()) for _ in range(5)] == [b"{}"] * 5
        assert upstream.connections == 2


# Another caller would get the second answer.
@in_loop
async def test_an_answer_too_many_ends_the_connection():
    async with (
        serving(answer(b'{"a":1}') + answer(b'{"b":2}'), answer(b'{"c":3}')) as upstream,
        client_of(upstream.url) as client,
    ):
        assert await client.call(sent()) == b'{"a":1}'
        assert await client.call(sent()) == b'{"c":3}'
        assert upstream.connections == 2


# It tells that the request may go on, and is not the answer.
@in_loop
async def test_an_interim_answer_is_passed_over():
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    async with serving(interim + answer(b'{"a":1}')) as upstream, client_of(upstream.url) as client:
        assert await client.call(sent()) == b'{"a":1}'


FAULTY = {
    "its answer is not HTTP": b"SSH-2.0\r\n\r\n",
    "its answer was damaged on its way": answer(b"{}", 200, "x-amz-crc32: 7"),
    "it has closed the connection": None,
    "the headers of its answer are too large": [
        b"HTTP/1.1 200 OK\r\n",
        *[b"X-%d: %s\r\n" % (number, b"x" * 1000) for number in range(100)],
    ],
}


@pytest.mark.parametrize("reason", FAULTY)
@in_loop
async def test_answers_that_are_none_are_lost(reason):
    async with serving(FAULTY[reason], answer()) as upstream, client_of(upstream.url) as client:
        error = await error_of(client.call(sent(is_repeatable=False)))
        assert error.message == (
            f"The upstream {upstream.url} has not answered: {reason}. A write may have been made"
        )
        assert (error.fault, error.is_unchanged) == (Fault.INTERNAL, False)
        assert client.failure == error.message
        # What may be repeated is.
        assert await client.call(sent()) == b"{}"
        assert client.failure is None


@in_loop
async def test_an_answer_has_a_bound():
    part = b"x" * (1 << 20)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"
    endless = [head, *[part] * (UPSTREAM_ANSWER_BYTES_MAX // len(part) + 1)]
    async with serving(endless) as upstream, client_of(upstream.url) as client:
        error = await error_of(client.call(sent(is_repeatable=False)))
        assert "its answer is too large" in error.message


@in_loop
async def test_failures_are_tried_again_a_few_times():
    failing = answer(b'{"__type":"x#InternalServerError","message":"oh"}', 500)
    async with serving(failing) as upstream, client_of(upstream.url) as client:
        error = await error_of(client.call(sent()))
        assert (error.fault, error.message) == (Fault.INTERNAL, "oh")
        assert len(upstream.bodies) == client.sent == UPSTREAM_TRIES_MAX
        assert client.retried == UPSTREAM_TRIES_MAX - 1
        upstream.bodies.clear()
        error = await error_of(client.call(sent(is_repeatable=False)))
        assert not error.is_unchanged
        assert len(upstream.bodies) == 1


@in_loop
async def test_refusals_are_not_tried_again():
    throttled = answer(b'{"__type":"x#ProvisionedThroughputExceededException"}', 400)
    async with serving(throttled) as upstream, client_of(upstream.url) as client:
        error = await error_of(client.call(sent()))
        assert (error.fault, error.is_unchanged) == (Fault.THROUGHPUT_EXCEEDED, True)
        assert len(upstream.bodies) == 1


# A write that was lost, and could not be sent again, may have been made all the same.
@in_loop
async def test_a_lost_write_is_not_unchanged_when_the_upstream_goes_away():
    async with contextlib.AsyncExitStack() as stack:
        async with serving(asyncio.Event()) as upstream:
            client = await stack.enter_async_context(client_of(upstream.url))
            call = asyncio.ensure_future(client.call(sent()))
            await upstream.arrived.wait()
        error = await error_of(call)
        assert not error.is_unchanged
        assert error.message.startswith(f"The upstream {upstream.url} has not answered")
        assert "connection refused" in error.message


@in_loop
async def test_no_upstream_is_told_and_nothing_was_changed():
    port = free_port()
    async with client_of(f"http://127.0.0.1:{port}") as client:
        error = await error_of(client.call(sent(is_repeatable=False)))
    told = f"The upstream http://127.0.0.1:{port} cannot be reached: connection refused"
    assert (error.message, error.is_unchanged) == (told, True)
    # Nothing was sent: also a write may be tried again.
    assert client.retried == UPSTREAM_TRIES_MAX - 1


@in_loop
async def test_an_upstream_that_never_answers_has_a_time_limit():
    # Long enough to connect and send, also on a machine that stalls.
    async with (
        serving(asyncio.Event()) as upstream,
        client_of(upstream.url, seconds_max=1) as client,
    ):
        error = await error_of(client.call(sent()))
        assert "no answer in time" in error.message
        assert not error.is_unchanged


@in_loop
async def test_requests_that_are_under_way_end_with_the_client():
    async with serving(asyncio.Event()) as upstream:
        async with client_of(upstream.url) as client:
            call = asyncio.ensure_future(client.call(sent()))
            await upstream.arrived.wait()
        with contextlib.suppress(asyncio.CancelledError):
            await call
        assert call.cancelled()
