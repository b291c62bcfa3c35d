"""Long bodies and unread answers of all clients together; there is room for little."""

import asyncio
import contextlib
import gzip
import tracemalloc
from pathlib import Path

import pytest

import hashrange
from hashrange.limits.server import LONG_BODY_BYTES_MIN
from hashrange.server.http_limits import HttpLimits
from hashrange.server.reader import RequestReader
from hashrange.wire.exchange import Response
from tests.pace import loop_until, turns
from tests.unit.server.harness import connected, decompressing, echo, post, serving

SIZE = 4 * LONG_BODY_BYTES_MIN
"""Of a long body."""
READ = LONG_BODY_BYTES_MIN
"""What the loop reads at a time, at most."""
LIMITS = {
    "request_seconds_max": 30,
    "idle_seconds_max": 120,
    "body_bytes_max": SIZE,
    "bodies_bytes_max": SIZE + SIZE // 2,
}
LONG = post(b"x" * SIZE)
CHUNKED = (
    b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"%x\r\n%b\r\n0\r\n\r\n" % (SIZE, b"y" * SIZE)
)
PART = SIZE * 7 // 8
"""There is room for one body and a half: two of which so much has come are too many."""
EARLY = post(b"e" * (READ * 3 // 2))
"""There is room for this one and a long one."""
BODIES = pytest.mark.parametrize("data", [LONG, CHUNKED], ids=["length", "chunks"])


async def size_of_body(request):
    return Response(200, str(len(request.body)).encode())


async def sent(server, client, data):
    """Send something and let it be read."""
    before = server.traffic.bytes_received
    client.send(data)
    await loop_until(lambda: server.traffic.bytes_received >= before + len(data))
    await turns(5)


async def suspended(request):
    """Answers in a later turn, as a handler that writes."""
    await turns()
    return await size_of_body(request)


async def refused(client):
    [answer] = await client.answers()
    assert (answer.status, answer.headers["connection"]) == (503, "close")
    assert b"ServiceUnavailable" in answer.body


@BODIES
def test_the_body_that_began_first_is_refused(run, data):
    async def main():
        async with (
            serving(size_of_body, **LIMITS) as server,
            connected(server) as first,
            connected(server) as second,
            connected(server) as short,
        ):
            await sent(server, short, post(b"x" * 1000)[:-1])
            await sent(server, first, data[:PART])
            await sent(server, second, data[:PART])
            await refused(first)
            assert server.traffic.requests_refused == 1
            for client, rest in (short, b"x"), (second, data[PART:]):
                client.send(rest)
                assert (await client.answer()).status == 200

    run(main)


# However a body ends, there is room for others, also while a client that was refused stays: nobody
# who began earlier makes room.
@BODIES
@pytest.mark.parametrize("end", ["answer", "reset", "close", "malformed", "slow"])
def test_room_is_given_back(run, data, end):
    async def main():
        async with serving(size_of_body, **LIMITS) as server, connected(server) as last:
            for _ in range(3):
                async with connected(server) as early, connected(server) as client:
                    await sent(server, early, EARLY[:-1])
                    await sent(server, client, data[: 4 * READ])
                    if end == "answer":
                        client.send(data[4 * READ :])
                        assert (await client.answer()).status == 200
                    elif end == "reset":
                        client.reset()
                    elif end == "close":
                        client.end()
                        assert await client.at_end()
                    elif end == "malformed":
                        # The size of the next chunk is expected, or the next request.
                        client.send(data[4 * READ : SIZE + 100].replace(b"0\r\n", b"") + b"?\r\n")
                        assert (await client.answers())[-1].status == 400
                    else:
                        await server.after(31)
                        assert [each.status for each in await client.answers()] == [408]
                    if end in {"reset", "close"}:
                        closed = server.traffic.connections_opened - 2
                        await loop_until(lambda: server.traffic.connections_closed == closed)  # noqa: B023
                    last.send(data)
                    assert (await last.answer()).status == 200
                    early.send(EARLY[-1:])
                    assert (await early.answer()).status == (408 if end == "slow" else 200)

    run(main)


# A write that has begun happens, however long it takes, and whether its client waits or not.
@pytest.mark.parametrize("leaves", [False, True])
def test_a_request_at_work_is_not_refused(run, leaves):
    release = asyncio.Event()
    ended = []

    async def handler(request):
        if request.body[:1] == b"x":
            await release.wait()
        ended.append(len(request.body))
        return await size_of_body(request)

    async def main():
        async with (
            serving(handler, **LIMITS) as server,
            connected(server) as first,
            connected(server) as second,
            connected(server) as third,
        ):
            await sent(server, first, LONG)
            if leaves:
                first.reset()
                await loop_until(lambda: server.traffic.connections_closed)
            await sent(server, second, CHUNKED[:PART])
            await refused(second)
            release.set()
            if not leaves:
                assert (await first.answer()).status == 200
            await loop_until(lambda: ended)
            third.send(CHUNKED)
            assert (await third.answer()).status == 200
            assert ended == [SIZE, SIZE]

    run(main)


def test_a_body_that_becomes_long_when_it_is_decoded(run):
    packed = post(gzip.compress(b"x" * SIZE), headers=b"Content-Encoding: gzip\r\n")
    release = asyncio.Event()

    begun = []

    async def handler(request):
        begun.append(request)
        await release.wait()
        return await size_of_body(request)

    async def main():
        async with (
            serving(decompressing(handler), **LIMITS) as server,
            connected(server) as first,
            connected(server) as second,
        ):
            await sent(server, first, packed)
            await sent(server, second, packed)
            assert (await second.answer()).status == 503
            assert len(begun) == 1
            release.set()
            for _ in range(3):
                assert (await first.answer()).body == str(SIZE).encode()
                first.send(packed)
            assert (await first.answer()).body == str(SIZE).encode()

    run(main)


# Each comes in two reads, and is long only with the second.
def test_bodies_are_counted_when_they_are_whole(run):
    size = READ * 5 // 4
    data = post(b"x" * size)
    release = asyncio.Event()

    async def handler(request):
        await release.wait()
        return await size_of_body(request)

    async def main():
        async with contextlib.AsyncExitStack() as stack:
            server = await stack.enter_async_context(serving(handler, **LIMITS))
            clients = [await stack.enter_async_context(connected(server)) for _ in range(5)]
            for client in clients:
                await sent(server, client, data[: READ // 2])
                await sent(server, client, data[READ // 2 :])
            await refused(clients[-1])
            release.set()
            for client in clients[:-1]:
                assert (await client.answer()).body == str(size).encode()

    run(main)


@pytest.mark.parametrize("handler", [size_of_body, suspended])
@pytest.mark.parametrize("order", [b"xs", b"sx", b"xsx"])
def test_long_and_short_bodies_of_one_connection(run, handler, order):
    kinds = {b"x": LONG, b"s": post(b"short")}
    data = b"".join(kinds[order[at : at + 1]] for at in range(len(order)))

    async def main():
        async with serving(handler, **LIMITS) as server, connected(server) as client:
            for _ in range(3):
                client.send(data)
                for kind in order:
                    size = SIZE if kind == ord("x") else 5
                    assert (await client.answer()).body == str(size).encode()

    run(main)


# A client that leaves an answer unread sends no body meanwhile.
def test_no_body_is_read_before_the_answer_is(run):
    async def large(request):
        return Response(200, b"x" * 30_000_000) if not request.body else await echo(request)

    async def main():
        async with serving(large, **LIMITS) as server, connected(server) as client:
            client.stop_reading()
            client.send(post())
            await turns(100)
            before = server.traffic.bytes_received
            client.send(LONG)
            await turns(300)
            assert server.traffic.bytes_received - before <= READ
            client.read_on()
            assert len((await client.answer()).body) == 30_000_000
            assert (await client.answer()).status == 200

    run(main)


def test_the_oldest_unread_answer_is_given_up(run):
    answer = b"x" * 30_000_000

    async def large(_request):
        return Response(200, answer)

    async def main():
        async with (
            serving(large, **LIMITS, answers_bytes_max=70_000_000) as server,
            connected(server) as first,
            connected(server) as second,
            connected(server) as third,
            connected(server) as fourth,
            connected(server) as fifth,
        ):
            for client in first, second, third:
                client.stop_reading()
                await sent(server, client, post())
            await loop_until(lambda: server.traffic.connections_closed)
            assert server.traffic.answers_abandoned == server.traffic.connections_closed == 1
            for client in second, third:
                client.read_on()
                assert len((await client.answer()).body) == len(answer)
            # What was read does not count, nor what nobody can read any more.
            fourth.stop_reading()
            await sent(server, fourth, post())
            await turns(100)
            fourth.reset()
            await loop_until(lambda: server.traffic.connections_closed == 2)
            for client in fifth, second:
                client.stop_reading()
                await sent(server, client, post())
            for client in fifth, second:
                client.read_on()
                assert len((await client.answer()).body) == len(answer)
            assert server.traffic.answers_abandoned == 1

    run(main)


def test_an_answer_that_has_no_room_is_given_up(run):
    async def large(request):
        return Response(200, b"x" * 30_000_000) if not request.body else await echo(request)

    async def main():
        async with (
            serving(large, **LIMITS, answers_bytes_max=10_000_000) as server,
            connected(server) as client,
            connected(server) as other,
        ):
            client.stop_reading()
            await sent(server, client, post() + post())
            await loop_until(lambda: server.traffic.connections_closed)
            assert server.traffic.answers_abandoned == 1
            other.send(post(b"x"))
            assert (await other.answer()).status == 200

    run(main)


@contextlib.contextmanager
def traced():
    """Gives a function for the bytes that the server's code has taken, and not other threads."""
    package = str(Path(hashrange.__file__).parent / "*")
    ours = tracemalloc.Filter(inclusive=True, filename_pattern=package)
    tracemalloc.start()
    try:
        yield lambda: sum(
            each.size for each in tracemalloc.take_snapshot().filter_traces([ours]).traces
        )
    finally:
        tracemalloc.stop()


# The memory of what was refused is free although the client does not close.
def test_a_body_that_was_refused_is_not_kept():
    reader = RequestReader(HttpLimits())
    with traced() as taken:
        reader.feed(LONG[:-1])
        reader.refuse(Response(503, b""))
        assert taken() < READ


# Each chunk would be an object of twenty times its size.
def test_a_body_in_tiny_chunks():
    count = 100_000
    reader = RequestReader(HttpLimits())
    head = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"2\r\nxy\r\n" * count
    with traced() as taken:
        reader.feed(head)
        reader.feed(chunks)
        assert taken() < 10 * count
    reader.feed(b"0\r\n\r\n")
    assert reader.requests.popleft().body == b"xy" * count


# Where memory is short, a body counts with all that is made of it: here 41 times its bytes.
def test_bodies_are_weighed_where_memory_is_short(run):
    limits = {"bodies_bytes_max": 1_000_000, "weighs_bodies": True}

    async def main():
        async with serving(size_of_body, **limits) as server:
            for body, status in ((b"x" * 100_000, 200), (b"{" * 5_000, 200), (b"{" * 50_000, 503)):
                async with connected(server) as client:
                    client.send(post(body))
                    assert (await client.answer()).status == status

    run(main)
