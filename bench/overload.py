"""What a server answers when more is asked than it can answer, and whom.

    python -m bench.overload

Independent clients, of which each sends one request at a time: a request is due at a time that does
not depend on the answers, and a client that is free sends it. A client gives up after a second and
connects again; with `--retries` it sends what was refused or not answered again, as SDKs do. Good
are the answers within the second. All loads are multiples of the peak: what the same clients are
answered if each asks again at once, and waits for ever.

With `--tenants` signatures are verified, and one tenant with 64 connections at full speed meets
four with two connections each.
"""

import asyncio
import http.client
import itertools
import math
import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import click
import uvloop

from bench import bodies, rows, server, signed
from bench.asking import Answer, Sent, ask, asker
from bench.client import closes_connection, percentile_us, status_class, wire_requests
from hashrange.access.signatures.signing import Credentials

PATIENCE_SECONDS: Final = 1.0
_NO_HURRY_SECONDS: Final = 60.0
_COUNT: Final = rows.Row(
    name="count",
    target="Query",
    body=lambda number: {**bodies.query_page(bodies.PAGE)(number), "Select": "COUNT"},
    proof=lambda _number, _answer: None,
)
"""A request that is dear for the server, and cheap for the client."""
ROWS: Final = {row.name: row for row in (rows.GET, rows.PUT, _COUNT, rows.BATCH_WRITE)}
_PROCESSES: Final = multiprocessing.get_context("fork")
_FACTORS: Final = (0.5, 1.0, 1.5, 2.0, 3.0)
_ATTEMPTS: Final = 3
_BACK_OFF_SECONDS: Final = 0.05
_LOOK_SECONDS: Final = 0.05
_TENANT_CONNECTIONS: Final = (64, 2, 2, 2, 2)


@dataclass(kw_only=True)
class Tally:
    """What clients got: `good` are the seconds of each answer in time; the rest are counts."""

    good: list[float] = field(default_factory=list)
    refused: int = 0
    given_up: int = 0
    failed: int = 0
    unsent: int = 0


