"""Heads that are remembered: no request is answered otherwise for what came before it."""

import asyncio
import itertools
import random

import msgspec
import pytest

from hashrange.limits.server import REQUEST_HEAD_BYTES_MAX, REQUEST_HEADS_MAX
from hashrange.observe.metrics import Metrics
from hashrange.server.endpoint import Endpoint
from hashrange.server.heads import HeadReader
from hashrange.server.request_log import RequestLog
from hashrange.server.verified_heads import significant_headers
from hashrange.wire.exchange import Request
from tests.unit.garbage import no_garbage
from tests.unit.server.harness import StillClock

JSON = b"application/x-amz-json-1.0"
TARGET = b"DynamoDB_20120810."
DATE = b"20261121T100000Z"


class Mirror:
    """A pipeline that answers what it was asked."""

    def __init__(self):
        self.epoch = 0
        self.asked = 0

    def performer(self, name, caller):
        self.asked += 1

        async def perform(_request):
            return [name, caller.account, caller.region, caller.host]

        return perform


def start(access_key="local", region="us-east-1", signed="host;x-amz-date"):
    credential = f"{access_key}/20261121/{region}/dynamodb/aws4_request"
    return f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={signed}, ".encode()


VALUES = {
    b"content-type": (JSON, b"application/json", JSON + b"; charset=utf-8", b"text/plain", None),
    b"x-amz-target": (TARGET + b"GetItem", TARGET + b"PutItem", TARGET + b"NoSuchOperation", None),
    b"host": (b"localhost:8000", b"dynamodb", None),
    b"x-amz-date": (DATE, b"20261121T100001Z", b"yesterday", None),
    "start": (
        start(),
        start(access_key="123456789012"),
        start(region="eu-west-1"),
        start(region="*"),
        start(signed="x-amz-date"),
        start().replace(b", ", b" "),
        b"Bearer ",
    ),
    "signature": (b"0" * 64, b"y", b"", b"a=", b"a,b", b"a, Credential=b", None),
    "query": (b"", b"x=1", b"X-Amz-Algorithm=AWS4-HMAC-SHA256"),
    "body": (b"{}", b'{"TableName": "a"}', b'{"TableName": 1}', b"[", b""),
}


def request(choices):
    head = {name: choices[name] for name in VALUES if isinstance(name, bytes)}
    if choices["signature"] is not None:
        head[b"authorization"] = choices["start"] + b"Signature=" + choices["signature"]
    headers = {name: value for name, value in head.items() if value is not None}
    return Request(b"POST", b"/", choices["query"], headers, choices["body"])


def usual(changed=()):
    return request({**{name: values[0] for name, values in VALUES.items()}, **dict(changed)})


def new_endpoint(pipeline=None):
    clock = StillClock()
    request_log = RequestLog(lambda: b"ID", clock.monotonic_ns, 0)
    return Endpoint(pipeline or Mirror(), clock, Metrics(), request_log=request_log)


def answered(endpoint, asked):
    return asyncio.run(endpoint.respond(asked))


# One after the other, most of them one change away from what all clients send, each twice or more.
@pytest.mark.parametrize("seed", range(5))
def test_an_answer_does_not_depend_on_what_came_before(seed):
    noise = random.Random(seed)
    warm = new_endpoint()
    for _ in range(400):
        choices = {
            name: noise.choice(values) if noise.randrange(8) == 0 else values[0]
            for name, values in VALUES.items()
        }
        assert answered(warm, request(choices)) == answered(new_endpoint(), request(choices))


def two_values():
    for name, values in VALUES.items():
        for value in values[1:]:
            yield {name: value}


# Each difference alone, right behind the usual head, and the usual one behind it.
@pytest.mark.parametrize("changed", list(two_values()), ids=str)
def test_two_requests_that_differ_in_one_thing(changed):
    expected = [answered(new_endpoint(), usual()), answered(new_endpoint(), usual(changed))]
    warm = new_endpoint()
    found = [answered(warm, usual(more)) for more in ({}, changed, {}, changed)]
    assert found == expected * 2


def read(heads, asked, epoch=0):
    """As an endpoint reads: by the key, if there is one."""
    begun, _, signature = asked.headers[b"authorization"].rpartition(b"=")
    key = (significant_headers(asked.headers), begun, signature.isalnum(), asked.query, epoch)
    return heads.cache.get(key) or heads.read(asked, key)


