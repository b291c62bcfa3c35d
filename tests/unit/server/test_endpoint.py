"""What an endpoint answers, and logs, where the storage does not serve."""

import asyncio
import json

import pytest

from hashrange.api.requests.pipeline import Pipeline
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.clock import SystemClock
from hashrange.observe.metrics import Metrics
from hashrange.server.endpoint import Endpoint
from hashrange.server.request_log import RequestLog
from hashrange.storage.engine import (
    ContendedError,
    KeyTooLongError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.writing.store import Store
from hashrange.wire.exchange import Request
from tests.crash.server import AUTHORIZATION


class BrokenEngine(DictEngine):
    """Reads nothing."""

    def __init__(self, error):
        super().__init__()
        self._error = error

    async def read(self, keys, **options):
        raise self._error


def answer(error):
    engine, clock, metrics = BrokenEngine(error), SystemClock(), Metrics()
    pipeline = Pipeline(Store(engine, clock), Catalog(engine), metrics.consumed)
    headers = {
        b"content-type": b"application/x-amz-json-1.0",
        b"x-amz-target": b"DynamoDB_20120810.DescribeTable",
        b"x-amz-date": b"20260101T000000Z",
        b"authorization": AUTHORIZATION.encode(),
    }
    request = Request(b"POST", b"/", b"", headers, b'{"TableName": "Orders"}')
    request_log = RequestLog(lambda: b"THE-ID", clock.monotonic_ns, 0)
    endpoint = Endpoint(pipeline, clock, metrics, request_log=request_log)
    response = asyncio.run(endpoint.respond(request))
    return response.status, json.loads(response.body)["__type"].rpartition("#")[2]


# Each failure is told where it happened. But the engine tells once that the disk is full: thousands
# of refusals a second would fill a disk with logs, and hide that one line.
@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (StorageError("the commit failed"), ["storage failed: the commit failed"]),
        (StorageUnavailableError("the disk is full"), []),
    ],
)
def test_a_storage_that_does_not_serve(error, lines, caplog):
    assert answer(error) == (500, "InternalServerError")
    assert [record.getMessage() for record in caplog.records] == lines


# What SDKs try again by themselves, and what they must not: nothing has happened in either case.
def test_a_write_that_others_outran_may_be_tried_again_and_a_key_too_long_not(caplog):
    assert answer(ContendedError("lost")) == (400, "ThrottlingException")
    assert answer(KeyTooLongError(2_600)) == (400, "ValidationException")
    assert caplog.records == []
