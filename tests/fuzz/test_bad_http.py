"""Requests that nobody should send, over a socket: the exact answer, and what becomes of the rest.

After each bad request a good one is sent on the same connection: it is answered, or the connection
has been closed cleanly, behind a whole answer.
"""

import gzip
import zlib
from random import Random

import msgspec
import pytest

from hashrange.messages.server import host_not_allowed, origin_not_allowed
from hashrange.settings.settings import Settings
from tests.crash.server import AUTHORIZATION
from tests.fuzz.talk import Talk
from tests.served import ServerThread

GOOD = {
    "Host": "localhost",
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": AUTHORIZATION,
}
NO_TABLES = b'{"TableNames":[]}'
NO_OPERATION = b"<UnknownOperationException/>\n"
MEBIBYTES_16 = 16 * 1024 * 1024


def fault(name, **members):
    return msgspec.json.encode({"__type": f"com.amazon.coral.service#{name}", **members})


def refused(text):
    return fault("AccessDeniedException", Message=text)


UNREADABLE = fault("SerializationException")
UNKNOWN = fault("UnknownOperationException")
NO_TOKEN = fault(
    "MissingAuthenticationTokenException", message="Request is missing Authentication Token"
)
DECODED_TOO_LARGE = fault(
    "SerializationException",
    Message="The request body must not be larger than 16777216 bytes once it is decompressed",
)
ENCODING = fault(
    "SerializationException", Message="Content-Encoding must be gzip, deflate or identity"
)


def request(
    body=b"{}", *, line=b"POST / HTTP/1.1", extra=(), length=True, changes=None, without=()
):
    """The bytes of a good request, but for what is changed."""
    headers = {**GOOD, **(changes or {})}
    lines = [
        f"{name}: {headers[name]}".encode("latin-1") for name in headers if name not in without
    ]
    if length:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([line, *lines, *extra]) + b"\r\n\r\n" + body


def with_header(name, value):
    return request(changes={name: value})


def encoded(body, encoding="gzip"):
    return request(body, changes={"Content-Encoding": encoding})


def zipped(data, level=9):
    return gzip.compress(data, level, mtime=0)


def chunked(body):
    return request(body, length=False, extra=[b"Transfer-Encoding: chunked"])


@pytest.fixture(scope="module")
def port():
    server = ServerThread(Settings(port=0, memory=True, drain_seconds=1))
    yield int(server.endpoint.rpartition(":")[2])
    server.close()


def exchange(port, data, *, bodiless=False):
    """Status and body of the answer to bad bytes, and whether the connection outlives them."""
    talk = Talk(port)
    try:
        talk.send(data)
        status, body, stays = talk.answer(bodiless=bodiless)
        if stays:
            talk.send(request())
            assert talk.answer() == (200, NO_TABLES, True)
        else:
            assert talk.answer() is None
    finally:
        talk.close()
    talk = Talk(port)
    talk.send(request())
    assert talk.answer() == (200, NO_TABLES, True)
    talk.close()
    return status, body, stays


# What is HTTP goes on with the next request.


