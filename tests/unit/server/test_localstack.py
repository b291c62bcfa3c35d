"""The pages that programs written for LocalStack read."""

import asyncio
import json

import pytest

import hashrange
from hashrange.server.localstack import localstack_pages
from hashrange.server.pages import pages
from hashrange.wire.exchange import Request


class Clock:
    """One that has run for 90.5 s since its pages were made."""

    def __init__(self):
        self._readings_ns = iter([1_000_000_000, 91_500_000_000])

    def monotonic_ns(self):
        return next(self._readings_ns)

    def now_ms(self):
        return 1_795_521_069_123

    def new_uuid(self):
        return "a session"


def answer(path, *, reason=None, method=b"GET"):
    async def fault():
        return reason

    handler = pages(localstack_pages(fault, Clock()))
    return asyncio.run(handler(Request(method, path, b"", {}, b"")))


@pytest.mark.parametrize(("reason", "state"), [(None, "running"), ("the disk is gone", "error")])
def test_health(reason, state):
    health = answer(b"/_localstack/health", reason=reason)
    assert (health.status, health.content_type) == (200, b"application/json")
    told = json.loads(health.body)
    assert told["services"]["dynamodb"] == told["services"]["dynamodbstreams"] == state
    assert (told["edition"], told["version"]) == ("community", hashrange.__version__)
    assert "s3" not in told["services"]


# Probes of containers wait for it with HEAD.
def test_health_is_probed():
    assert answer(b"/_localstack/health", method=b"HEAD").status == 200


def test_init():
    told = json.loads(answer(b"/_localstack/init").body)
    assert told == {
        "completed": {"BOOT": True, "START": True, "READY": True, "SHUTDOWN": False},
        "scripts": [],
    }
    assert json.loads(answer(b"/_localstack/init/ready").body) == {"completed": True, "scripts": []}
    assert json.loads(answer(b"/_localstack/init/shutdown").body)["completed"] is False
    assert answer(b"/_localstack/init/other").status == 404


def test_info():
    told = json.loads(answer(b"/_localstack/info").body)
    assert told["uptime"] == 90
    assert told["session_id"] == "a session"
    assert told["server_time_utc"] == "2026-11-24T11:51:09Z"
    assert told["is_license_activated"] is False
