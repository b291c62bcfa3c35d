"""Responses as bytes, and the ids that they carry."""

import asyncio
import email.utils
import tracemalloc
import zlib

from hypothesis import given
from hypothesis import strategies as st

from hashrange.observe.figures import Traffic
from hashrange.server import response_writer
from hashrange.server.response_writer import ResponseWriter
from hashrange.server.responses import RANDOM_BYTES, request_ids
from hashrange.wire.exchange import Response
from tests.pace import turns

ID = b"0" * 52
OWN = (__file__, response_writer.__file__)
"""What is allocated here, and by the writer."""


def a_writer(epoch_s=0):
    return ResponseWriter(epoch_s, lambda: ID, Traffic())


class Taken(list):
    """A transport that keeps what is written."""

    write = list.append

    def is_closing(self):
        return False


class Closing(Taken):
    def is_closing(self):
        return True


def encoded(writer, response, *, keep_alive=True):
    """The bytes that are written of a response."""
    transport = Taken()
    writer.send(response, transport, keep_alive=keep_alive)
    [written] = transport
    return written


def test_encoded_to_the_byte():
    writer = a_writer(1_795_258_800)
    response = Response(404, b"body", b"text/plain", ((b"A", b"b"), (b"C", b"d")))
    assert encoded(writer, response, keep_alive=False) == (
        b"HTTP/1.1 404 Not Found\r\nServer: Server\r\nDate: Sat, 21 Nov 2026 11:00:00 GMT\r\n"
        b"Content-Type: text/plain\r\nConnection: close\r\nx-amzn-RequestId: "
        + ID
        + b"\r\nx-amz-crc32: %d\r\nContent-Length: 4\r\nA: b\r\nC: d\r\n\r\nbody"
        % zlib.crc32(b"body")
    )


def test_frequent_head_is_the_general_one():
    writer = a_writer(0)
    frequent = encoded(writer, Response(200, b""))
    assert frequent.startswith(b"HTTP/1.1 200 OK\r\n")
    other = encoded(writer, Response(200, b"", b"x"))
    assert frequent == other.replace(b"Type: x", b"Type: application/x-amz-json-1.0")


# The checksum that emulators' suites expect of the service's health page.
def test_checksum_is_that_of_the_service():
    body = b"healthy: dynamodb.us-east-1.amazonaws.com "
    written = encoded(a_writer(), Response(200, body))
    assert b"\r\nx-amz-crc32: 3128867991\r\n" in written


@given(st.integers(0, 2**32))
def test_dates_are_those_of_http(epoch_s):
    writer = a_writer(1)
    writer.tick(epoch_s)
    date = email.utils.formatdate(epoch_s, usegmt=True).encode()
    assert b"\r\nDate: " + date + b"\r\n" in encoded(writer, Response(200, b""))


def test_unknown_status_is_sent_without_a_reason():
    written = encoded(a_writer(), Response(299, b""))
    assert written.startswith(b"HTTP/1.1 299 \r\n")


# A handler that makes up content types must not fill the memory with heads.
def test_heads_kept_are_bounded():
    writer = a_writer()
    tracemalloc.start()
    for number in range(2_000):
        kind = b"%0999d" % number
        assert kind in encoded(writer, Response(200, b"", kind))
    # Threads of other tests allocate as well.
    own = [tracemalloc.Filter(inclusive=True, filename_pattern=path) for path in OWN]
    held = tracemalloc.take_snapshot().filter_traces(own).statistics("filename")
    tracemalloc.stop()
    assert 100_000 < sum(each.size for each in held) < 1_000_000


@given(st.binary(min_size=RANDOM_BYTES, max_size=RANDOM_BYTES))
def test_ids_have_the_form_of_the_service_and_never_repeat(random):
    request_id = request_ids(random)
    ids = [request_id() for _ in range(50)]
    assert len(set(ids)) == 50
    for each in ids:
        assert len(each) == 52
        assert each.isalnum()
        assert each == each.upper()


# In one turn of the loop a thousand connections may have an answer of 16 MB.
def test_long_answers_are_written_at_once():
    async def main():
        writer, transport = a_writer(), Taken()
        for size in (1, 100_000, 1):
            writer.send(Response(200, b"x" * size), transport, keep_alive=True, at_once=False)
        sizes = [len(each.partition(b"\r\n\r\n")[2]) for each in transport]
        assert sizes == [1, 100_000]
        await turns()
        assert len(transport) == 3

    asyncio.run(main())


# A client may reset its connection in the turn in which it is answered.
def test_nothing_is_written_to_a_connection_that_closes():
    async def main():
        writer, transports = a_writer(), (Closing(), Taken())
        for transport in transports:
            writer.send(Response(200, b"x"), transport, keep_alive=True, at_once=False)
        writer.flush()
        assert [len(each) for each in transports] == [0, 1]

    asyncio.run(main())
