"""What a server does for bytes without a signature: CPU in proportion to the bytes, and little.

The same bytes are sent to an echo. Above its cost and that of one good request, each KB may take a
millisecond on a machine on which the loop of `tests.pace` takes 30 ms.
"""

import asyncio
import contextlib
import gzip
import socket
import ssl
import threading
import time
from ipaddress import IPv4Address
from urllib.parse import urlsplit

import pytest

from hashrange.access.signatures.signing import Credentials, signed_headers
from hashrange.settings.sources import load
from tests.pace import SECONDS_MAX, loop_cpu_seconds
from tests.ports import free_port
from tests.served import ServerThread
from tests.static_credentials import SECRET, StaticCredentials, long_term

MS_PER_KB_MAX = 1.0
HANDSHAKE_MS_MAX = 2.0
LOOP_SECONDS = 0.03
REPEATS = 3
TARGET = "DynamoDB_20120810.ListTables"
NESTED = b'{"a":[' + b"[]," * 1_000_000 + b"[]]}"
PACKED = gzip.compress(NESTED)
FORM = gzip.compress(b"Action=x&" * 1_000_000)
GZIP = {"Content-Encoding": "gzip"}
KEYS = Credentials(
    access_key="AKIDEXAMPLE", secret_key="another", session_token=None, region="eu-west-1"
)
UNKNOWN = Credentials(
    access_key="AKIDNOBODY", secret_key="another", session_token=None, region="eu-west-1"
)
GOOD = Credentials(
    access_key="AKIDEXAMPLE", secret_key=SECRET, session_token=None, region="eu-west-1"
)
HELLO = b"\x67J7yne5G\x00\x61s"
FURTHER = b"\xa1\x61a\x61b\x00"
COLLIDING = b"".join(
    b"\xc2\x4a" + (((1 << 61) - 1) * number).to_bytes(10, "big") + b"\0"
    for number in range(1, 4000)
)
"""Items of a map whose keys have the same hash."""


