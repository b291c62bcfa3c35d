"""Load generators: wrk if it is installed, otherwise a client in Python.

The client in Python is as slow as the server: with it, use the server's CPU time per request rather
than the requests per second.
"""

import asyncio
import json
import math
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from ssl import SSLContext
from typing import Final

from bench.asking import Sent, headers, target_header

_SCRIPT: Final = Path(__file__).with_name("load.lua")
_TIMEOUT: Final = "30s"
"""Of wrk, which would count answers after 2 s as failed."""
_LINE_END: Final = b"\r\n"
_LENGTH: Final = b"content-length:"
_LAST_CHUNK: Final = b"\r\n0\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A load: requests, endpoint, connections, duration; `ssl` for HTTPS, not verified by wrk."""

    port: int
    requests: Sequence[Sent]
    seconds: float
    connections: int
    ssl: SSLContext | None = None
    signed_at: str = ""
    """The X-Amz-Date of requests that have signatures of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The result of a load. `failed` counts broken connections and statuses but 2xx and 3xx."""

    requests: int
    seconds: float
    p50_us: float
    p99_us: float
    failed: int


def wrk_path() -> str | None:
    """The path of wrk, if it is installed."""
    return shutil.which("wrk")


def run_wrk(load: Load, folder: Path) -> Answered:
    """Load by wrk, on one thread: the server needs the other cores."""
    requests = folder / "requests"
    lines = [
        f"{target_header(sent.target)} {sent.authorization.replace(' ', '')} ".encode() + sent.body
        for sent in load.requests
    ]
    requests.write_bytes(b"\n".join(lines) + b"\n")
    shape = [
        f"-c{load.connections}",
        "-t1",
        f"-d{math.ceil(load.seconds)}s",
        "--latency",
        "--timeout",
        _TIMEOUT,
    ]
    url = f"{'http' if load.ssl is None else 'https'}://127.0.0.1:{load.port}/"
    chosen = headers() | ({"X-Amz-Date": load.signed_at} if load.signed_at else {})
    sent_headers = [f"{name}={value}" for name, value in chosen.items()]
    command = ["wrk", *shape, "-s", str(_SCRIPT), url, "--", str(requests), *sent_headers]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Answered(**json.loads(output.splitlines()[-1]))


def run_own(load: Load) -> Answered:
    """Load by this process."""
    if sys.platform == "win32":
        return asyncio.run(_drive(load))
    import uvloop  # noqa: PLC0415 - not on Windows

    return uvloop.run(_drive(load))


async def _drive(load: Load) -> Answered:
    loop = asyncio.get_running_loop()
    requests = wire_requests(load.requests, f"127.0.0.1:{load.port}", load.signed_at)
    begun = time.perf_counter()
    until = begun + load.seconds
    callers = [
        _Caller(requests, index * len(requests) // load.connections, until)
        for index in range(load.connections)
    ]
    for caller in callers:
        await loop.create_connection(
            lambda caller=caller: caller, "127.0.0.1", load.port, ssl=load.ssl
        )
    await asyncio.gather(*(caller.finished for caller in callers))
    seconds = time.perf_counter() - begun
    latencies = [latency for caller in callers for latency in caller.latencies]
    return Answered(
        requests=len(latencies),
        seconds=seconds,
        p50_us=percentile_us(latencies, 50),
        p99_us=percentile_us(latencies, 99),
        failed=sum(caller.failed for caller in callers),
    )


def wire_requests(
    requests: Sequence[Sent], host: str = "127.0.0.1", signed_at: str = ""
) -> list[bytes]:
    """As they stand on the connection."""
    shared = headers() | ({"X-Amz-Date": signed_at} if signed_at else {})
    authorization = shared.pop("Authorization")
    head = "".join(f"{name}: {value}\r\n" for name, value in shared.items())
    return [
        f"POST / HTTP/1.1\r\nHost: {host}\r\n{head}"
        f"Authorization: {sent.authorization or authorization}\r\n"
        f"X-Amz-Target: {target_header(sent.target)}\r\n"
        f"Content-Length: {len(sent.body)}\r\n\r\n".encode()
        + sent.body
        for sent in requests
    ]


def status_class(buffer: bytes) -> bytes | None:
    """The first digit of an answer's status; None if the answer is not whole yet."""
    end = buffer.find(_LINE_END * 2)
    if end < 0:
        return None
    head = buffer[:end].lower()
    start = head.find(_LENGTH)
    if start < 0:
        assert b"chunked" in head, head
        return head[9:10] if buffer.endswith(_LAST_CHUNK) else None
    length = int(head[start + len(_LENGTH) :].split(_LINE_END, 1)[0])
    return head[9:10] if len(buffer) >= end + 4 + length else None


def closes_connection(answer: bytes) -> bool:
    """Whether the server wants no further request on this connection."""
    return b"\r\nconnection: close" in answer.partition(_LINE_END * 2)[0].lower()


def percentile_us(seconds: Sequence[float], percent: int) -> float:
    """In microseconds; 0 of nothing."""
    if not seconds:
        return 0.0
    return sorted(seconds)[len(seconds) * percent // 100] * 1e6


class _Caller(asyncio.Protocol):
    """One connection: the next request goes out when the answer to the last one is whole."""

    def __init__(self, requests: Sequence[bytes], first: int, until: float) -> None:
        self.latencies: list[float] = []
        self.failed = 0
        self.finished = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._next = first
        self._until = until
        self._sent = 0.0
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        status = status_class(self._buffer)
        if status is None:
            return
        self._buffer = b""
        now = time.perf_counter()
        self.latencies.append(now - self._sent)
        self.failed += status not in b"23"
        if now < self._until:
            self._send()
        else:
            self.finished.set_result(None)
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.finished.done():
            self.finished.set_exception(error or ConnectionError("closed by the server"))

    def _send(self) -> None:
        request = self._requests[self._next % len(self._requests)]
        self._next += 1
        self._sent = time.perf_counter()
        self._transport.write(request)