@pytest.mark.parametrize(
    ("data", "status", "body"),
    [
        (request(b""), 400, UNREADABLE),
        (request(b"", without=["Content-Type"]), 400, UNREADABLE),
        (request(without=["Content-Type"]), 404, NO_OPERATION),
        *(
            (with_header("Content-Type", kind), 404, NO_OPERATION)
            for kind in (
                *("", "text/plain", "application/x-amz-json-1.1", "APPLICATION/JSON", "é"),
                *("application/json, application/json", "multipart/form-data; boundary=x"),
            )
        ),
        *(
            (with_header("Content-Type", kind), 200, NO_TABLES)
            for kind in ("application/json", "application/json; charset=x", "application/json;;;")
        ),
        (request(without=["X-Amz-Target"]), 400, UNKNOWN),
        *(
            (with_header("X-Amz-Target", target), 400, UNKNOWN)
            for target in (
                *("", "x", ".", "é", "x" * 10_000, "ListTables", "DynamoDB_20120810"),
                *("DynamoDB_20120810.", ".ListTables", "DynamoDB_20120810.listtables"),
                *("DynamoDB_20111205.ListTables", "DynamoDB_20120810.ListTables.x"),
                *("DynamoDB_20120810.ListTables,DynamoDB_20120810.ListTables",),
                *("DynamoDB_20120810.ListTables DynamoDB_20120810.ListTables",),
            )
        ),
        # Bad JSON goes before an unknown target, that before a missing signature, no body last.
        (request(b"{", changes={"X-Amz-Target": "x"}), 400, UNREADABLE),
        (request(changes={"X-Amz-Target": "x"}, without=["Authorization"]), 400, UNKNOWN),
        (request(b"{", without=["Authorization"]), 400, UNREADABLE),
        (request(b"", changes={"X-Amz-Target": "x"}, without=["Authorization"]), 400, UNKNOWN),
        (request(b"", without=["Authorization"]), 400, NO_TOKEN),
        *(
            (request(line=b"%b / HTTP/1.1" % method), 404, NO_OPERATION)
            for method in (b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"TRACE", b"PROPFIND")
        ),
        *(
            (request(line=b"POST %b HTTP/1.1" % path), 404, NO_OPERATION)
            for path in (b"/x", b"//", b"/%2f", b"/../", b"*", b"/metrics", b"/ping", b"http://h/x")
        ),
        (request(line=b"POST /?x=%ff&&= HTTP/1.1"), 200, NO_TABLES),
        (request(line=b"POST http://elsewhere/ HTTP/1.1"), 200, NO_TABLES),
        (request(without=["Host"]), 200, NO_TABLES),
        (with_header("Host", ""), 200, NO_TABLES),
        (with_header("Host", "é:x:y"), 403, refused(host_not_allowed("é:x:y"))),
        (
            request(extra=[b"Host: elsewhere"]),
            403,
            refused(host_not_allowed("localhost,elsewhere")),
        ),
        (request(extra=[b"X-Odd: \xff\xfe", b"X-Empty:", b"x-odd: \x80"]), 200, NO_TABLES),
        (request(extra=[b"Connection: upgrade", b"Upgrade: h2c"]), 200, NO_TABLES),
        (request(extra=[b"Accept-Encoding: gzip;q=x,,;q=,*;q=nan"]), 200, NO_TABLES),
        (request(extra=[b"Origin: \xff"]), 403, refused(origin_not_allowed("\xff"))),
        (request(length=False, body=b""), 400, UNREADABLE),
        (chunked(b"1;x=y\r\n{\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n"), 200, NO_TABLES),
        (chunked(b"0\r\n\r\n"), 400, UNREADABLE),
        (b"\r\n\r\n\r\n" + request(), 200, NO_TABLES),
    ],
    ids=lambda part: repr(part)[:100],
)
def test_odd_requests(port, data, status, body):
    assert exchange(port, data) == (status, body, True)


def test_head_has_no_body(port):
    line = b"HEAD / HTTP/1.1"
    assert exchange(port, request(line=line), bodiless=True) == (404, b"", True)


# What is no HTTP ends the connection, for nobody knows where the next request would begin.


@pytest.mark.parametrize(
    "data",
    [
        Random(1).randbytes(5_000),
        b"\0" * 5_000,
        b"x" * 100_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n",  # nearly the preface of HTTP/2
        request(line=b"FOO / HTTP/1.1"),
        request(line=b"post / HTTP/1.1"),
        request(line=b"POST  HTTP/1.1"),
        request(line=b"POST x HTTP/1.1"),
        request(line=b"POST /\xe9 HTTP/1.1"),
        request(line=b"POST /\0 HTTP/1.1"),
        request(line=b"POST / HTTP/9.9"),
        request(line=b"POST / HTTX/1.1"),
        *(
            request(length=False, extra=[b"Content-Length: " + length])
            for length in (b"-2", b"+2", b"x", b"2,2", b"0x2", b"9" * 30, b"2 2", b"")
        ),
        request(extra=[b"Content-Length: 2"]),
        request(extra=[b"Content-Length: 3"]),
        request(extra=[b"Transfer-Encoding: chunked"]),
        request(length=False, extra=[b"Transfer-Encoding: chunked, gzip"]),
        *(
            chunked(body)
            for body in (
                b"x\r\n",
                b"-1\r\n",
                b"2\r\n{}x\r\n",
                b"f" * 17 + b"\r\n",
                b"2 \0\r\n{}\r\n",
            )
        ),
        *(
            request(extra=[header])
            for header in (
                b": x",
                b"X",
                b"X : y",
                b"X: a\0b",
                b"X: a\r\n b",
                b"X\xff: y",
                b"X: a\nb",
            )
        ),
    ],
    ids=lambda data: repr(data[:20] + data[-30:]),
)
def test_what_is_no_http(port, data):
    assert exchange(port, data) == (400, UNREADABLE, False)


LONG_LINE = "The request line must not be longer than 16384 bytes"
LARGE_HEADERS = "The request headers must not be larger than 16384 bytes"


