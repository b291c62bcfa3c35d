"""Connections of DAX clients: order, bounds, and their ends."""

import asyncio
import contextlib

import pytest

from hashrange.limits.dax import DAX_UNAUTHENTICATED_BYTES_MAX
from hashrange.limits.server import LONG_BODY_BYTES_MIN
from tests.pace import loop_until, turns
from tests.unit.server.dax.harness import ENDPOINTS, HELLO, numbered, serving

ANSWER = b"455855874;"
GET = bytes.fromhex("011a0fb0cc6a") + b"\x44flat\x41k\xa0"
GOT = b"263244906;"
KEY_SCHEMA = bytes.fromhex("013a2c43e27e44546162 31".replace(" ", ""))
KEY_SCHEMA_ANSWER = b"-742646399;"
LONG_BYTES = 4 * LONG_BODY_BYTES_MIN


def long_call(size):
    """A call whose argument has so many bytes."""
    return KEY_SCHEMA[:6] + b"\x5a%b" % size.to_bytes(4) + bytes(size)


async def ended(reader):
    """Whether the connection is closed or reset, without an answer."""
    with contextlib.suppress(ConnectionError):
        return await reader.read() == b""
    return True


# Calls that come together are answered in their order, one at a time.
def test_order(run):
    async def main():
        begun, gates = [], []

        async def respond(_client, received):
            gate = asyncio.get_running_loop().create_future()
            begun.append(received.number)
            gates.append(gate)
            await gate
            return await numbered(_client, received)

        async with serving(respond) as server, server.client() as (reader, writer):
            writer.write(ENDPOINTS + KEY_SCHEMA + ENDPOINTS)
            for count in (1, 2, 3):
                await loop_until(lambda: len(begun) == count)  # noqa: B023 - awaited at once
                await turns(5)
                assert len(begun) == count
                gates[-1].set_result(None)
            assert await reader.readexactly(31) == ANSWER + KEY_SCHEMA_ANSWER + ANSWER

    run(main)


# A connection that cannot be read ends; the others do not notice.
@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n\r\n", HELLO + b"\xff", HELLO + b"\x02\x01"])
def test_malformed(run, data):
    async def main():
        async with serving(numbered) as server, server.client() as (reader, writer):
            async with server.client(data) as (malformed, _):
                assert await malformed.read() == b""
            writer.write(ENDPOINTS)
            assert await reader.readexactly(10) == ANSWER
            assert server.state.traffic.requests_refused == 1

    run(main)


# While its client reads nothing, a connection begins no call and reads no bytes.
def test_client_that_never_reads(run):
    async def main():
        answered = []

        async def respond(_client, _received):
            answered.append(1)
            return bytes(100_000)

        limits = {"request_seconds_max": 5}
        async with serving(respond, **limits) as server, server.client() as (_, writer):
            writer.transport.pause_reading()
            for _ in range(500):
                writer.write(ENDPOINTS * 100)
            count = -1
            while count != len(answered):
                count = len(answered)
                await turns(200)
            assert count < 1_000
            for _ in range(10):
                await server.after(2)
            assert not server.state.connections

    run(main)


# The same of answers that are at hand.
def test_client_that_never_reads_hits(run):
    async def main():
        answered = []

        def at_hand(_client, _received):
            answered.append(1)
            return bytes(100_000)

        async with serving(numbered) as server, server.client() as (reader, writer):
            writer.write(GET)
            assert await reader.readexactly(len(GOT)) == GOT
            server.state.at_hand = at_hand
            writer.transport.pause_reading()
            count = -1
            while count != len(answered):
                count = len(answered)
                for _ in range(20):
                    writer.write(GET)
                    await turns(20)
            assert 0 < count < 1_000

    run(main)


# There is room for one: the call that began first makes room, unless it is at work.
def test_long_calls(run):
    release = asyncio.Event()

    async def respond(client, received):
        if received.arguments:
            await release.wait()
        return await numbered(client, received)

    async def main():
        limits = {"bodies_bytes_max": LONG_BYTES + LONG_BODY_BYTES_MIN}
        async with (
            serving(respond, **limits) as server,
            server.client() as (slow, slow_writer),
            server.client() as (reader, writer),
            server.client() as (late, late_writer),
        ):
            slow_writer.write(long_call(LONG_BYTES)[:-1])
            writer.write(long_call(LONG_BYTES))
            assert await ended(slow)
            await loop_until(lambda: server.state.suspended)
            late_writer.write(long_call(LONG_BYTES))
            assert await ended(late)
            assert server.state.traffic.requests_refused == 2
            writer.write(long_call(LONG_BYTES))
            await turns(5)
            release.set()
            for _ in range(3):
                found = await reader.readexactly(len(KEY_SCHEMA_ANSWER))
                assert found == KEY_SCHEMA_ANSWER
                writer.write(long_call(LONG_BYTES))

    run(main)


