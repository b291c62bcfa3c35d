"""A server without sockets: an endpoint on an engine in memory, in this process."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import msgspec

from bench.asking import Answer, Sent, encoded, headers, target_header
from hashrange.api.admission.own_tables import OwnTables
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.gate import Gate
from hashrange.clock import Clock, SteadyClock
from hashrange.limits.tables import PARTITION_BYTES_MAX
from hashrange.observe.metrics import Metrics
from hashrange.server.connection import advance
from hashrange.server.endpoint import Endpoint
from hashrange.server.loop import new_loop
from hashrange.server.request_log import RequestLog
from hashrange.server.sampler import Sampler
from hashrange.storage.engine import ignore_damage
from hashrange.storage.first_reads import FirstReads
from hashrange.storage.sqlite.engine import SqliteEngine, comparing
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.writing.checked_values import ensure_sound
from hashrange.tables.writing.store import Store
from hashrange.wire.exchange import Request, Response

HEADERS: Final = {
    b"host": b"127.0.0.1:8000",
    **{name.lower().encode(): value.encode() for name, value in headers().items()},
}
_SLOW_MS: Final = 1000


class InProcess:
    """The parts of a server that a request comes through, as `assembly` joins them.

    Attributes:
        loop: runs all requests.
        catalog: holds the tables.
        store: reads and writes items.
        sampler: samples keys; off until `watch` is called.
        endpoint: answers requests.

    Args:
        clock: the time.
        throttles: the capacity of tables is limited.
    """

    def __init__(self, clock: Clock, *, throttles: bool = False) -> None:
        self.loop = new_loop()
        self._engine = SqliteEngine.open(None, monotonic_ns=clock.monotonic_ns, now_ms=clock.now_ms)
        first_reads = FirstReads(partial(ensure_sound, ignore_damage))
        compared = comparing(self._engine, first_reads)  # as a directory is
        metrics = Metrics()
        self.catalog = Catalog(self._engine)
        self.store = Store(compared, clock, steady=SteadyClock(clock))
        pipeline = Pipeline(self.store, self.catalog, metrics.consumed)
        if throttles:
            capacities = OwnTables(self._engine, self.catalog, clock, PARTITION_BYTES_MAX)
            pipeline.limit(Gate(capacities, clock.now_ms, metrics.throttled))
        request_log = RequestLog(lambda: b"0" * 52, clock.monotonic_ns, _SLOW_MS)
        self.sampler = Sampler(pipeline.observe, clock.monotonic_ns)
        self.endpoint = Endpoint(pipeline, clock, metrics, request_log=request_log)

    def ask(self, target: str, body: Answer) -> Answer:
        """One request and its answer."""
        request = received(Sent(target, encoded(body)))
        response = self.loop.run_until_complete(self.endpoint.respond(request))
        assert response.status == 200, response.body
        return msgspec.json.decode(response.body)

    def answer(self, requests: Sequence[Request], concurrent: int) -> None:
        """Answer all requests, some at the same time."""
        self.loop.run_until_complete(self._answer(requests, concurrent))

    async def _answer(self, requests: Sequence[Request], concurrent: int) -> None:
        for first in range(0, len(requests), concurrent):
            await _Group(self.endpoint, requests[first : first + concurrent]).ended

    def close(self) -> None:
        self._engine.close()
        self.loop.close()


class _Group:
    """Requests that begin in one turn of the loop and are driven by hand, as connections do it."""

    def __init__(self, endpoint: Endpoint, requests: Sequence[Request]) -> None:
        self.ended = asyncio.get_running_loop().create_future()
        self._left = len(requests)
        for request in requests:
            self._go_on(endpoint.respond(request))

    def _go_on(self, coroutine: Any) -> None:
        response = advance(coroutine, lambda _: self._go_on(coroutine))
        if response is not None:
            self._answered(response)

    def _answered(self, response: Response) -> None:
        assert response.status == 200, response.body
        self._left -= 1
        if not self._left:
            self.ended.set_result(None)


def received(sent: Sent) -> Request:
    """A request in the form that the HTTP server passes on."""
    head = {**HEADERS, b"x-amz-target": target_header(sent.target).encode()}
    return Request(b"POST", b"/", b"", head, sent.body)