@pytest.mark.parametrize(
    ("data", "status", "text"),
    [
        (request(line=b"POST /%b HTTP/1.1" % (b"x" * 20_000)), 400, LONG_LINE),
        (request(extra=[b"X: " + b"x" * 17_000]), 400, LARGE_HEADERS),
        (request(extra=[b"X-%d: x" % number for number in range(3_000)]), 400, LARGE_HEADERS),
        (request(extra=[b"Expect: x"]), 417, "Expect must be 100-continue"),
    ],
    ids=["line", "header", "headers", "expectation"],
)
def test_what_ends_the_connection_with_a_reason(port, data, status, text):
    body = fault("SerializationException", Message=text)
    assert exchange(port, data) == (status, body, False)


def test_tunnels_are_not_dug(port):
    assert exchange(port, request(line=b"CONNECT h:1 HTTP/1.1")) == (404, NO_OPERATION, False)


# Bodies: 16 MiB and not a byte more, however they are packed.


# A large parameter would be kept until the end of the run: tests make what is large.
@pytest.mark.parametrize(
    "made",
    [
        lambda: request(b" " * 17_000_000),
        lambda: request(b" " * (MEBIBYTES_16 - 1) + b"{}"),
        lambda: request(b"", length=False, extra=[b"Content-Length: 17000000"]),
        lambda: chunked(b"1000000\r\n" + b" " * MEBIBYTES_16 + b"\r\n2\r\n{}\r\n0\r\n\r\n"),
    ],
    ids=["17 MB", "a byte more", "announced", "chunked"],
)
def test_bodies_that_are_too_large(port, made):
    assert exchange(port, made()) == (413, b"", False)


def test_a_body_of_16_mib(port):
    body = b" " * (MEBIBYTES_16 - 2) + b"{}"
    assert exchange(port, request(body)) == (200, NO_TABLES, True)
    assert exchange(port, encoded(zipped(body, 1))) == (200, NO_TABLES, True)


def _bomb():
    """A gigabyte in a megabyte, without the end, which must not be read."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    first, further = (
        compressor.compress(bytes(MEBIBYTES_16)) + compressor.flush(zlib.Z_FULL_FLUSH)
        for _ in range(2)
    )
    return first + further * 63


@pytest.mark.parametrize(
    ("data", "status", "body"),
    [
        (encoded(zipped(b"{}")), 200, NO_TABLES),
        (encoded(zipped(b"{") + zipped(b"}")), 200, NO_TABLES),
        (encoded(zlib.compress(b"{}"), "deflate"), 200, NO_TABLES),
        (encoded(b"{}"), 400, UNREADABLE),
        (encoded(b""), 400, UNREADABLE),
        (encoded(zipped(b"{}")[:-1]), 400, UNREADABLE),
        (encoded(zipped(b"{}")[:-8] + bytes(8)), 400, UNREADABLE),
        (encoded(zipped(b"{}") + b"x"), 400, UNREADABLE),
        (encoded(zipped(b"") * 2_000), 400, UNREADABLE),
        (encoded(zlib.compress(b"{}")), 400, UNREADABLE),
        (encoded(zipped(b"{}"), "deflate"), 400, UNREADABLE),
        (encoded(zipped(zipped(b"{}"))), 400, UNREADABLE),
        (encoded(b"{}", "br"), 415, ENCODING),
        (encoded(b"{}", "gzip, gzip"), 415, ENCODING),
        (encoded(b"{}", "é"), 415, ENCODING),
    ],
    ids=lambda part: repr(part)[-60:],
)
def test_encoded_bodies(port, data, status, body):
    assert exchange(port, data) == (status, body, True)


@pytest.mark.parametrize("encoding", [b"identity", b"gzip, chunked", b"chunked;a=b", b"x,chunked"])
def test_other_encodings_of_the_transfer(port, encoding):
    data = request(length=False, extra=[b"Transfer-Encoding: " + encoding])
    status, body, is_open = exchange(port, data)
    assert (status, is_open) == (501, False)
    assert b"Transfer-Encoding must be chunked" in body


def test_encoded_bodies_that_are_too_large(port):
    for body in (_bomb(), zipped(b" " * MEBIBYTES_16 + b"{}", 1)):
        assert exchange(port, encoded(body)) == (413, DECODED_TOO_LARGE, True)


# Authorization headers. What each part of one may be is tested elsewhere.

MISSING = fault(
    "MissingAuthenticationTokenException", message="Request is missing Authentication Token"
)


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (request(without=["Authorization"]), MISSING),
        *(
            (with_header("Authorization", value), MISSING)
            for value in ("", "x", "Bearer x", "Basic eDp5", "AWS4", "ÿ" * 100, "A" * 15_000)
        ),
    ],
    ids=lambda part: repr(part)[-80:],
)
def test_odd_signatures(port, data, body):
    assert exchange(port, data) == (400, body, True)
