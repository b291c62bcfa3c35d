"""What a connection held is given back when it has ended, without a search for cycles."""

import asyncio
import gc
import sys
import weakref

import pytest

from hashrange.server.reader import RequestReader
from tests.pace import loop_until, turns
from tests.unit.server.harness import connected, echo, post, serving

PART = b"POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\nhalf of it"


def readers():
    """What reads the connections of the servers of this test."""
    return [each for each in gc.get_objects() if isinstance(each, RequestReader)]


@pytest.fixture(autouse=True)
def no_collections():
    """Leaves the objects of other tests out of what `readers` looks through."""
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


def open_connections(server):
    return server.traffic.connections_opened - server.traffic.connections_closed


async def readers_of(server):
    """Weak references to what reads the connections that are open."""
    await loop_until(lambda: open_connections(server))
    own = [weakref.ref(each) for each in readers()]
    assert own, "each connection has one"
    return own


async def gone(references):
    await turns(20)
    return [reference() for reference in references] == [None] * len(references)


# Half a body may be 16 MB, and a thousand clients may send one and go away.
@pytest.mark.parametrize(
    "data", [b"", PART, PART[:20], post(b"whole"), post(b"one") + PART, b"no HTTP"], ids=repr
)
def test_readers_of_lost_connections(run, data):
    async def main():
        async with serving() as server:
            async with connected(server) as client:
                client.send(data)
                references = await readers_of(server)
                await turns(5)
                client.reset()
                await loop_until(lambda: not open_connections(server))
            assert await gone(references)

    run(main)


# While the connection stays: a request that was suspended is not kept once it is answered.
def test_requests_that_are_answered(run):
    seen = []

    async def handler(request):
        seen.append(request)
        await turns()
        return await echo(request)

    async def main():
        async with serving(handler) as server, connected(server) as client:
            client.send(post(b"x"))
            assert (await client.answer()).status == 200
            await turns(20)
            references = sys.getrefcount(seen[0])
            assert references == 2  # the list's, and that of the call

    run(main)


# The client goes while its request is at work: the rest of what it sent is dropped at once.
def test_requests_behind_one_at_work(run):
    release = asyncio.Event()

    async def handler(request):
        await release.wait()
        return await echo(request)

    async def main():
        async with serving(handler) as server:
            async with connected(server) as client:
                client.send(post(b"first") + post(b"second") + PART)
                references = await readers_of(server)
                await turns(5)
                reader = references[0]()
                client.reset()
                await loop_until(lambda: not open_connections(server))
            assert not reader.requests
            assert not reader.unread
            release.set()
            del reader
            assert await gone(references)

    run(main)
