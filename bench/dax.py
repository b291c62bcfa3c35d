"""`python -m bench.dax`: the CPU time of gets that DAX has cached, beside gets over HTTP.

One server, one item of 250 bytes, and one connection of each protocol, over which the same bytes
are sent again and again; the CPU time is that of the server. Rounds alternate, and the least of
each counts, since other work only adds. `make bench` has a row of many connections and items.
"""

import asyncio
import contextlib
import json
import math
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from bench import rows
from bench.client import Answered, percentile_us
from bench.server import cpu_seconds
from hashrange.dax.protocol.answers import SUCCESS
from hashrange.wire.cbor.encoding import EMPTY_MAP, NULL, byte_string, encode_integer, mapping, text

_LISTENS: Final = re.compile(r"listens on http://127\.0\.0\.1:(\d+)")
_DAX: Final = re.compile(r"dax://127\.0\.0\.1:(\d+)")
_ROUNDS: Final = 3
_WARM: Final = 200
_KEYS: Final = 1000
"""Items of the row of `make bench`; their requests are in the server's memory as well."""
_TABLE: Final = "bench"
_KEY: Final = {"pk": {"S": "a"}}
_ITEM: Final = {
    **_KEY,
    "name": {"S": "x" * 180},
    "count": {"N": "12345"},
    "price": {"N": "7.25"},
    "tags": {"SS": ["a", "b", "c"]},
}
_CREATE: Final = {
    "TableName": _TABLE,
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
_HEADERS: Final = (
    "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
    "Authorization: AWS4-HMAC-SHA256 Credential=local/20261123/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=00\r\nX-Amz-Date: 20261123T000000Z\r\n"
    "X-Amz-Target: DynamoDB_20120810.{target}\r\nContent-Length: {size}\r\n\r\n"
)
_GET_ITEM, _AUTHORIZE = 263244906, 1489122155
_CONSISTENT: Final = mapping([(encode_integer(2), b"\xf5")])


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server that answers both protocols."""

    pid: int
    port: int
    dax_port: int


@contextlib.contextmanager
def served() -> Iterator[Served]:
    command = [sys.executable, "-m", "hashrange", "serve", "--port", "0", "--memory"]
    command += ["--dax-port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            found = _LISTENS.search(process.stdout.readline())
            assert found is not None, "the server did not start"
            dax = None
            while dax is None:
                dax = _DAX.search(process.stderr.readline())
            yield Served(pid=process.pid, port=int(found[1]), dax_port=int(dax[1]))
        finally:
            process.terminate()


def _http(target: str, members: object) -> bytes:
    body = json.dumps(members).encode()
    return _HEADERS.format(target=target, size=len(body)).encode() + body


def _call(number: int, *arguments: bytes) -> bytes:
    return b"\x01" + encode_integer(number) + b"".join(arguments)


def _handshake() -> bytes:
    """The beginning of a connection, and a signature that nobody verifies."""
    agent = mapping([(text("UserAgent"), text("bench"))])
    hello = text("J7yne5G") + b"\x00" + byte_string(b"\x01") + agent + b"\x00"
    signed = b"AWS4-HMAC-SHA256\n20261123T000000Z\n20261123/us-east-1/dax/aws4_request\n00"
    parts = (text("local"), text("0" * 64), byte_string(signed), NULL, NULL)
    return hello + _call(_AUTHORIZE, *parts)


def _get(parameters: bytes) -> bytes:
    return _call(_GET_ITEM, byte_string(_TABLE.encode()), byte_string(b"a"), parameters)


def run(port: int, seconds: float, connections: int) -> Answered:
    """Load the items of `rows.GET` by this process; each was read once before."""
    gets = []
    for number in range(_KEYS):
        sent: Any = rows.GET.body(number)
        key = text(sent["Key"]["p"]["S"]) + sent["Key"]["s"]["S"].encode()
        table = byte_string(sent["TableName"].encode())
        gets.append(_call(_GET_ITEM, table, byte_string(key), EMPTY_MAP))
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(_handshake())
        sizes = set()
        for get in 2 * gets:
            connection.sendall(get)
            answer = connection.recv(65_536)
            assert answer.startswith(b"\x80"), answer
            sizes.add(len(answer))
    (size,) = sizes
    return asyncio.run(_drive(port, gets, size, seconds=seconds, connections=connections))


async def _drive(
    port: int, gets: Sequence[bytes], size: int, *, seconds: float, connections: int
) -> Answered:
    loop, begun = asyncio.get_running_loop(), time.perf_counter()
    until = begun + seconds
    callers = [
        _Caller(gets, index * len(gets) // connections, size, until) for index in range(connections)
    ]
    for caller in callers:
        await loop.create_connection(lambda caller=caller: caller, "127.0.0.1", port)
    await asyncio.gather(*(caller.finished for caller in callers))
    latencies = [latency for caller in callers for latency in caller.latencies]
    return Answered(
        requests=len(latencies),
        seconds=time.perf_counter() - begun,
        p50_us=percentile_us(latencies, 50),
        p99_us=percentile_us(latencies, 99),
        failed=sum(caller.failed for caller in callers),
    )


class _Caller(asyncio.Protocol):
    """One connection: the next get goes out when the answer to the last one is whole."""

    def __init__(self, gets: Sequence[bytes], first: int, size: int, until: float) -> None:
        self.latencies: list[float] = []
        self.failed = 0
        self.finished = asyncio.get_running_loop().create_future()
        self._gets = gets
        self._next = first
        self._size = self._left = size
        self._until = until
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._send(_handshake())

    def data_received(self, data: bytes) -> None:
        if self._left == self._size:
            self.failed += data[0] != SUCCESS[0]
        self._left -= len(data)
        if self._left > 0:
            return
        self._left = self._size
        now = time.perf_counter()
        self.latencies.append(now - self._sent)
        if now < self._until:
            self._send()
        else:
            self.finished.set_result(None)
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.finished.done():
            self.finished.set_exception(error or ConnectionError("closed by the server"))

    def _send(self, handshake: bytes = b"") -> None:
        get = self._gets[self._next % len(self._gets)]
        self._next += 1
        self._sent = time.perf_counter()
        self._transport.write(handshake + get)


def _asking(port: int, request: bytes, handshake: bytes = b"") -> Callable[[int], None]:
    """Asks so many times; all answers have the length of the first."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(handshake + request)
    size = len(connection.recv(65_536))

    def ask(times: int) -> None:
        for _ in range(times):
            connection.sendall(request)
            left = size
            while left > 0:
                received = connection.recv(65_536)
                assert received, "the server has closed the connection"
                left -= len(received)

    ask(_WARM)
    return ask


def _cpu_us(target: Served, ask: Callable[[int], None], requests: int) -> float:
    before = cpu_seconds(target.pid)
    ask(requests)
    after = cpu_seconds(target.pid)
    assert before is not None, "there is no /proc"
    assert after is not None, "there is no /proc"
    return (after - before) * 1e6 / requests


@click.command()
@click.option("--requests", default=20_000, show_default=True, help="Gets of each round.")
def main(requests: int) -> None:
    """Print the CPU time of gets over HTTP and DAX, and their ratios to HTTP."""
    with served() as found:
        for target, members in (
            ("CreateTable", _CREATE),
            ("PutItem", {"TableName": _TABLE, "Item": _ITEM}),
        ):
            _asking_once(found.port, _http(target, members))
        http = _http("GetItem", {"TableName": _TABLE, "Key": _KEY})
        rows = {
            "get over HTTP": _asking(found.port, http),
            "hit over DAX": _asking(found.dax_port, _get(EMPTY_MAP), _handshake()),
            "strong over DAX": _asking(found.dax_port, _get(_CONSISTENT), _handshake()),
        }
        rounds = [[_cpu_us(found, ask, requests) for ask in rows.values()] for _ in range(_ROUNDS)]
        least = [min(each) for each in zip(*rounds, strict=True)]
    click.echo("row                  µs   ratio")
    for name, cpu_us in zip(rows, least, strict=True):
        # The clock of a process ticks in hundredths of a second: few gets may take none.
        ratio = cpu_us / least[0] if least[0] else math.nan
        click.echo(f"{name:16}{cpu_us:>7.1f}{ratio:>8.2f}")


def _asking_once(port: int, request: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request)
        answer = connection.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 200"), answer


if __name__ == "__main__":
    main()
