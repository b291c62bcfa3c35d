"""The pages beside the API, as the service and container platforms have them."""

import asyncio
import gzip

import pytest

from hashrange.server.pages import operator_pages, pages
from hashrange.wire.exchange import Request
from tests.pace import turns


def answer(method, path, *, reason=None, notes=(), token=None, **headers):
    async def fault():
        return reason

    async def metrics():
        return b"metric 1\n"

    async def top():
        return b"{}"

    rows = operator_pages(
        fault=fault,
        metrics=metrics,
        top=top,
        monotonic_ns=lambda: 0,
        notes=lambda: notes,
        token=token,
    )
    handler = pages(rows)
    named = {name.replace("_", "-").encode(): value for name, value in headers.items()}
    return asyncio.run(handler(Request(method, path, b"", named, b"")))


@pytest.mark.parametrize("path", [b"/", b"/ping"])
def test_health_as_the_service_says_it(path):
    health = answer(b"GET", path)
    assert health.status == 200
    assert health.body == b"healthy: dynamodb.us-east-1.amazonaws.com "


def test_readiness_is_asked_for():
    refused = answer(b"GET", b"/readyz", reason="the disk is gone")
    assert (refused.status, refused.body) == (503, b"not ready: the disk is gone\n")
    assert answer(b"GET", b"/livez", reason="the disk is gone").status == 200


def test_a_server_that_is_ready_may_have_a_warning():
    ready = answer(b"GET", b"/readyz", notes=["a failover may lose writes"])
    assert (ready.status, ready.body) == (200, b"ok, but:\na failover may lose writes\n")


# Figures name tables and keys, and how busy they are.
@pytest.mark.parametrize("path", [b"/metrics", b"/top.json"])
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 401),
        ({"authorization": b"Bearer another token 1"}, 401),
        ({"authorization": b"the token of the operator"}, 401),
        ({"authorization": b"Bearer the-token-of-the-operator"}, 200),
    ],
)
def test_figures_are_for_those_who_have_the_token(path, sent, status):
    refused = answer(b"GET", path, token="the-token-of-the-operator", **sent)
    assert refused.status == status
    assert answer(b"GET", b"/readyz", token="the-token-of-the-operator").status == 200


def test_metrics_are_prometheus_text():
    metrics = answer(b"GET", b"/metrics")
    assert metrics.body == b"metric 1\n"
    assert metrics.content_type.startswith(b"text/plain; version=0.0.4")


@pytest.mark.parametrize(
    ("host", "node"),
    [(b"db.example:8000", b"db.example"), (b"10.0.0.1", b"10.0.0.1"), (b"[::1]:8000", b"[::1]")],
)
def test_local_nodes_are_where_the_client_was(host, node):
    assert answer(b"GET", b"/localnodes", host=host).body == b'["' + node + b'"]'


# Health checks use them: `wget --spider` sends HEAD, some balancers send OPTIONS.
@pytest.mark.parametrize(
    "path", [b"/ping", b"/health", b"/livez", b"/readyz", b"/metrics", b"/top.json", b"/localnodes"]
)
def test_pages_answer_head_and_options(path):
    assert answer(b"HEAD", path) == answer(b"GET", path)
    methods = answer(b"OPTIONS", path)
    assert (methods.status, methods.body) == (200, b"")
    assert dict(methods.headers) == {b"Allow": b"GET, HEAD, OPTIONS"}


def test_preflight_allows_what_was_asked_for():
    preflight = answer(
        b"OPTIONS",
        b"/",
        origin=b"http://localhost",
        access_control_request_method=b"POST",
        access_control_request_headers=b"x-amz-target, authorization",
    )
    assert (preflight.status, preflight.body) == (200, b"")
    assert dict(preflight.headers) == {
        b"Access-Control-Max-Age": b"172800",
        b"Access-Control-Allow-Methods": b"POST",
        b"Access-Control-Allow-Headers": b"x-amz-target, authorization",
    }
    assert dict(answer(b"OPTIONS", b"/", origin=b"x").headers) == {
        b"Access-Control-Max-Age": b"172800"
    }


class Counted:
    """Pages whose metrics are made slowly, and counted."""

    def __init__(self):
        self.now_ns = self.made = 0
        self.gate = asyncio.Event()
        self.gate.set()
        make, now = self._make, lambda: self.now_ns
        self.handler = pages(operator_pages(fault=make, metrics=make, top=make, monotonic_ns=now))

    async def _make(self):
        await self.gate.wait()
        self.made += 1
        if self.made == 3:
            raise OSError
        return b"%d " % self.made * 3000

    async def metrics(self, accepted=b"identity"):
        headers = {b"accept-encoding": accepted}
        return await self.handler(Request(b"GET", b"/metrics", b"", headers, b""))


# Anybody may ask for them without end.
def test_metrics_are_made_once_a_second():
    async def main():
        counted = Counted()
        first = await counted.metrics()
        packed = await counted.metrics(b"gzip")
        assert gzip.decompress(packed.body) == first.body
        assert packed.headers == ((b"Content-Encoding", b"gzip"),)
        counted.now_ns = 999_999_999
        assert await counted.metrics() is first
        assert await counted.metrics(b"gzip") is packed
        counted.now_ns = 1_000_000_000
        counted.gate.clear()
        waiting = asyncio.gather(*(counted.metrics(each) for each in (b"gzip", b"identity")))
        await turns()
        counted.gate.set()
        packed, plain = await waiting
        assert gzip.decompress(packed.body) == plain.body == b"2 " * 3000
        assert counted.made == 2

    asyncio.run(main())


def test_metrics_that_cannot_be_made_are_made_again():
    async def main():
        counted = Counted()
        counted.made = 2
        counted.gate.clear()
        waiting = asyncio.gather(counted.metrics(), counted.metrics(), return_exceptions=True)
        await turns()
        counted.gate.set()
        failed, made = await waiting
        assert isinstance(failed, OSError)
        assert made.body == b"4 " * 3000

    asyncio.run(main())
