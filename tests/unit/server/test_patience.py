"""Slow, idle, stuck and too many clients; the clock is the test's."""

import asyncio

import pytest

from hashrange.limits.server import HTTP_LINGER_SECONDS_MAX, HTTP_REFUSALS_MAX
from hashrange.observe.figures import Traffic
from hashrange.server.connection import Connection
from hashrange.server.http_limits import HttpLimits
from hashrange.server.listener_state import ListenerState
from hashrange.server.response_writer import ResponseWriter
from hashrange.wire.exchange import Response
from tests.pace import loop_until, turns
from tests.unit.server.harness import connected, echo, post, serving

SECONDS = {"request_seconds_max": 30, "idle_seconds_max": 120}


async def received(server, count):
    """Until the server has read that many bytes."""
    await loop_until(lambda: server.traffic.bytes_received >= count)
    await turns(5)


@pytest.mark.parametrize("part", [b"P", b"POST / HTTP/1.1\r\nA: ", post(b"body")[:-1]])
def test_slow_request_is_told_so_and_ended(run, part):
    async def main():
        async with serving(**SECONDS) as server, connected(server) as client:
            client.send(part)
            await received(server, len(part))
            await server.after(30)
            assert server.traffic.bytes_sent == 0
            await server.after(1)
            [answer] = await client.answers()
            assert (answer.status, answer.headers["connection"]) == (408, "close")

    run(main)


# Without a stream there is no request whose time would run.
def test_http2_without_streams_is_idle(run):
    async def main():
        async with serving(**SECONDS) as server, connected(server) as client:
            client.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            await loop_until(lambda: server.traffic.bytes_sent)
            await server.after(120)
            assert server.traffic.connections_closed == 1  # that of HTTP/1.1, which it was
            await server.after(1)
            await loop_until(lambda: server.traffic.connections_closed == 2)

    run(main)


# A byte now and then must not keep a request alive for ever.
def test_time_of_a_request_runs_from_its_first_byte(run):
    async def main():
        async with serving(**SECONDS) as server, connected(server) as client:
            data = post(b"a body")
            for at in range(0, 31, 10):
                client.send(data[at : at + 10])
                await received(server, at + 10)
                await server.after(10)
            client.send(data[40:])
            assert [answer.status for answer in await client.answers()] == [408]

    run(main)


def test_each_request_has_its_own_time(run):
    async def main():
        async with serving(**SECONDS) as server, connected(server) as client:
            data = post(b"a body")
            client.send(data[:10])
            sent = 10
            for _ in range(5):
                await received(server, sent)
                await server.after(20)
                # The end of one and the beginning of the next in one piece.
                client.send(data[10:] + data[:10])
                sent += len(data)
                assert (await client.answer()).status == 200

    run(main)


def test_idle_connection_is_closed_without_a_word(run):
    async def main():
        async with (
            serving(**SECONDS) as server,
            connected(server) as client,
            connected(server) as silent,
        ):
            await server.after(100)
            client.send(post())
            assert (await client.answer()).status == 200
            await server.after(21)
            assert await silent.answer() is None
            await server.after(99)
            client.send(post())
            assert (await client.answer()).status == 200
            await server.after(121)
            assert await client.answer() is None

    run(main)


def test_handler_may_take_its_time(run):
    gate = None

    async def slow(_request):
        nonlocal gate
        gate = asyncio.get_running_loop().create_future()
        await gate
        return Response(200, b"at last")

    async def main():
        async with serving(slow, **SECONDS) as server, connected(server) as client:
            client.send(post())
            await loop_until(lambda: gate is not None)
            await server.after(1000)
            gate.set_result(None)
            assert (await client.answer()).body == b"at last"

    run(main)


# The answers of a client that does not read must not pile up, nor stay for ever.
def test_client_that_does_not_read_is_cut_off(run):
    answered = 0

    async def large(_request):
        nonlocal answered
        answered += 1
        return Response(200, b"x" * 4_000_000)

    async def main():
        async with serving(large, **SECONDS) as server, connected(server) as client:
            client.stop_reading()
            client.send(post() * 50)
            await loop_until(lambda: answered)
            await turns(300)
            assert answered < 10
            for _ in range(6):
                await server.after(15)
                await turns(50)
            assert server.traffic.connections_closed == 1

    run(main)


def test_client_that_reads_slowly_gets_it_all(run):
    async def large(_request):
        return Response(200, b"x" * 3_000_000)

    async def main():
        async with serving(large, **SECONDS) as server, connected(server) as client:
            client.send(post() * 8 + post(headers=b"Connection: close\r\n"))
            await turns(50)
            for _ in range(9):
                await server.after(29)
                assert len((await client.answer()).body) == 3_000_000
            assert await client.answer() is None

    run(main)