class Client(asyncio.Protocol):
    """A client with one connection.

    Args:
        port: of the server.
        tally: gets what it got.
        freed: called when it can send the next one.
        patience: seconds until it gives up.
        attempts: how often it sends a request.
    """

    def __init__(
        self,
        port: int,
        tally: Tally,
        freed: Callable[["Client"], object],
        *,
        patience: float,
        attempts: int,
    ) -> None:
        self._port, self._tally, self._patience = port, tally, patience
        self._attempts, self._freed = attempts, freed
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._request = b""
        self._left = 0
        self._buffer = b""
        self._sent = 0.0

    async def connect(self) -> None:
        await self._loop.create_connection(lambda: self, "127.0.0.1", self._port)
        self._freed(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._buffer = transport, b""

    def begin(self, request: bytes) -> None:
        """Send a request that is due now."""
        self._request, self._left = request, self._attempts
        self._send()

    def _send(self) -> None:
        self._left -= 1
        self._sent = time.perf_counter()
        self._timer = self._loop.call_later(self._patience, self._give_up)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        status = status_class(self._buffer)
        if status is None or self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        closes = closes_connection(self._buffer)
        self._buffer = b""
        if status == b"2":
            self._tally.good.append(time.perf_counter() - self._sent)
        elif status == b"5":
            self._tally.refused += 1
        else:
            self._tally.failed += 1
        self._go_on(again=status == b"5", connected=not closes)

    def _give_up(self) -> None:
        self._timer = None
        self._tally.given_up += 1
        self._go_on(again=True, connected=False)

    def _go_on(self, *, again: bool, connected: bool) -> None:
        then = self._ended
        if again and self._left:
            wait = _BACK_OFF_SECONDS * 2 ** (self._attempts - self._left - 1)
            then = partial(self._loop.call_later, random.random() * wait, self._send)
        if connected:
            then()
        else:
            self._transport.abort()
            self._reconnecting = self._loop.create_task(self._reconnect(then))

    async def _reconnect(self, then: Callable[[], object]) -> None:
        with suppress(OSError):
            await self._loop.create_connection(lambda: self, "127.0.0.1", self._port)
        then()

    def _ended(self) -> None:
        self._freed(self)

    def close(self) -> None:
        """Leave."""
        if self._timer is not None:
            self._timer.cancel()
        self._transport.abort()


async def closed(port: int, requests: Sequence[bytes], seconds: float, connections: int) -> Tally:
    """Each client asks again when it is answered, or refused."""
    tally, numbers = Tally(), itertools.count()
    until = math.inf

    def freed(client: Client) -> None:
        if time.perf_counter() < until:
            client.begin(requests[next(numbers) % len(requests)])

    clients = [
        Client(port, tally, freed, patience=_NO_HURRY_SECONDS, attempts=1)
        for _ in range(connections)
    ]
    for client in clients:
        await client.connect()
    tally.good.clear()
    until = time.perf_counter() + seconds
    await asyncio.sleep(seconds)
    for client in clients:
        client.close()
    return tally


async def opened(
    port: int,
    requests: Sequence[bytes],
    seconds: float,
    connections: int,
    *,
    per_second: float,
    attempts: int,
) -> Tally:
    """Requests are due at a rate; a client that is free sends them, or nobody does."""
    tally, idle = Tally(), []
    clients = [
        Client(port, tally, idle.append, patience=PATIENCE_SECONDS, attempts=attempts)
        for _ in range(connections)
    ]
    for client in clients:
        await client.connect()
    chance, number = random.Random(per_second), 0
    begun = time.perf_counter()
    due = chance.expovariate(per_second)
    while due < seconds:
        now = time.perf_counter() - begun
        while due <= now:
            if idle:
                idle.pop(chance.randrange(len(idle))).begin(requests[number % len(requests)])
                number += 1
            else:
                tally.unsent += 1
            due += chance.expovariate(per_second)
        await asyncio.sleep(0.001)
    for client in clients:
        client.close()
    return tally


def _look(port: int, ended: Any, found: Any) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    taken = []
    while not ended.wait(_LOOK_SECONDS):
        begun = time.perf_counter()
        connection.request("GET", "/readyz")
        assert connection.getresponse().read(), "not ready"
        taken.append(time.perf_counter() - begun)
    found.put(taken)


@contextmanager
def watched_health(port: int) -> Iterator[list[float]]:
    """The seconds that `/readyz` took within the context, for another process; there at its end."""
    taken: list[float] = []
    ended, found = _PROCESSES.Event(), _PROCESSES.SimpleQueue()
    looking = _PROCESSES.Process(target=_look, args=(port, ended, found))
    looking.start()
    try:
        yield taken
    finally:
        ended.set()
        taken += found.get()
        looking.join()


@click.command()
@click.option("--row", "names", multiple=True, type=click.Choice(list(ROWS)), help="All if none.")
@click.option("--connections", "counts", multiple=True, type=int, default=(64, 512))
@click.option("--seconds", default=4.0, show_default=True, help="Of each load.")
@click.option("--retries", is_flag=True, help="Clients send again what was not answered.")
@click.option("--tenants", is_flag=True, help="One tenant with 64 connections beside four of 2.")
@click.option("--waiting-ms-max", default=500, show_default=True, help="Of the server.")
def overload(
    names: Sequence[str],
    counts: Sequence[int],
    *,
    seconds: float,
    retries: bool,
    tenants: bool,
    waiting_ms_max: int,
) -> None:
    """Ask for more than a server can answer."""
    for name in names or ROWS:
        if tenants:
            _share(ROWS[name], seconds)
            continue
        with tempfile.TemporaryDirectory() as folder:
            serve = ["-m", "hashrange", "serve", "--port", "0", "--log-level", "warning"]
            kept = ["--data", folder, "--waiting-ms-max", str(waiting_ms_max)]
            with server.started([*serve, *kept]) as measured:
                rows.prepare(asker(measured.port))
                for count in counts:
                    _measure(
                        *(measured, ROWS[name], count),
                        seconds=seconds,
                        attempts=_ATTEMPTS if retries else 1,
                    )


def _measure(
    measured: server.Server, row: rows.Row, connections: int, *, seconds: float, attempts: int
) -> None:
    requests = wire_requests(rows.requests(row))
    click.echo(f"\n{row.name}, {connections} connections")
    click.echo(
        "    load   good/s  of peak  by CPU  p50 ms  p99 ms  refused  given up  unsent"
        "  /readyz ms p50, max     MB"
    )
    peak = peak_by_cpu = 0.0
    for factor in (0.0, *_FACTORS):
        server.settle(measured.pid)
        before = server.cpu_seconds(measured.pid)
        with watched_health(measured.port) as taken:
            if factor:
                load = opened(
                    *(measured.port, requests, seconds, connections),
                    per_second=peak * factor,
                    attempts=attempts,
                )
            else:
                load = closed(measured.port, requests, seconds, connections)
            tally = uvloop.run(load)
        cpu = (server.cpu_seconds(measured.pid) or 0) - (before or 0)
        good = len(tally.good)
        if not factor:
            peak, peak_by_cpu = good / seconds, good / cpu
        click.echo(
            f"    {factor or 'peak':>4} {good / seconds:8.0f} {good / seconds / peak:7.0%}"
            f" {good / cpu / peak_by_cpu:7.0%} {percentile_us(tally.good, 50) / 1e3:7.0f}"
            f" {percentile_us(tally.good, 99) / 1e3:7.0f} {tally.refused:8} {tally.given_up:9}"
            f" {tally.unsent:7} {percentile_us(taken, 50) / 1e3:15.0f} {max(taken) * 1e3:6.0f}"
            f" {server.memory_mb(measured.pid) or 0:6.0f}"
        )
        assert not tally.failed, tally.failed


def _share(row: rows.Row, seconds: float) -> None:
    """One tenant at full speed beside four, alone and together."""
    with server.started(["-m", "bench.signed", "--port", "0"]) as measured:
        rows.prepare(partial(_ask_signed, measured.port))
        unsigned = rows.requests(row)[:500]
        wires = [
            _wire(measured.port, unsigned, signed.tenant(number))
            for number in range(len(_TENANT_CONNECTIONS))
        ]

        async def together(ones: Sequence[int]) -> list[Tally]:
            loads = (
                closed(measured.port, wires[each], seconds, _TENANT_CONNECTIONS[each])
                for each in ones
            )
            return await asyncio.gather(*loads)

        click.echo(f"\n{row.name}, signed: answers a second")
        (noisy,) = uvloop.run(together([0]))
        click.echo(f"    64 connections alone: {len(noisy.good) / seconds:.0f}")
        (quiet,) = uvloop.run(together([1]))
        click.echo(f"    2 connections alone: {len(quiet.good) / seconds:.0f}")
        found = uvloop.run(together(range(len(_TENANT_CONNECTIONS))))
        total = sum(len(tally.good) for tally in found)
        for number, tally in enumerate(found):
            click.echo(
                f"    {_TENANT_CONNECTIONS[number]:3} of all: {len(tally.good) / seconds:.0f},"
                f" {len(tally.good) / total:.1%} of all"
            )


def _wire(port: int, unsigned: Sequence[Sent], keys: Credentials) -> list[bytes]:
    found, at = signed.all_signed(port, unsigned, keys)
    return wire_requests(found, f"127.0.0.1:{port}", at)


def _ask_signed(port: int, target: str, body: Answer) -> Answer:
    return ask(port, target, body, partial(signed.sign, port))


if __name__ == "__main__":
    overload()
