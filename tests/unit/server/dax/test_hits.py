"""Gets that arrive again are answered from the cache at once, as long as nothing else decides."""

import asyncio
import sys

import pytest

from hashrange.api.requests.disturbances import Faults
from hashrange.dax.cache.caches import Caches, Lifetimes
from hashrange.dax.cached.rows import cached_rows
from hashrange.dax.call_counts import CallCounts
from hashrange.dax.protocol.methods import METHODS
from hashrange.dax.protocol.session import Received
from hashrange.observe.metrics import Metrics
from hashrange.server.dax.attribute_lists import AttributeLists
from hashrange.server.dax.callers import Authorizer
from hashrange.server.dax.execution import Execution, PipelinePerformers
from hashrange.server.dax.facts import CallerFacts, CatalogSchemas
from hashrange.server.dax.hits import Hits
from hashrange.server.dax.recording import Recorder
from hashrange.server.dax.service import Client, Service
from hashrange.server.request_log import RequestLog
from hashrange.server.responses import request_ids
from hashrange.wire.cbor.reader import read_item
from tests.api.dax_session import AUTHORIZE, GET_ITEM, PUT_ITEM, signature
from tests.unit.api.dynamodb.still_server import TABLE, StillServer
from tests.unit.server.dax.test_recording import Audit

T = TABLE["TableName"]
TTL_MS = 1000
FRAMES_MAX = 14
"""Functions of a hit that is at hand; executed, it runs through some thirty."""


class Endpoint:
    """Two clusters, without sockets, on a server in memory."""

    def __init__(self, audit=None):
        self.server, self.metrics, self.audit = StillServer(transient_ms=0), Metrics(), audit
        server, self.counts = self.server, CallCounts()
        server.call("CreateTable", **TABLE, BillingMode="PAY_PER_REQUEST")
        lists = AttributeLists(server.engine)
        self._facts_of = lambda _caller: CallerFacts(CatalogSchemas(server.catalog), lists, "")
        self.caches = Caches(10**6, Lifetimes(TTL_MS, TTL_MS))
        self.service, self.client = self._serving(self.caches), Client()
        self.other = self._serving(Caches(10**6))
        signed, hexadecimal = signature("secret")
        arguments = ["local", hexadecimal, signed.encode(), None, None]
        self.answer(Received(AUTHORIZE, METHODS[AUTHORIZE], arguments))

    def _serving(self, caches):
        server = self.server
        rows = cached_rows(caches, server.now_ms, lambda *_: None)
        request_log = RequestLog(request_ids(bytes(39)), server.monotonic_ns, 0)
        return Service(
            Execution(
                PipelinePerformers(server.pipeline, rows),
                self._facts_of,
                asyncio.sleep,
                monotonic_ns=server.monotonic_ns,
            ),
            facts_of=self._facts_of,
            authorizer=Authorizer(server.now_ms, None),
            recorder=Recorder(
                self.metrics, server.monotonic_ns, request_log, self.audit, dax=self.counts
            ),
            hits=Hits(
                caches,
                server.pipeline,
                catalog_of=lambda _caller: server.catalog,
                scope_of=lambda _caller: "",
                now_ms=server.now_ms,
            ),
        )

    def put(self, value):
        self.server.call("PutItem", Item={"pk": {"S": "a"}, "v": {"N": value}})

    def at_hand(self, get):
        return self.service.at_hand(self.client, get)

    def answer(self, get, service=None):
        return self.server.run((service or self.service).respond(self.client, get))


@pytest.fixture
def endpoint():
    made = Endpoint()
    made.put("1")
    yield made
    made.server.end()


def get(parameters=None):
    return Received(GET_ITEM, METHODS[GET_ITEM], [T.encode(), b"a", parameters])


def hit(endpoint):
    """A get that was read, and then answered from the cache; and its answer."""
    received = get()
    assert endpoint.at_hand(received) is None
    answers = [endpoint.answer(received) for _ in range(2)]
    assert answers[0] == answers[1] == endpoint.at_hand(received)
    return received, answers[0]


