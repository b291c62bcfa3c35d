"""Listening and its end: ports, TLS, draining."""

import asyncio
import errno
import socket
import ssl
import sys
from pathlib import Path

import pytest

from hashrange.server.addresses import bound
from hashrange.server.connection import Connection
from hashrange.server.http_limits import HttpLimits
from hashrange.server.listener import Listener
from hashrange.wire.exchange import Response
from tests.pace import loop_until, turns
from tests.unit.server.harness import StillClock, connected, echo, post, serving

CERTIFICATE = Path(__file__).with_name("localhost.pem")


class Gated:
    """A handler that waits until it is let go."""

    def __init__(self):
        self.gates = []

    async def __call__(self, request):
        gate = asyncio.get_running_loop().create_future()
        self.gates.append(gate)
        await gate
        return await echo(request)

    async def begun(self, count):
        await loop_until(lambda: len(self.gates) >= count)


def test_port_in_use_is_an_error_with_its_number(run):
    async def main():
        async with serving() as server:
            with pytest.raises(OSError, match="ddress") as error:
                await bound("127.0.0.1", server.port)
            assert error.value.errno == errno.EADDRINUSE

    run(main)


async def page(request):
    return Response(200, b"a page: " + (await echo(request)).body)


def test_all_but_post_to_the_root_is_a_page(run):
    async def main():
        async with serving(pages=page) as server, connected(server) as client:
            for line in (b"POST /", b"POST /?x=1", b"POST /metrics", b"GET /"):
                client.send(line + b" HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
            bodies = [(await client.answer()).body for _ in range(4)]
            assert bodies == [
                b"POST /? ",
                b"POST /?x=1 ",
                b"a page: POST /metrics? ",
                b"a page: GET /? ",
            ]

    run(main)


# Nagle's algorithm would hold back small answers for 40 ms.
def test_answers_are_not_held_back(run, monkeypatch):
    made, connection_made = [], Connection.connection_made

    def noted(self, transport):
        made.append(transport)
        connection_made(self, transport)

    monkeypatch.setattr(Connection, "connection_made", noted)

    async def main():
        async with serving() as server, connected(server) as client:
            client.send(post())
            await client.answer()
            sock = made[0].get_extra_info("socket")
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    run(main)


# SDKs keep idle sockets open for long after the tests that used them.
def test_stop_closes_idle_connections(run):
    async def main():
        async with serving() as server, connected(server) as used, connected(server) as fresh:
            used.send(post())
            await used.answer()
            await server.listener.stop(drain_seconds=0)
            assert await used.answer() is None
            assert await fresh.answer() is None
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", server.port)

    run(main)


# A client that has not heard of the stop must not meet a reset: its connection is closed with the
# answer to its next request. One that has just connected is told so.
def test_stop_answers_the_next_request_of_each_connection(run):
    async def main():
        async with serving() as server, connected(server) as used, connected(server) as fresh:
            used.send(post(b"1"))
            assert (await used.answer()).headers["connection"] == "keep-alive"
            stopping = asyncio.create_task(server.listener.stop(drain_seconds=60))
            await turns(1)
            late = await asyncio.open_connection("127.0.0.1", server.port)
            used.send(post(b"2") + post(b"3"))
            await turns(5)
            fresh.send(post(b"4"))
            for client, body in (used, b"POST /? 2"), (fresh, b"POST /? 4"):
                [answer] = await client.answers()
                assert (answer.body, answer.headers["connection"]) == (body, "close")
            assert (await late[0].readline()).split()[1] == b"503"
            late[1].close()
            await server.after(2)
            await stopping

    run(main)


def test_stop_answers_what_has_begun(run):
    handler = Gated()

    async def main():
        async with (
            serving(handler) as server,
            connected(server) as client,
            connected(server) as slow,
        ):
            sent = post(b"1") + post(b"2"), post(b"half")[:-2]
            client.send(sent[0])
            slow.send(sent[1])
            await handler.begun(1)
            await loop_until(lambda: server.traffic.bytes_received >= sum(map(len, sent)))
            stopping = asyncio.create_task(server.listener.stop(drain_seconds=60))
            await turns(5)
            handler.gates[0].set_result(None)
            await handler.begun(2)
            handler.gates[1].set_result(None)
            first, second = await client.answers()
            assert (first.body, first.headers["connection"]) == (b"POST /? 1", "keep-alive")
            assert (second.body, second.headers["connection"]) == (b"POST /? 2", "close")
            assert not stopping.done()
            slow.send(b"lf")
            await handler.begun(3)
            handler.gates[2].set_result(None)
            [last] = await slow.answers()
            assert (last.body, last.headers["connection"]) == (b"POST /? half", "close")
            # They have time to close their side, so that none meets a reset.
            assert not stopping.done()
            await server.after(2)
            await stopping

    run(main)


def test_stop_waits_only_so_long(run):
    handler = Gated()

    async def main():
        async with serving(handler) as server, connected(server) as client:
            client.send(post())
            await handler.begun(1)
            stopping = asyncio.create_task(server.listener.stop(drain_seconds=5))
            await turns(5)
            await server.after(4)
            assert not stopping.done()
            await server.after(1)
            await stopping
            assert await client.answer() is None

    run(main)


# The client is gone, but what its request writes must be written before the engine is closed.
def test_stop_waits_for_handlers_of_lost_clients(run):
    handler = Gated()

    async def main():
        async with serving(handler) as server, connected(server) as client:
            client.send(post())
            await handler.begun(1)
            client.reset()
            await loop_until(lambda: server.traffic.connections_closed)
            stopping = asyncio.create_task(server.listener.stop(drain_seconds=60))
            await turns(5)
            assert not stopping.done()
            handler.gates[0].set_result(None)
            await turns(5)
            assert stopping.done()

    run(main)


def test_timer_of_its_own_sweeps(run):
    async def main():
        async with (
            serving(idle_seconds_max=10, sweep_seconds=0.001) as server,
            connected(server) as client,
        ):
            server.clock.seconds += 11
            assert await client.answer() is None

    run(main)


def contexts():
    serving_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving_side.load_cert_chain(CERTIFICATE)
    client_side = ssl.create_default_context(cafile=CERTIFICATE)
    client_side.check_hostname = False
    return serving_side, client_side


def test_tls_serves_and_refuses_as_plain_connections_do(run):
    serving_side, client_side = contexts()

    async def main():
        async with serving(ssl=serving_side, body_bytes_max=1_000_000) as server:
            async with connected(server, ssl=client_side) as client:
                client.send(post(b"x" * 500_000) + post())
                assert len((await client.answer()).body) > 500_000
                assert (await client.answer()).status == 200
                client.send(post(b"x" * 1_000_001))
                assert [answer.status for answer in await client.answers()] == [413]
            async with connected(server, ssl=client_side) as client:
                client.send(post())
                await client.answer()
                await server.after(1000)
                assert await client.answer() is None

    run(main)


def test_address_of_another_machine_is_an_error_with_its_number(run):
    async def main():
        with pytest.raises(OSError, match="ddress") as error:
            await bound("192.0.2.1", 0)
        assert error.value.errno == errno.EADDRNOTAVAIL

    run(main)


# Bound, but not yet listening: another one may have been faster.
def test_listener_that_failed_to_start_leaves_nothing_running(run):
    swept = []

    class Swept(Listener):
        def sweep(self):
            swept.append(self)

    async def main():
        sockets = await bound("127.0.0.1", 0)
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(sockets[0].getsockname())
            other.listen()
            limits = HttpLimits(sweep_seconds=0)
            with pytest.raises(OSError, match="ddress"):
                await Swept(StillClock()).start(
                    echo, sockets=sockets, limits=limits, request_id=bytes
                )
            await turns(5)
            assert swept == []
        sockets[0].close()

    run(main)


# Clients of "localhost" try both families of addresses, and must find the same server.
def test_all_addresses_of_a_name_get_the_same_port():
    class Loop(asyncio.SelectorEventLoop):
        async def getaddrinfo(self, _host, _port, **_options):
            return [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0)),
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.2", 0)),
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0)),
            ]

    async def main():
        sockets = await bound("name", 0)
        names = [each.getsockname() for each in sockets]
        assert [address for address, _ in names] == ["127.0.0.1", "127.0.0.2"]
        assert len({port for _, port in names}) == 1
        for each in sockets:
            each.close()

    if sys.platform != "linux":
        pytest.skip("127.0.0.2 is there on Linux alone")
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(main())


def test_large_answers_arrive_whole(run):
    async def large(_request):
        return Response(200, bytes(range(256)) * 40_000)

    async def main():
        async with serving(large) as server, connected(server) as client:
            client.send(post() * 3)
            for _ in range(3):
                assert (await client.answer()).body == bytes(range(256)) * 40_000

    run(main)


# uvloop accepts one connection in a turn of the loop, and in an overload turns are long.
def test_connections_that_wait_are_accepted_together(run):
    async def main():
        async with serving() as server:
            waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
            server.listener.accept_waiting()
            await turns(5)
            assert server.traffic.connections_opened == 40
            for each in waiting:
                each.sendall(post(b"hello"))
                each.setblocking(False)
            for each in waiting:
                answer = await asyncio.get_running_loop().sock_recv(each, 1000)
                assert answer.startswith(b"HTTP/1.1 200 ")
                each.close()
        server.listener.accept_waiting()  # nothing any more

    run(main)
