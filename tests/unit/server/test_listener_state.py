"""When responses are written: together where that is cheaper, and always in their order."""

import asyncio

from hashrange.observe.figures import Traffic
from hashrange.server.connection import Connection
from hashrange.server.http_limits import HttpLimits
from hashrange.server.listener_state import ListenerState
from hashrange.server.response_writer import ResponseWriter
from hashrange.wire.exchange import Response
from tests.pace import turns


class Taken:
    """A transport that notes what it is given."""

    def __init__(self):
        self.bodies = []

    def get_extra_info(self, _name):
        return None

    def is_closing(self):
        return False

    def write(self, data):
        self.bodies.append(data.rpartition(b"\r\n\r\n")[2])


def an_edge(handler=None):
    traffic = Traffic()
    writer = ResponseWriter(0, bytes, traffic)
    return ListenerState(handler, HttpLimits(), writer=writer, traffic=traffic)


def send(state, transport, body, *, at_once=False, keep_alive=True):
    state.writer.send(Response(200, body), transport, keep_alive=keep_alive, at_once=at_once)


# Each write to a client that sleeps costs as much as the request that it answers.
def test_responses_of_one_turn_are_written_at_its_end():
    async def main():
        state, one, other = an_edge(), Taken(), Taken()
        send(state, one, b"1")
        send(state, other, b"2")
        before = [*one.bodies, *other.bodies]
        await turns()
        return before, one.bodies, other.bodies

    assert asyncio.run(main()) == ([], [b"1"], [b"2"])


# Writes that waited for one commit go on one after the other, with much to do in between.
def test_responses_to_what_waited_together_are_written_together():
    async def main():
        committed = asyncio.get_running_loop().create_future()
        written_before = []

        async def handler(request):
            await committed
            written_before.append(len(transport.bodies))
            return Response(200, request.path)

        state, transport = an_edge(handler), Taken()
        for _ in range(2):
            connection = Connection(state)
            connection.connection_made(transport)
            connection.data_received(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        committed.set_result(None)
        await turns(3)
        return written_before, transport.bodies

    assert asyncio.run(main()) == ([0, 0], [b"/", b"/"])


# What cannot wait takes what waits along: answers keep the order of their requests.
def test_what_cannot_wait_comes_after_what_waits():
    async def main(**urgent):
        state, transport = an_edge(), Taken()
        send(state, transport, b"1")
        send(state, transport, b"2", **urgent)
        return transport.bodies

    assert asyncio.run(main(at_once=True)) == [b"1", b"2"]
    assert asyncio.run(main(keep_alive=False)) == [b"1", b"2"]
