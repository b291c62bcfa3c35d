"""Addresses of clients, and the connections of each."""

import asyncio
import json

import pytest

from hashrange.limits.server import HTTP_REFUSALS_PER_ADDRESS_MAX
from hashrange.server.peers import AddressCounts, network_of, peer_of
from hashrange.wire.exchange import NO_PEER, Peer, Response
from tests.unit.server.harness import connected, post, serving


class Transport:
    def __init__(self, peername, sslcontext=None):
        self._extra = {"peername": peername, "sslcontext": sslcontext}

    def get_extra_info(self, name):
        return self._extra[name]


@pytest.mark.parametrize(
    ("transport", "peer"),
    [
        (Transport(("192.0.2.7", 5)), Peer("192.0.2.7", False)),
        (Transport(("::ffff:192.0.2.7", 5, 0, 0), object()), Peer("192.0.2.7", True)),
        (Transport(("fe80::1%eth0", 5, 0, 2)), Peer("fe80::1", False)),
        (Transport(None), NO_PEER),
        (Transport(""), NO_PEER),
    ],
)
def test_the_other_end_of_a_connection(transport, peer):
    assert peer_of(transport) == peer


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("", ""),
        ("a socket", "a socket"),
    ],
)
def test_what_counts_as_one_client(address, network):
    assert network_of(address) == network


def test_connections_that_have_ended_do_not_count():
    counts = AddressCounts(1)
    for _ in range(3):
        counts.add("2001:db8::1")
        assert not counts.is_over("2001:db8::2")
        counts.add("2001:db8::2")
        assert counts.is_over("2001:db8::1")
        assert not counts.is_over("2001:db9::1")
        counts.remove("2001:db8::1")
        counts.remove("2001:db8::2")


async def who(request):
    return Response(200, json.dumps([request.peer.address, request.peer.is_secure]).encode())


# Others may still connect: refusals of one address do not fill the server.
def test_connections_of_an_address_are_limited():
    async def main():
        async with serving(who, connections_per_address_max=1) as server:
            async with connected(server) as first:
                first.send(post())
                assert (await first.answer()).body == b'["127.0.0.1", false]'
                async with connected(server) as second:
                    refusal = await second.answer()
                    assert refusal.status == 503
                    assert b"This address has 1 open connections, its maximum" in refusal.body
                clients = [connected(server) for _ in range(HTTP_REFUSALS_PER_ADDRESS_MAX + 3)]
                opened = [await client.__aenter__() for client in clients]
                statuses = [
                    answer and answer.status
                    for answer in [await client.answer() for client in opened]
                ]
                assert statuses.count(None) >= 3
                for client in clients:
                    await client.__aexit__(None, None, None)
                first.send(post())
                assert (await first.answer()).status == 200
            await server.after(10)
            async with connected(server) as third:
                third.send(post())
                assert (await third.answer()).status == 200

    asyncio.run(main())