# The room of a call that does not come to its end is given back, and that of a call at work whose
# client has gone when it ends.
def test_long_call_of_a_client_that_has_gone(run):
    release = asyncio.Event()

    async def respond(client, received):
        await release.wait()
        return await numbered(client, received)

    async def main():
        limits = {"bodies_bytes_max": LONG_BYTES + LONG_BODY_BYTES_MIN}
        async with serving(respond, **limits) as server:
            async with server.client() as (_, writer):
                received = server.state.traffic.bytes_received + LONG_BYTES
                writer.write(long_call(LONG_BYTES)[:-1])
                await loop_until(lambda: server.state.traffic.bytes_received > received)
                writer.transport.abort()
                await loop_until(lambda: not server.state.connections)
            async with server.client() as (_, writer):
                writer.write(long_call(LONG_BYTES))
                await loop_until(lambda: server.state.suspended)
                writer.transport.abort()
                await loop_until(lambda: not server.state.connections)
            release.set()
            await loop_until(lambda: not server.state.suspended)
            async with server.client() as (reader, writer):
                writer.write(long_call(LONG_BYTES))
                assert await reader.readexactly(len(KEY_SCHEMA_ANSWER)) == KEY_SCHEMA_ANSWER
            assert not server.state.traffic.requests_refused

    run(main)


# A handshake that does not come, a call that does not end, and a connection without calls.
@pytest.mark.parametrize(
    ("data", "seconds"),
    [(b"", 6), (HELLO[:5], 6), (HELLO + ENDPOINTS[:3], 6), (HELLO, 61), (HELLO + ENDPOINTS, 61)],
)
def test_patience(run, data, seconds):
    async def main():
        limits = {"request_seconds_max": 5, "idle_seconds_max": 60}
        async with serving(numbered, **limits) as server, server.client(data) as (reader, _):
            await loop_until(lambda: server.state.connections)
            await turns(20)
            await server.after(seconds - 2)
            assert server.state.connections
            await server.after(3)
            await loop_until(lambda: not server.state.connections)
            assert (await reader.read()) in {b"", ANSWER}

    run(main)


def test_too_many_connections(run):
    async def main():
        async with (
            serving(numbered, connections_max=1) as server,
            server.client() as (reader, writer),
        ):
            writer.write(ENDPOINTS)
            assert await reader.readexactly(10) == ANSWER
            async with server.client(b"") as (other, _):
                with contextlib.suppress(ConnectionResetError):
                    assert await other.read() == b""
            assert server.state.traffic.connections_refused == 1

    run(main)


# Before its signature a connection gets no memory for large calls.
def test_unauthenticated(run):
    class Required:
        is_required = True

    async def main():
        async with serving(numbered, Required()) as server, server.client() as (reader, writer):
            size = (DAX_UNAUTHENTICATED_BYTES_MAX + 1).to_bytes(4, "big")
            writer.write(KEY_SCHEMA[:-5] + b"\x5a" + size)
            assert await reader.read() == b""

    run(main)


# A server that stops answers what has begun and one more call of each connection, of which a client
# may have sent it already; it closes what stays idle.
def test_drain_answers_a_next_call(run):
    async def main():
        async with (
            serving(numbered) as server,
            server.client(HELLO + ENDPOINTS) as (reader, writer),
        ):
            assert await reader.readexactly(len(ANSWER)) == ANSWER
            stopping = asyncio.ensure_future(server.stop())
            await turns()
            writer.write(ENDPOINTS)
            assert await reader.read() == ANSWER
            await stopping

    run(main)


def test_drain(run):
    async def main():
        gates = []

        async def respond(_client, received):
            gates.append(asyncio.get_running_loop().create_future())
            await gates[-1]
            return await numbered(_client, received)

        busy = HELLO + ENDPOINTS + ENDPOINTS
        async with (
            serving(respond) as server,
            server.client() as (idle, _),
            server.client(busy) as (reader, _),
        ):
            await loop_until(lambda: gates and len(server.state.connections) > 1)
            stopping = asyncio.ensure_future(server.stop())
            assert await idle.read() == b""
            gates[0].set_result(None)
            assert await reader.read() == ANSWER
            await stopping

    run(main)


# The write of a client that has gone is done to its end.
def test_client_that_goes(run):
    async def main():
        ended = []

        async def respond(_client, _received):
            await turns()
            await loop_until(lambda: not server.state.connections)
            ended.append(1)
            return b"x"

        async with serving(respond) as server:
            async with server.client(HELLO + ENDPOINTS):
                await loop_until(lambda: server.state.suspended)
            await loop_until(lambda: ended)
            assert server.state.suspended == 0

    run(main)
