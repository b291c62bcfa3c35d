"""A server in the memory of this process, without sockets, and an eye on how that memory grows."""

import asyncio
import ctypes
import gc
import json
import os
import sys
from functools import partial
from pathlib import Path

import msgspec

from hashrange.api.audit.events import Event
from hashrange.api.audit.recorder import DataEvents, Recorder
from hashrange.api.audit.trail import event_ids
from hashrange.api.requests.pipeline import Pipeline
from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.bulk_jobs import bulk_jobs
from hashrange.background.dropper import Dropper
from hashrange.background.export_jobs import export_jobs
from hashrange.background.import_jobs import ImportDirectories, import_jobs
from hashrange.background.index_jobs import index_jobs
from hashrange.backups.objects.buckets import Buckets
from hashrange.clock import SystemClock
from hashrange.limits.access import AUDIT_LINE_BYTES_MAX
from hashrange.observe.metrics import Metrics
from hashrange.server.endpoint import Endpoint
from hashrange.server.heads import HeadReader
from hashrange.server.request_log import RequestLog
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import NO_FENCES
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.writing.store import Store
from hashrange.wire.exchange import Request, Response
from tests.crash.server import AUTHORIZATION
from tests.engines.passing import PassingEngine
from tests.pace import costs_at_most
from tests.unit.background.still_turns import job_context, unhurried
from tests.unit.tables.definitions import NOON_MS

HEADERS = {
    b"host": b"localhost",
    b"content-type": b"application/x-amz-json-1.0",
    b"x-amz-date": b"20260101T000000Z",
    b"authorization": AUTHORIZATION.encode(),
}
STREAMS = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}
"""Operations of the other service at the address."""
KEY = {"pk": {"S": "a"}}
ITEM = {**KEY, "v": {"N": "1"}}
LOOPS_MAX = 150
"""The most that a request costs; see `tests.pace`. Large ones cost 40, what hung cost thousands."""


class StandingClock(SystemClock):
    """Always noon: names of streams, which are times, can stand in the corpus."""

    def now_ms(self) -> int:
        """See `Clock.now_ms`."""
        return NOON_MS


class CountingEngine(PassingEngine):
    """An engine that counts what is changed in it."""

    def __init__(self, engine: SqliteEngine) -> None:
        super().__init__(engine)
        self.changes = 0
        self.close = engine.close

    async def write(self, keys, decide, *, fences=NO_FENCES):
        """See `Engine.write`."""
        decided = []
        answer = await super().write(keys, partial(self._decide, decide, decided), fences=fences)
        last = decided[-1]
        self.changes += bool(last.puts or last.deletes or last.adds or last.appends)
        return answer

    def _decide(self, decide, decided, stored):
        decided.append(decide(stored))
        return decided[-1]


class RaisingRequestLog(RequestLog):
    """Where a request failed, the test fails."""

    def failed(self, operation, text, response):
        """See `RequestLog.failed`; the exception is still being handled."""
        raise  # noqa: PLE0704 - in the handler of the endpoint


def _encoded(event: Event, _at_ms: int) -> None:
    """A record of the audit log, which is encoded in another thread where it cannot be refused."""
    assert len(msgspec.json.encode(event)) <= AUDIT_LINE_BYTES_MAX