# Slow, but never still: it gets an answer that takes it ten times the limit.
def test_client_that_takes_an_answer_in_sips_gets_it_all(run):
    size = 30_000_000

    async def large(_request):
        return Response(200, b"x" * size)

    async def main():
        async with serving(large, **SECONDS) as server, connected(server) as client:
            client.send(post(headers=b"Connection: close\r\n"))
            await client.reader.readuntil(b"\r\n\r\n")
            for _ in range(10):
                assert len(await client.reader.readexactly(size // 10)) == size // 10
                await server.after(29)
            assert await client.at_end()

    run(main)


class Untaken:
    """A transport whose client takes nothing more."""

    def __init__(self, untaken_bytes):
        self.untaken_bytes = untaken_bytes
        self.did = []

    def get_write_buffer_size(self):
        return self.untaken_bytes

    def get_extra_info(self, _name):
        return None

    def is_closing(self):
        return False

    def can_write_eof(self):
        return True

    def __getattr__(self, name):
        return lambda *_: self.did.append(name)


# What is left of the last answer may be less than what blocks a connection.
@pytest.mark.parametrize(("untaken_bytes", "seconds"), [(0, HTTP_LINGER_SECONDS_MAX), (1, 30)])
def test_end_of_the_last_answer_has_the_time_of_any_answer(untaken_bytes, seconds):
    state = ListenerState(
        echo, HttpLimits(**SECONDS), writer=ResponseWriter(0, bytes, Traffic()), traffic=Traffic()
    )
    connection = Connection(state)
    transport = Untaken(untaken_bytes)
    connection.connection_made(transport)
    connection.data_received(post(headers=b"Connection: close\r\n"))
    connection.check()
    state.now_s += seconds
    connection.check()
    assert transport.did == ["write", "write_eof"]
    state.now_s += 1
    connection.check()
    assert transport.did == ["write", "write_eof", "abort"]


# Accepted by the kernel just before the listener was closed.
def test_newcomer_while_draining_is_told_so():
    state = ListenerState(
        echo, HttpLimits(), writer=ResponseWriter(0, bytes, Traffic()), traffic=Traffic()
    )
    state.is_draining = True
    transport = Untaken(0)
    Connection(state).connection_made(transport)
    assert transport.did == ["write", "write_eof"]
    assert state.traffic.connections_refused == 1


# A client that is still sending a body that is too large must be able to read why; if the
# connection were closed under it, it would see a reset.
@pytest.mark.parametrize("framing", [b"Content-Length: 30000000", b"Transfer-Encoding: chunked"])
def test_refused_client_may_finish_sending(run, framing):
    async def main():
        async with serving(body_bytes_max=100_000) as server, connected(server) as client:
            client.send(b"POST / HTTP/1.1\r\n" + framing + b"\r\n\r\n")
            for _ in range(100):
                client.send(b"186a0\r\n" + b"x" * 100_000 + b"\r\n")
                await client.writer.drain()
            [answer] = await client.answers()
            assert answer.status == 413

    run(main)


def test_refused_client_that_does_not_go_is_cut_off(run):
    async def main():
        async with serving() as server, connected(server) as client:
            client.send(b"garbage\r\n\r\n")
            assert [answer.status for answer in await client.answers()] == [400]
            await server.after(HTTP_LINGER_SECONDS_MAX)
            assert server.traffic.connections_closed == 0
            await server.after(1)
            await turns(5)
            assert server.traffic.connections_closed == 1

    run(main)


def test_connections_beyond_the_maximum_are_told_so(run):
    async def main():
        async with serving(connections_max=1) as server, connected(server) as first:
            first.send(post())
            assert (await first.answer()).status == 200
            async with connected(server) as second:
                [answer] = await second.answers()
                assert answer.status == 503
                assert b"ServiceUnavailable" in answer.body
            await loop_until(lambda: server.traffic.connections_closed == 1)
            first.send(post())
            assert (await first.answer()).status == 200
            assert server.traffic.connections_refused == 1
            await first.close()
            await loop_until(lambda: server.traffic.connections_closed == 2)
            async with connected(server) as third:
                third.send(post())
                assert (await third.answer()).status == 200

    run(main)


# Refusing must not itself become the way to hold all file descriptors.
def test_refused_connections_that_stay_are_bounded(run):
    async def main():
        async with serving(connections_max=0) as server:
            writers = []
            for _ in range(HTTP_REFUSALS_MAX + 5):
                _, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writers.append(writer)
            await loop_until(lambda: server.traffic.connections_opened >= HTTP_REFUSALS_MAX + 5)
            await turns(5)
            assert server.traffic.connections_closed == 5
            for writer in writers:
                writer.close()

    run(main)
