"""What is logged of requests, and the id that client and operator share."""

import asyncio
import json
import logging

import pytest

from hashrange.api.requests.pipeline import Pipeline
from hashrange.observe.metrics import Metrics
from hashrange.server.endpoint import Endpoint
from hashrange.server.request_log import SLOW_LINES, RequestLog
from hashrange.server.responses import request_ids
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.writing.store import Store
from hashrange.wire.exchange import Request, target_of
from tests.crash.server import AUTHORIZATION
from tests.unit.server.harness import StillClock, connected, serving

MS = 1_000_000


class Clock(StillClock):
    """Stands still."""

    def new_uuid(self):
        return "00000000-0000-4000-8000-000000000000"


class Steps(Clock):
    """Each look at the clock takes a step, so that each request takes one."""

    def __init__(self, step_ms):
        super().__init__()
        self.step_ms = step_ms
        self.looks = 0

    def monotonic_ns(self):
        self.looks += 1
        return self.looks * self.step_ms * MS


def sent(operation, body):
    headers = {
        b"content-type": b"application/x-amz-json-1.0",
        b"x-amz-target": target_of(operation),
        b"x-amz-date": b"20260101T000000Z",
        b"authorization": AUTHORIZATION.encode(),
    }
    return Request(b"POST", b"/", b"", headers, json.dumps(body).encode())


def endpoint_of(clock, slow_ms, pipeline=None):
    engine = SqliteEngine.open(None)
    metrics = Metrics()
    pipeline = pipeline or Pipeline(Store(engine, clock), Catalog(engine), metrics.consumed)
    request_log = RequestLog(request_ids(bytes(39)), clock.monotonic_ns, slow_ms)
    return Endpoint(pipeline, clock, metrics, request_log=request_log)


def fields(record):
    return {
        name: value
        for name, value in vars(record).items()
        if name in {"request_id", "operation", "tables", "status", "fault", "duration_ms"}
    }


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.DEBUG, "hashrange")
    caplog.set_level(logging.INFO, "hashrange.requests")
    return caplog


def test_a_slow_request_is_one_line_with_the_id_of_its_answer(logged):
    endpoint = endpoint_of(Steps(1000), 1000)
    response = asyncio.run(endpoint.respond(sent("DescribeTable", {"TableName": "Orders"})))
    (record,) = logged.records
    assert (record.levelname, record.name) == ("WARNING", "hashrange.requests")
    assert record.getMessage() == "slow request"
    assert fields(record) == {
        "request_id": response.request_id.decode(),
        "operation": "DescribeTable",
        "tables": "Orders",
        "status": 400,
        "fault": "ResourceNotFoundException",
        "duration_ms": 1000.0,
    }
    assert len(response.request_id) == 52


@pytest.mark.parametrize("slow_ms", [0, 1001])
def test_other_requests_are_not_logged(slow_ms, logged):
    endpoint = endpoint_of(Steps(1000), slow_ms)
    response = asyncio.run(endpoint.respond(sent("ListTables", {})))
    assert (response.status, response.request_id, logged.records) == (200, b"", [])


# Where everything is slow, a line for each request would make it slower.
def test_slow_requests_are_a_few_lines_a_second(logged):
    clock = Steps(5)
    endpoint = endpoint_of(clock, 5)
    for _ in range(SLOW_LINES + 5):
        asyncio.run(endpoint.respond(sent("ListTables", {})))
    clock.looks += 1000
    asyncio.run(endpoint.respond(sent("ListTables", {})))
    assert [record.getMessage() for record in logged.records] == [
        *["slow request"] * SLOW_LINES,
        "slow request, the last of 6",
    ]


def test_debug_logs_every_request(caplog):
    caplog.set_level(logging.DEBUG, "hashrange.requests")
    endpoint = endpoint_of(Clock(), 1000)
    response = asyncio.run(endpoint.respond(sent("ListTables", {})))
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == ("DEBUG", "request")
    assert fields(record) == {
        "request_id": response.request_id.decode(),
        "operation": "ListTables",
        "status": 200,
        "duration_ms": 0.0,
    }


class DefectivePipeline:
    """Fails as no operation should."""

    epoch = 0

    def performer(self, *_):
        return self.perform

    async def perform(self, _request):
        raise KeyError("secret")


# What a client reports is the id; the log must have it beside the reason.
def test_the_id_of_a_failure_goes_over_the_wire(run, logged):
    async def main():
        endpoint = endpoint_of(Clock(), 0, DefectivePipeline())
        async with serving(endpoint.respond) as server, connected(server) as client:
            body = b"{}"
            client.send(
                b"POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-amz-json-1.0\r\n"
                b"X-Amz-Target: %b\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: %b\r\n"
                b"Content-Length: 2\r\n\r\n%b"
                % (target_of("ListTables"), AUTHORIZATION.encode(), body)
            )
            return await client.answer()

    answer = run(main)
    assert answer.status == 500
    (record,) = [each for each in logged.records if each.levelname == "ERROR"]
    assert record.getMessage() == "a request failed"
    assert fields(record) == {
        "request_id": answer.headers["x-amzn-requestid"],
        "operation": "ListTables",
    }
    assert "secret" not in record.getMessage()
