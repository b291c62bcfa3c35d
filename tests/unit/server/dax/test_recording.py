"""What the logs have of calls."""

import asyncio
import logging

import pytest

from hashrange.dax.call_counts import CallCounts
from hashrange.dax.protocol.methods import METHODS
from hashrange.dax.protocol.session import Received
from hashrange.errors import DynamoError, Fault
from hashrange.observe.metrics import Metrics
from hashrange.server.dax.callers import Authorizer
from hashrange.server.dax.recording import Recorder
from hashrange.server.dax.service import Client, Service
from hashrange.server.request_log import RequestLog
from hashrange.server.responses import request_ids
from hashrange.wire.cbor import encoding as cbor
from tests.api.dax_session import AUTHORIZE, GET_ITEM, signature
from tests.unit.dax.protocol.facts import FACTS
from tests.unit.server.test_request_log import Steps

STEP_MS = 1000
HIT = b"\x80\xa0"


class Facts:
    """Those of tests, which are all known."""

    def __getattr__(self, name):
        return getattr(FACTS, name)

    async def known(self, ask):
        return ask()


class Audit:
    """Keeps what it is to record."""

    def __init__(self):
        self.request_ids = []

    def record(self, _request, _operation, _caller, response):
        self.request_ids.append(response.request_id)
        return response


def answer_of(slow_ms, execute, audit=None):
    """The answer to a get that takes a second."""
    clock = Steps(STEP_MS)
    request_log = RequestLog(request_ids(bytes(39)), clock.monotonic_ns, slow_ms)
    service = Service(
        execute,
        facts_of=lambda _: Facts(),
        authorizer=Authorizer(lambda: 0, None),
        recorder=Recorder(Metrics(), clock.monotonic_ns, request_log, audit, dax=CallCounts()),
    )
    signed, hexadecimal = signature("secret")
    authorize = ["local", hexadecimal, signed.encode(), None, None]

    async def main():
        client = Client()
        await service.respond(client, Received(AUTHORIZE, METHODS[AUTHORIZE], authorize))
        get = Received(GET_ITEM, METHODS[GET_ITEM], [b"flat", b"k", None])
        return await service.respond(client, get)

    return asyncio.run(main())


async def hit(_call, _caller):
    return HIT


async def refused(_call, _caller):
    raise DynamoError(Fault.THROUGHPUT_EXCEEDED, "later")


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.INFO, "hashrange.requests")
    return caplog


def test_a_slow_call_is_one_line_as_a_request_is(logged):
    assert answer_of(STEP_MS, hit) == HIT
    (record,) = logged.records
    assert (record.levelname, record.getMessage()) == ("WARNING", "slow request")
    fields = vars(record)
    assert (fields["operation"], fields["tables"], fields["status"]) == ("GetItem", "flat", 200)
    assert (fields["duration_ms"], fields["bytes_sent"]) == (1000.0, len(HIT))
    assert "bytes_received" not in fields
    assert len(fields["request_id"]) == 52


@pytest.mark.parametrize("slow_ms", [0, STEP_MS + 1])
def test_other_calls_are_not_logged(slow_ms, logged):
    assert answer_of(slow_ms, hit) == HIT
    assert not logged.records


# What a client reports is the id; both logs must have it beside the reason.
def test_a_refusal_has_the_id_of_its_answer(logged):
    audit = Audit()
    answer = answer_of(STEP_MS, refused, audit)
    (record,) = logged.records
    fields = vars(record)
    fault = "ProvisionedThroughputExceededException"
    assert (fields["status"], fields["fault"]) == (400, fault)
    assert cbor.text(fields["request_id"]) in answer
    assert audit.request_ids == [fields["request_id"].encode()]
