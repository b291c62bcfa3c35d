"""Calls between servers, from the client to the endpoint, over sockets."""

import asyncio
import contextlib

import pytest

from hashrange.regions.peers.calls import MessageError, PeerAwayError, PeerRefusedError
from hashrange.regions.peers.client import HttpCalls
from hashrange.regions.peers.endpoint import PeerEndpoint, Refusal
from hashrange.regions.peers.signing import Call, headers_of
from hashrange.settings.peers import peer_addresses
from hashrange.storage.engine import StorageError

SECRET = "s" * 32
NOW_MS = 1_800_000_000_000
EAST, WEST = "us-east-1", "eu-west-1"


def now_ms():
    return NOW_MS


def endpoint(secret=SECRET):
    made = PeerEndpoint([WEST], [EAST], secret, now_ms)

    async def echo(sender, receiver, body):
        return f"{sender} {receiver} ".encode() + body

    async def failing(_sender, _receiver, body):
        raise MessageError("no message") if body else StorageError("the disk")

    made.verbs.update(echo=echo, failing=failing)
    return made


class Served:
    """A server that answers calls with an endpoint; `closes` ends each connection after one."""

    def __init__(self, made, *, closes=False, garbage=None):
        self.endpoint, self.closes, self.garbage, self.connections = made, closes, garbage, 0
        self.tasks = []

    async def connected(self, reader, writer):
        self.connections += 1
        self.tasks.append(asyncio.current_task())
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
                pairs = [line.partition(b": ") for line in head[1:] if line]
                headers = {name.lower(): value for name, _, value in pairs}
                body = await reader.readexactly(int(headers[b"content-length"]))
                writer.write(self.garbage or await self.answer(headers, body))
                await writer.drain()
                if self.closes:
                    break
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    async def answer(self, headers, body):
        found = await self.endpoint.answer(headers, body, "127.0.0.1")
        if isinstance(found, Refusal):
            text = found.text.encode()
            return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (
                found.status, len(text), text,
            )  # fmt: skip
        data, proof = found
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nx-hashrange-proof: %b\r\n\r\n%b" % (
            len(data), proof.encode(), data,
        )  # fmt: skip


def run(test, served, secret=SECRET):
    async def all_of_it():
        server = await asyncio.start_server(served.connected, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        places = peer_addresses(f"{WEST}=http://127.0.0.1:{port}")
        calls = HttpCalls({WEST: places[0]}, secret, None, now_ms)
        async with server:
            found = await test(calls)
            await calls.close()
            await asyncio.gather(*served.tasks)
            return found

    return asyncio.run(all_of_it())


async def three(calls):
    return [await calls.call(EAST, WEST, "echo", body) for body in (b"1", b"2", b"3")]


ANSWERS = [b"us-east-1 eu-west-1 1", b"us-east-1 eu-west-1 2", b"us-east-1 eu-west-1 3"]


@pytest.mark.parametrize("secret", [SECRET, None])
def test_calls_are_answered_on_one_connection(secret):
    served = Served(endpoint(secret))
    assert run(three, served, secret) == ANSWERS
    assert served.connections == 1


def test_a_connection_that_was_closed_meanwhile_is_replaced():
    served = Served(endpoint(), closes=True)
    assert run(three, served) == ANSWERS
    assert served.connections == 3


@pytest.mark.parametrize(
    ("made", "verb", "kind"),
    [
        (endpoint("t" * 32), "echo", PeerRefusedError),
        (endpoint(), "other", PeerRefusedError),
        (PeerEndpoint(["ap-south-1"], [EAST], SECRET, now_ms), "echo", PeerRefusedError),
        (PeerEndpoint([WEST], ["ap-south-1"], SECRET, now_ms), "echo", PeerRefusedError),
        (endpoint(), "failing", PeerAwayError),
    ],
)
def test_refusals_are_told(made, verb, kind):
    async def test(calls):
        with pytest.raises(kind):
            await calls.call(EAST, WEST, verb, b"")
        return calls.figures()

    figures = run(test, Served(made))
    assert (figures["peer_calls_total"], figures["peer_call_failures_total"]) == (1, 1)


@pytest.mark.parametrize(
    "garbage",
    [
        b"SSH-2.0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
        b"x" * 40_000,
    ],
)
def test_another_program_on_the_port_is_no_peer(garbage):
    async def test(calls):
        with pytest.raises(PeerAwayError):
            await calls.call(EAST, WEST, "echo", b"")

    run(test, Served(endpoint(), garbage=garbage))


def test_an_answer_that_was_altered_is_refused():
    altered = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Hashrange-Proof: 00\r\n\r\nok"

    async def test(calls):
        with pytest.raises(PeerRefusedError, match="not signed by a peer"):
            await calls.call(EAST, WEST, "echo", b"")

    run(test, Served(endpoint(), garbage=altered))


def test_nobody_listens():
    calls = HttpCalls({WEST: peer_addresses(f"{WEST}=http://127.0.0.1:1")[0]}, None, None, now_ms)
    with pytest.raises(PeerAwayError):
        asyncio.run(calls.call(EAST, WEST, "echo", b""))


def test_without_a_secret_only_this_machine_may_call():
    headers = headers_of(Call("h", EAST, WEST, "echo"), b"", None, NOW_MS)
    found = {name.lower().encode(): value.encode() for name, value in headers.items()}
    made = endpoint(None)
    assert isinstance(asyncio.run(made.answer(found, b"", "192.0.2.1")), Refusal)
    assert asyncio.run(made.answer(found, b"", "::1")) == (b"us-east-1 eu-west-1 ", "")