# Of an SDK's requests the signature alone differs, and the body.
def test_what_sdks_send_is_read_once():
    heads = HeadReader(Mirror(), Metrics())
    first = read(heads, usual())
    assert first.caller.region == "us-east-1"
    signatures = [f"{number:064x}".encode() for number in range(10)]
    assert all(
        read(heads, usual({"signature": each, "body": b"x"})) is first for each in signatures
    )
    assert len(heads.cache) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {b"content-type": b"text/plain", "body": b""},
        {"signature": b"a-b"},
        {"query": b"x=1"},
        {"start": start().replace(b", ", b" ")},
        {"start": start(signed="host;" + "x" * REQUEST_HEAD_BYTES_MAX)},
        {b"host": b"h" * REQUEST_HEAD_BYTES_MAX},
        {b"x-amz-date": b"yesterday"},
        {"start": start(region="*")},
        {b"x-amz-target": TARGET + b"NoSuchOperation"},
    ],
    ids=lambda changed: str(changed)[:50],
)
def test_what_is_not_usual_is_read_each_time(changed):
    heads = HeadReader(Mirror(), Metrics())
    assert read(heads, usual(changed)) is not None
    assert len(heads.cache) == 0


# A policy that changed may have another say about who was let pass.
def test_heads_of_another_epoch_are_read_anew():
    heads = HeadReader(Mirror(), Metrics())
    first = read(heads, usual())
    assert read(heads, usual(), epoch=1) is not first
    pipeline = Mirror()
    endpoint = new_endpoint(pipeline)
    for epoch, asked in (0, 1), (0, 1), (1, 2):
        pipeline.epoch = epoch
        answered(endpoint, usual())
        assert pipeline.asked == asked


def test_no_more_are_kept_than_may_be():
    heads, sizes = HeadReader(Mirror(), Metrics()), []
    for number in range(2 * REQUEST_HEADS_MAX + 10):
        read(heads, usual({b"host": str(number).encode()}))
        sizes.append(len(heads.cache))
    assert max(sizes) == REQUEST_HEADS_MAX
    assert heads.cache


# A body that is no JSON is told before the head, no body at all after it. Source: a public suite
# that passes on the service.
@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({b"x-amz-target": b"x"}, "UnknownOperationException"),
        ({b"x-amz-target": TARGET + b"NoSuchOperation"}, "UnknownOperationException"),
        ({b"x-amz-date": b"yesterday"}, "IncompleteSignatureException"),
        ({}, "SerializationException"),
    ],
)
def test_no_body_is_told_after_the_head(changed, fault):
    for body, told in {b"": fault, b"{": "SerializationException"}.items():
        response = answered(new_endpoint(), usual({**changed, "body": body}))
        assert msgspec.json.decode(response.body)["__type"].endswith(f"#{told}")


# Whatever was refused is counted by its operation, and by its fault, but not under a name that the
# API does not have.
def test_refused_heads_are_counted():
    metrics = Metrics()
    clock = StillClock()
    request_log = RequestLog(lambda: b"ID", clock.monotonic_ns, 0)
    endpoint = Endpoint(Mirror(), clock, metrics, request_log=request_log)
    targets = (TARGET + b"GetItem", TARGET + b"NoSuchOperation", b"x", TARGET + b"Made\nUp")
    for target, date in itertools.product(targets, (DATE, b"yesterday")):
        answered(endpoint, usual({b"x-amz-target": target, b"x-amz-date": date}))
    assert {name: counts.codes for name, counts in metrics.operations.items()} == {
        "GetItem": {"": 1, "IncompleteSignatureException": 1},
        "unknown": {"UnknownOperationException": 6},
    }


@pytest.mark.parametrize("changed", list(two_values()), ids=str)
def test_requests_leave_no_cycles_of_references(changed):
    endpoint = new_endpoint()
    respond = endpoint.respond(usual(changed))
    first = asyncio.run(respond)
    with no_garbage():
        for _ in range(5):
            respond = endpoint.respond(usual(changed))
            with pytest.raises(StopIteration) as ended:
                respond.send(None)
            assert ended.value.value == first
            del respond, ended