def request(body=b"", headers=(), *, method="POST", path="/", keys=UNKNOWN, target=TARGET):
    """A request with a wrong signature; with none if there are no keys."""
    named = {"Host": "localhost", "Content-Type": "application/x-amz-json-1.0", **dict(headers)}
    if target is not None:
        named["X-Amz-Target"] = target
    if keys is not None:
        named = signed_headers(named, body, keys, time.time_ns() // 1_000_000)
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in named.items())]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def presigned(more):
    day = time.strftime("%Y%m%d", time.gmtime())
    parameters = (
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-SignedHeaders=host;x-amz-target&X-Amz-Signature=0"
        f"&X-Amz-Credential=AKIDEXAMPLE/{day}/eu-west-1/dynamodb/aws4_request"
        f"&X-Amz-Date={time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    )
    return request(b"{}", path=f"/?{parameters}&{more}", keys=None)


def long_header(name, text):
    return request(b"{}", {name: text * (14_000 // len(text))})


def many_headers(line):
    head, _, body = request(b"{}").partition(b"\r\n\r\n")
    return head + b"\r\n" + line * (14_000 // len(line)) + b"\r\n" + body


def chunked(chunks):
    head = request().replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    return head + chunks + b"0\r\n\r\n"


FIRST = {
    "gzip, unknown key": lambda: request(PACKED, GZIP),
    "gzip, wrong signature": lambda: request(PACKED, GZIP, keys=KEYS),
    "gzip, no signature": lambda: request(PACKED, GZIP, keys=None),
    "gzip, unknown target": lambda: request(PACKED, GZIP, target="DynamoDB_20120810.X"),
    "gzip, no target": lambda: request(PACKED, GZIP, target=None),
    "gzip, wrong host": lambda: request(PACKED, {**GZIP, "Host": "elsewhere.example"}),
    "gzip, an origin": lambda: request(PACKED, {**GZIP, "Origin": "http://elsewhere.example"}),
    "gzip, auto scaling": lambda: request(PACKED, GZIP, target="AnyScaleFrontendService.X"),
    "gzip, a form": lambda: request(
        FORM, {**GZIP, "Content-Type": "application/x-www-form-urlencoded"}, target=None
    ),
    "gzip, a page": lambda: request(PACKED, GZIP, method="GET", path="/ping", keys=None),
    "gzip, no page": lambda: request(PACKED, GZIP, path="/x", keys=None),
    "gzip, tiny members": lambda: request(gzip.compress(b"") * 900, GZIP),
    "brackets": lambda: request(NESTED[:300_000]),
    "brackets, wrong signature": lambda: request(NESTED[:300_000], keys=KEYS),
    "levels": lambda: request(b"[" * 300_000, keys=None),
    "escapes": lambda: request(b'{"a":"' + b"\\\\" * 100_000 + b'"}'),
    "parameters": lambda: request(b"{}", path="/?" + "a=&" * 5_000),
    "parameters, presigned": lambda: presigned("a=&" * 4_500),
    "a long parameter, presigned": lambda: presigned("a=" + "%61" * 4_500),
    "a long target": lambda: request(b"{}", path="/" + "a" * 15_000),
    "many headers": lambda: many_headers(b"a:\r\n"),
    "signed headers": lambda: request(b"{}", keys=None).replace(
        b"\r\n\r\n",
        b"\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/r/dynamodb/"
        b"aws4_request, SignedHeaders=host;x-amz-target" + b";a" * 6_000 + b", Signature=0\r\n\r\n",
    ),
    "a long authorization": lambda: long_header("Authorization", "AWS4-HMAC-SHA256 a=,b=,"),
    "a long host": lambda: long_header("Host", "dynamodb.a-"),
    "a long origin": lambda: long_header("Origin", "http://1."),
    "a long encoding": lambda: long_header("Accept-Encoding", "gzip;q=0.1,"),
    "tiny chunks": lambda: chunked(b"1\r\na\r\n" * 10_000),
    "extensions of chunks": lambda: chunked(b"1;aaaaaaaa\r\na\r\n" * 5_000),
    "upgrades": lambda: request(b"{}", {"Connection": "upgrade", "Upgrade": "h2c" * 4_000}),
    "metrics": lambda: request(method="GET", path="/metrics", keys=None),
    "metrics, packed": lambda: request(
        headers={"Accept-Encoding": "gzip"}, method="GET", path="/metrics", keys=None
    ),
    "top": lambda: request(method="GET", path="/top.json", keys=None),
    "garbage": lambda: bytes(range(256)) * 60,
}
OF_DAX = {
    "maps as keys": HELLO + b"\xa1" * 30_000,
    "numbers": HELLO + b"\x9f" + bytes(60_000) + b"\xff\x00",
    "keys of one hash": HELLO + b"\xbf" + COLLIDING + b"\xff\x00",
    "chunks": HELLO[:9] + b"\x7f" + b"\x60" * 60_000 + b"\xff",
    "big numbers": HELLO + b"\x9f" + (b"\xc2\x59\x03\xe8" + b"\xff" * 1000) * 60 + b"\xff",
    "tags": HELLO + b"\xc1" * 60_000,
    "a call with a list": HELLO + FURTHER + b"\x01\x1a\x0f\xb0\xcc\x6a\x44Tab1\x9f" + bytes(60_000),
}


class Echo:
    """A server of the same event loop that answers ten bytes to what it gets."""

    def __init__(self):
        self._ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self.thread.start()
        assert self._ready.wait(SECONDS_MAX)

    async def _run(self):
        class Protocol(asyncio.Protocol):
            def connection_made(self, transport):
                self.transport = transport

            def data_received(self, data):
                self.transport.write(data[:10])

        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await self._loop.create_server(Protocol, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()

    def close(self):
        self._loop.call_soon_threadsafe(self._stop.set)
        self.thread.join(SECONDS_MAX)


class Place:
    """A server and an echo, whose threads are measured."""

    def __init__(self, **settings):
        self.dax_port = free_port()
        before = set(threading.enumerate())
        texts = {"port": "0", "memory": "true", "auth": "required", "drain_seconds": "0"}
        texts |= {"dax_port": str(self.dax_port), **settings}
        self._server = ServerThread(load(texts, {}), StaticCredentials(long_term()))
        [self.thread] = [
            each for each in set(threading.enumerate()) - before if each.name.startswith("Thread-")
        ]
        self.port = urlsplit(self._server.endpoint).port
        self.echo = Echo()
        self._addresses = iter(range(1, 60_000))

    def close(self):
        self.echo.close()
        self._server.close()

    def ms(self, thread, port, send):
        """The least CPU time of some connections, each from an address that has not failed yet."""
        clock = time.pthread_getcpuclockid(thread.ident)
        found = []
        for _ in range(REPEATS):
            began = time.clock_gettime(clock)
            own = str(IPv4Address("127.1.0.0") + next(self._addresses))
            with (
                socket.create_connection(("127.0.0.1", port), SECONDS_MAX, (own, 0)) as sock,
                contextlib.suppress(ConnectionError),
            ):
                send(sock)
            found.append(time.clock_gettime(clock) - began)
        return min(found) * 1000

    def ms_above(self, data, port):
        """The CPU time for some bytes above that of the echo."""

        def send(sock):
            sock.sendall(data)
            sock.recv(65_536)

        return self.ms(self.thread, port, send) - self.ms(self.echo.thread, self.echo.port, send)


@pytest.fixture(scope="module")
def place():
    made = Place()
    yield made
    made.close()


@pytest.fixture(scope="module")
def good_ms(place):
    """The CPU time of a good request, and how much slower than another this machine is."""
    for path in ("/metrics", "/top.json"):  # imports modules
        place.ms_above(request(method="GET", path=path, keys=None), place.port)
    return max(place.ms_above(request(b"{}", keys=GOOD), place.port), 0)


@pytest.fixture(scope="module")
def pace():
    return max(1, max(loop_cpu_seconds() for _ in range(3)) / LOOP_SECONDS)


@pytest.mark.parametrize("row", FIRST)
def test_a_request_without_a_signature_is_cheap(place, good_ms, pace, row):
    data = FIRST[row]()
    found = place.ms_above(data, place.port)
    assert found <= good_ms + MS_PER_KB_MAX * len(data) / 1024 * pace


@pytest.mark.parametrize("row", OF_DAX)
def test_a_dax_connection_without_a_signature_is_cheap(place, good_ms, pace, row):
    data = OF_DAX[row]
    found = place.ms_above(data, place.dax_port)
    assert found <= good_ms + MS_PER_KB_MAX * len(data) / 1024 * pace


def test_a_tls_handshake_is_cheap(tmp_path, pace):
    place = Place(tls="self-signed", memory="false", data=str(tmp_path))
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        found = place.ms(place.thread, place.port, lambda sock: context.wrap_socket(sock).close())
    finally:
        place.close()
    assert found <= HANDSHAKE_MS_MAX * pace
