"""Counts the Python functions that one request runs through, on a server with SQLite on disk.

`python -m tests.unit.server.request_frames put` prints them in their order; the other rows are in
REQUESTS.
"""

import contextlib
import gc
import json
import sys
import tempfile
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from bench.asking import headers, target_header
from bench.hot_paths import StillClock
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.request_shapes import ShapeCache
from hashrange.background.index_jobs import index_jobs
from hashrange.bounded_cache import BoundedCache
from hashrange.observe.metrics import Metrics
from hashrange.server.connection import Connection
from hashrange.server.endpoint import Endpoint
from hashrange.server.loop import new_loop
from hashrange.server.request_log import RequestLog
from hashrange.server.response_writer import ResponseWriter
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.writing.store import Store
from tests.api.indexes import index_of
from tests.api.tables import keyed
from tests.unit.background.still_turns import unhurried
from tests.unit.server.harness import connected, serving

TABLE = "Frames"
_KEY = {"p": {"S": "p-00000001"}, "s": {"S": "s-000001"}}
_SCHEMA = {"TableName": TABLE, **keyed(p="S", s="S")}
_ADD_ONE = {
    "Key": _KEY,
    "UpdateExpression": "SET #n = #n + :one",
    "ExpressionAttributeNames": {"#n": "n"},
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}


def _put(number):
    return {"Item": {**_KEY, "n": {"N": str(number)}, "v": {"S": "v" * 220}}}


def _get(_number):
    return {"Key": _KEY}


def _update(_number):
    return _ADD_ONE


def _update_with_condition(_number):
    values = {**_ADD_ONE["ExpressionAttributeValues"], ":zero": {"N": "0"}}
    return {
        **_ADD_ONE,
        "ConditionExpression": "attribute_exists(p) AND #n >= :zero",
        "ExpressionAttributeValues": values,
        "ReturnValues": "UPDATED_NEW",
    }


def _query(_number):
    return {"KeyConditionExpression": "p = :p", "ExpressionAttributeValues": {":p": _KEY["p"]}}


REQUESTS = {
    "put": ("PutItem", _put),
    "get": ("GetItem", _get),
    "update": ("UpdateItem", _update),
    "update-condition": ("UpdateItem", _update_with_condition),
    "query": ("Query", _query),
    "put-index": ("PutItem", _put),
    "put-stream": ("PutItem", _put),
    "put-index-stream": ("PutItem", _put),
    "put-time-to-live": ("PutItem", _put),
    "update-index-stream": ("UpdateItem", _update),
}
"""The operation of each row, and its request: an item that is put is another one each time."""

_INDEX = {
    "AttributeDefinitions": [
        *_SCHEMA["AttributeDefinitions"],
        {"AttributeName": "n", "AttributeType": "N"},
    ],
    "GlobalSecondaryIndexes": [index_of("by-n", "s", sort=("n",))],
}
_STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
_TABLES = {"index": _INDEX, "stream": _STREAM, "index-stream": {**_INDEX, **_STREAM}}
"""The members of CreateTable for the tables of some rows, by the end of the row's name."""
_TIME_TO_LIVE = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "n"}}


@dataclass
class RequestFrames:
    """The functions that ran, as pairs of module and name, from the first bytes to the answer."""

    called: list[tuple[str, str]] = field(default_factory=list)

    @property
    def count(self):
        return len(self.called)

    @property
    def changes(self):
        """How often a function belongs to another module than the one before it."""
        return sum(before != after for (before, _), (after, _) in pairwise(self.called))


_ENDS = (ResponseWriter.flush.__code__, Connection._wake.__code__)  # noqa: SLF001


class _Counter:
    """Notes calls from `Connection.data_received` until the answer is written.

    That is the end of `ResponseWriter.flush`, or of `Connection._wake` for the only write of a
    group.

    Functions of the event loop and of the client are not those of a request. A coroutine that goes
    on is called once more.
    """

    def __init__(self):
        self.frames = RequestFrames()
        self._is_on = False

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if event == "call":
            if code is Connection.data_received.__code__:
                self._is_on = True
            module = frame.f_globals["__name__"]
            if self._is_on and not module.startswith(("asyncio", "tests", "bench")):
                self.frames.called.append((module, code.co_qualname))
        elif event == "return" and code in _ENDS:
            self._is_on = False


def _forget_shapes():
    """Empty the caches of the process, in which other tests may have left no room."""
    modules = [module for name, module in sys.modules.items() if name.startswith("hashrange.")]
    for value in [value for module in modules for value in vars(module).values()]:
        if isinstance(value, BoundedCache | ShapeCache):
            value.clear()


def _sent(operation, body):
    """A request with the headers of an SDK, its operation and table."""
    data = json.dumps({"TableName": TABLE, **body}).encode()
    lines = {
        "Host": "127.0.0.1:8000",
        "Accept-Encoding": "identity",
        "Content-Length": str(len(data)),
        **headers(),
        "X-Amz-Target": target_header(operation),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST / HTTP/1.1\r\n{head}\r\n".encode() + data


@contextlib.asynccontextmanager
async def _asking(directory):
    """A function that sends one request and gives the body of its answer, and the indexer."""
    clock, metrics = StillClock(), Metrics()
    engine = SqliteEngine.open(directory, monotonic_ns=clock.monotonic_ns, now_ms=clock.now_ms)
    try:
        catalog = Catalog(engine)
        pipeline = Pipeline(Store(engine, clock), catalog, metrics.consumed)
        request_log = RequestLog(lambda: b"0" * 52, clock.monotonic_ns, 1000)
        endpoint = Endpoint(pipeline, clock, metrics, request_log=request_log)
        async with serving(endpoint.respond) as server, connected(server) as client:

            async def ask(operation, body):
                client.send(_sent(operation, body))
                answer = await client.answer()
                assert answer.status == 200, answer.body
                return json.loads(answer.body)

            yield ask, index_jobs(engine, catalog, unhurried())
    finally:
        engine.close()


async def _counted(ask, row, number):
    """The frames of one request."""
    operation, body = REQUESTS[row]
    counter = _Counter()
    gc.disable()  # a collection calls others: pytest plugins, finalizers of other tests
    sys.setprofile(counter)
    try:
        await ask(operation, body(number))
    finally:
        sys.setprofile(None)
        gc.enable()
    return counter.frames


def measured(directory, row):
    """The frames of the first request of a shape, and those of a later one.

    The connection, the operation, the caller and the table are known before both.
    """

    async def main():
        async with _asking(directory) as (ask, indexer):
            _, _, kind = row.partition("-")
            await ask("CreateTable", {**_SCHEMA, **_TABLES.get(kind, {})})
            if kind == "time-to-live":
                await ask("UpdateTimeToLive", _TIME_TO_LIVE)
                await indexer.work()
            await _counted(ask, "put", 0)
            for number in (1, 2):
                await _counted(ask, row, number)
            _forget_shapes()
            first = await _counted(ask, row, 3)
            await _counted(ask, row, 4)
            return first, await _counted(ask, row, 5)

    with contextlib.closing(new_loop()) as loop:
        return loop.run_until_complete(main())


def _listing(row):
    with tempfile.TemporaryDirectory() as directory:
        first, known = measured(Path(directory), row)
    for name, frames in (("first", first), ("known", known)):
        yield f"{row}, {name}: {frames.count} frames, {frames.changes} changes of module\n"
        for module, function in frames.called:
            yield f"    {module.removeprefix('hashrange.'):40}{function}\n"


if __name__ == "__main__":
    sys.stdout.writelines(_listing(sys.argv[1]))
