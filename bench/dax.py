"""`python -m bench.dax`: the CPU time of gets that DAX has cached, beside gets over HTTP.

One server, one item of 250 bytes, and one connection of each protocol, over which the same bytes
are sent again and again; the CPU time is that of the server. Rounds alternate, and the least of
each counts, since other work only adds.
"""

import contextlib
import json
import math
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import click

from bench.server import cpu_seconds
from hashrange.dax.encoding import EMPTY_MAP, NULL, byte_string, mapping, text
from hashrange.dax.numbers import encode_integer

_LISTENS: Final = re.compile(r"listens on http://127\.0\.0\.1:(\d+)")
_DAX: Final = re.compile(r"dax://127\.0\.0\.1:(\d+)")
_ROUNDS: Final = 3
_WARM: Final = 200
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
def _served() -> Iterator[Served]:
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


def _greeting() -> bytes:
    """The beginning of a connection, and a signature that nobody verifies."""
    agent = mapping([(text("UserAgent"), text("bench"))])
    hello = text("J7yne5G") + b"\x00" + byte_string(b"\x01") + agent + b"\x00"
    signed = b"AWS4-HMAC-SHA256\n20261123T000000Z\n20261123/us-east-1/dax/aws4_request\n00"
    parts = (text("local"), text("0" * 64), byte_string(signed), NULL, NULL)
    return hello + _call(_AUTHORIZE, *parts)


def _get(parameters: bytes) -> bytes:
    return _call(_GET_ITEM, byte_string(_TABLE.encode()), byte_string(b"a"), parameters)


def _asking(port: int, request: bytes, greeting: bytes = b"") -> Callable[[int], None]:
    """Asks so many times; all answers have the length of the first."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(greeting + request)
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


def _cpu_us(served: Served, ask: Callable[[int], None], requests: int) -> float:
    before = cpu_seconds(served.pid)
    ask(requests)
    after = cpu_seconds(served.pid)
    assert before is not None, "there is no /proc"
    assert after is not None, "there is no /proc"
    return (after - before) * 1e6 / requests


@click.command()
@click.option("--requests", default=20_000, show_default=True, help="Gets of each round.")
def main(requests: int) -> None:
    """Print the CPU time of gets over HTTP and DAX, and their ratios to HTTP."""
    with _served() as served:
        for target, members in (
            ("CreateTable", _CREATE),
            ("PutItem", {"TableName": _TABLE, "Item": _ITEM}),
        ):
            _asking_once(served.port, _http(target, members))
        http = _http("GetItem", {"TableName": _TABLE, "Key": _KEY})
        rows = {
            "get over HTTP": _asking(served.port, http),
            "hit over DAX": _asking(served.dax_port, _get(EMPTY_MAP), _greeting()),
            "strong over DAX": _asking(served.dax_port, _get(_CONSISTENT), _greeting()),
        }
        rounds = [[_cpu_us(served, ask, requests) for ask in rows.values()] for _ in range(_ROUNDS)]
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
