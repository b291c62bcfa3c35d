"""The pages beside the API, as the service and container platforms have them."""

import asyncio

import pytest

from hashrange.server.exchange import Request
from hashrange.server.pages import pages


def answer(method, path, *, reason=None, **headers):
    async def fault():
        return reason

    async def metrics():
        return b"metric 1\n"

    async def top():
        return b"{}"

    handler = pages(fault=fault, metrics=metrics, top=top, monotonic_ns=lambda: 0)
    named = {name.replace("_", "-").encode(): value for name, value in headers.items()}
    return asyncio.run(handler(Request(method, path, b"", named, b"")))


@pytest.mark.parametrize("path", [b"/", b"/ping"])
def test_health_as_the_service_says_it(path):
    health = answer(b"GET", path)
    assert health.status == 200
    assert health.body == b"healthy: dynamodb.us-east-1.amazonaws.com "


@pytest.mark.parametrize("path", [b"/health", b"/livez", b"/readyz"])
def test_probes(path):
    assert answer(b"GET", path).status == 200


def test_readiness_is_asked_for():
    refused = answer(b"GET", b"/readyz", reason="the disk is gone")
    assert (refused.status, refused.body) == (503, b"not ready: the disk is gone\n")
    assert answer(b"GET", b"/livez", reason="the disk is gone").status == 200


def test_snapshots_are_json():
    top = answer(b"GET", b"/top.json")
    assert (top.body, top.content_type) == (b"{}", b"application/json")


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
    "path",
    [b"/ping", b"/health", b"/livez", b"/readyz", b"/metrics", b"/top.json", b"/localnodes"],
)
def test_pages_answer_head_and_options(path):
    assert answer(b"HEAD", path) == answer(b"GET", path)
    methods = answer(b"OPTIONS", path)
    assert (methods.status, methods.body) == (200, b"")
    assert dict(methods.headers) == {b"Allow": b"GET, HEAD, OPTIONS"}


# Source: captures of the service; 29 bytes with this text.
@pytest.mark.parametrize(
    ("method", "path"),
    [
        (b"PUT", b"/"),
        (b"DELETE", b"/"),
        (b"HEAD", b"/"),
        (b"OPTIONS", b"/"),
        (b"GET", b"/elsewhere"),
        (b"POST", b"/elsewhere"),
        (b"POST", b"/metrics"),
    ],
)
def test_everything_else_is_not_found(method, path):
    missing = answer(method, path)
    assert (missing.status, missing.body) == (404, b"<UnknownOperationException/>\n")


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