def test_a_hit_is_at_hand_and_counts_as_one(endpoint):
    received, answer = hit(endpoint)
    (item,) = read_item(answer, 1)[0].values()
    assert item.endswith(b"\x01")
    hits, misses = endpoint.caches.items.hits, endpoint.caches.items.misses
    assert endpoint.at_hand(received) == answer
    assert (endpoint.caches.items.hits, endpoint.caches.items.misses) == (hits + 1, misses)
    assert endpoint.metrics.operations["GetItem"].codes == {"": 4}
    figures = endpoint.counts.figures()
    assert figures["dax_get_item_calls_total"] == figures["dax_calls_total"] == 4
    assert sum(figures["dax_call_seconds"].buckets) == 4
    assert figures["dax_failed_calls_total"] == 0


def test_a_hit_runs_through_few_functions(endpoint):
    received, _ = hit(endpoint)
    called = []

    def note(frame, event, _argument):
        if event == "call":
            called.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        endpoint.at_hand(received)
    finally:
        sys.setprofile(None)
    assert 0 < len(called) <= FRAMES_MAX, called


def test_an_entry_whose_time_is_over_is_not_at_hand(endpoint):
    received, answer = hit(endpoint)
    endpoint.put("2")
    endpoint.server.later(TTL_MS - 1)
    assert endpoint.at_hand(received) == answer
    endpoint.server.later(1)
    assert endpoint.at_hand(received) is None
    assert endpoint.answer(received) != answer


def test_what_was_written_through_the_cluster_is_not_at_hand(endpoint):
    received, answer = hit(endpoint)
    endpoint.answer(Received(PUT_ITEM, METHODS[PUT_ITEM], [T.encode(), b"a", b"\x01", None]))
    assert endpoint.at_hand(received) is None
    assert endpoint.answer(received) != answer


def test_a_table_of_the_same_name_is_another_table(endpoint):
    received, _ = hit(endpoint)
    endpoint.server.call("DeleteTable", TableName=T)
    endpoint.server.call("CreateTable", **TABLE, BillingMode="PAY_PER_REQUEST")
    assert endpoint.at_hand(received) is None
    assert read_item(endpoint.answer(received), 1)[0] == {}


# The same bytes are the same request for all of a process; what is cached of it is not.
def test_the_hit_of_another_cluster_is_not_at_hand(endpoint):
    received, answer = hit(endpoint)
    assert endpoint.other.at_hand(endpoint.client, received) is None
    endpoint.put("2")
    assert endpoint.answer(received, endpoint.other) != answer
    assert endpoint.answer(received) == answer


def test_a_strongly_consistent_read_is_never_at_hand(endpoint):
    _, answer = hit(endpoint)
    endpoint.put("2")
    received = get({2: 1})
    assert answer not in {endpoint.answer(received) for _ in range(3)}
    assert endpoint.at_hand(received) is None


def test_a_connection_that_was_refused_has_nothing_at_hand(endpoint):
    received, _ = hit(endpoint)
    endpoint.answer(Received(AUTHORIZE, METHODS[AUTHORIZE], [1, 2, 3, 4, 5]))
    assert endpoint.at_hand(received) is None


class Everything:
    """A policy that allows all."""

    def allow(self, _caller, operation, _checked, _tables):
        return operation.fit


class Patience:
    """Answers as they come."""

    def wrapped(self, _name, perform):
        return perform


@pytest.mark.parametrize(
    "decide",
    [
        lambda pipeline: pipeline.guard(Everything()),
        lambda pipeline: pipeline.limit(object()),
        lambda pipeline: pipeline.observe(object()),
        lambda pipeline: pipeline.disturb(faults=Faults([], lambda: 1.0), delay=None, lag=None),
        lambda pipeline: pipeline.disturb(faults=None, delay=Patience(), lag=None),
    ],
)
def test_where_something_decides_on_requests_none_is_at_hand(endpoint, decide):
    received, _ = hit(endpoint)
    decide(endpoint.server.pipeline)
    assert endpoint.at_hand(received) is None


def test_the_audit_log_has_hits():
    endpoint = Endpoint(Audit())
    hit(endpoint)
    assert len(endpoint.audit.request_ids) == 3
    endpoint.server.end()


def test_that_there_is_no_item_is_at_hand_too(endpoint):
    received = Received(GET_ITEM, METHODS[GET_ITEM], [T.encode(), b"b", None])
    answers = [endpoint.answer(received) for _ in range(2)]
    assert read_item(answers[0], 1)[0] == {}
    assert answers[0] == answers[1] == endpoint.at_hand(received)