class MemoryServer:
    """What stands behind the sockets, on a loop of its own."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        # The engine belongs to the loop that it is opened in.
        self._endpoint = self._runner.run(self._open())

    async def _open(self) -> Endpoint:
        self._engine = CountingEngine(SqliteEngine.open(None, durability=Durability.RELAXED))
        clock = StandingClock()
        metrics = Metrics()
        catalog = Catalog(self._engine)
        self._indexer = index_jobs(self._engine, catalog, unhurried())
        self._dropper = Dropper(self._engine, catalog, clock, 0, pacer=unhurried())
        store = Store(self._engine, clock)
        self._backups = backup_jobs(job_context(store, catalog))
        nowhere = Buckets((), new_id=clock.new_uuid)
        self._exports = export_jobs(job_context(store, catalog), nowhere)
        self._imports = import_jobs(job_context(store, catalog), nowhere, ImportDirectories())
        self._bulk = bulk_jobs(job_context(store, catalog), nowhere, None)
        pipeline = self._pipeline(store, catalog, metrics)
        request_log = RaisingRequestLog(bytes, clock.monotonic_ns, 0)
        request_log.logs_from_ns = 0  # as at the level debug
        heads = self._heads(pipeline, metrics)
        endpoint = Endpoint(pipeline, clock, metrics, request_log=request_log, heads=heads)
        endpoint.recorder = Recorder(
            _encoded,
            catalog,
            now_ms=clock.now_ms,
            event_ids=event_ids(bytes(16)),
            identified=request_log.identified,
            selection=DataEvents(tables=None),
        )
        return endpoint

    def _pipeline(self, store: Store, catalog: Catalog, metrics: Metrics) -> Pipeline:
        """Without what a server has only on request."""
        return Pipeline(store, catalog, metrics.consumed)

    def _heads(self, pipeline: Pipeline, metrics: Metrics) -> HeadReader:
        """Without verified signatures."""
        return HeadReader(pipeline, metrics)

    def _headers(self, target: bytes, _body: bytes) -> dict[bytes, bytes]:
        """Of a request of an SDK, without a true signature."""
        return HEADERS | {b"x-amz-target": target}

    @property
    def changes(self) -> int:
        """How many writes have changed something."""
        return self._engine.changes

    def send(self, operation: str, body: bytes) -> Response:
        """The answer to a POST request; a defect comes out as whatever it raised."""
        prefix = b"DynamoDBStreams_20120810." if operation in STREAMS else b"DynamoDB_20120810."
        headers = self._headers(prefix + operation.encode(), body)
        request = Request(b"POST", b"/", b"", headers, body)
        return self._loop.run_until_complete(self._endpoint.respond(request))

    def call(self, operation: str, **request) -> dict:
        """The answer to a request that is good."""
        response = self.send(operation, json.dumps(request).encode())
        assert response.status == 200, response.body
        return json.loads(response.body or b"{}")

    def settle(self) -> None:
        """Do what else is done in the background: not while requests are counted."""
        self._loop.run_until_complete(self._backups.work())
        self._loop.run_until_complete(self._exports.work())
        self._loop.run_until_complete(self._imports.work())
        self._loop.run_until_complete(self._bulk.work())
        self._loop.run_until_complete(self._indexer.work())
        self._loop.run_until_complete(self._dropper.clear())

    def create(self, tables: dict[str, dict]) -> None:
        """Tables by name, each with what CreateTable is told of it."""
        for name, table in tables.items():
            self.call("CreateTable", TableName=name, **table)

    def close(self) -> None:
        """Give engine and loop back."""
        self._engine.close()
        self._runner.close()


class Refusing(MemoryServer):
    """A server with an item in `simple`, which nothing that is refused may change."""

    def __init__(self, tables: dict[str, dict]) -> None:
        super().__init__()
        self.create(tables)
        self.call("PutItem", TableName="simple", Item=ITEM)

    def answer(self, operation: str, body: object) -> tuple[int, dict]:
        """Status and answer, which came soon; the next request works."""
        changes = self.changes
        sent = body if isinstance(body, bytes) else msgspec.json.encode(body)
        with costs_at_most(LOOPS_MAX):
            response = self.send(operation, sent)
        if response.status != 200:
            assert self.changes == changes
            assert self.call("GetItem", TableName="simple", Key=KEY) == {"Item": ITEM}
        return response.status, json.loads(response.body or b"{}")

    def refusal(self, operation: str, body: object) -> dict:
        """The whole answer to a request that must be refused."""
        status, answer = self.answer(operation, body)
        assert status == 400, answer
        return answer

    def invalid(self, operation: str, body: object) -> str:
        """The text of a ValidationException."""
        answer = self.refusal(operation, body)
        assert answer.pop("__type") == "com.amazon.coral.validate#ValidationException", answer
        assert list(answer) == ["message"]
        return answer["message"]


def held_bytes() -> int:
    """Resident memory of this process, without what only waits to be given back.

    Always 0 where there is no /proc.
    """
    gc.collect()
    if not sys.platform.startswith("linux"):
        return 0
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
