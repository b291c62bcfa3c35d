"""An overloaded server as an SDK meets it: refused early, tried again, done."""

import asyncio
import json
import re
import threading
import urllib.request

import boto3
import botocore.endpoint
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from hashrange.assembly.assemble import running
from hashrange.clock import SystemClock
from hashrange.settings.settings import Settings
from hashrange.storage.sqlite.write_queue import WriteQueue
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.crash.server import AUTHORIZATION
from tests.pace import seconds


class Overloaded:
    """A server whose loop does not come to its writes: they wait until `let_go`."""

    def __init__(self, waiting_writes_max):
        self._ready = threading.Event()
        self._settings = Settings(port=0, memory=True, waiting_writes_max=waiting_writes_max)
        self._held = []
        self._holds = False
        self._thread = threading.Thread(target=asyncio.run, args=(self._run(),), daemon=True)
        self._thread.start()
        assert self._ready.wait(seconds(20)), "the server did not start"

    async def _run(self):
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        call_soon = self._loop.call_soon

        def held(callback, *arguments, **options):
            if self._holds and getattr(callback, "__self__", None).__class__ is WriteQueue:
                self._held.append((callback, arguments))
                return None
            return call_soon(callback, *arguments, **options)

        self._loop.call_soon = held
        async with running(self._settings) as self.endpoint:
            self._ready.set()
            await self._stop.wait()

    def hold(self):
        """The disk takes its time from now on."""
        self._holds = True

    def let_go(self):
        """The disk is back."""
        self._holds = False
        while self._held:
            callback, arguments = self._held.pop()
            self._loop.call_soon_threadsafe(callback, *arguments)

    def close(self):
        self.let_go()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(seconds(20))


@pytest.fixture
def server():
    server = Overloaded(2)
    yield server
    server.close()


def create(client):
    client.create_table(TableName="Orders", **keyed(p="S"))


def put(client, key):
    return client.put_item(TableName="Orders", Item={"p": {"S": key}})


# A write that comes too late is told so at once, with what SDKs retry; reads go on.
@pytest.mark.long
@pytest.mark.parametrize("mode", ["standard", "legacy"])
def test_late_writes_are_refused_and_retries_succeed(server, monkeypatch, mode):
    waits = []
    monkeypatch.setattr(botocore.endpoint.time, "sleep", waits.append)
    plain = client_of(server.endpoint)
    create(plain)
    server.hold()
    first = [threading.Thread(target=put, args=(plain, f"first{each}")) for each in range(2)]
    for thread in first:
        thread.start()
    until_shown("hashrange_engine_write_queue_length 2.0", server.endpoint)

    with pytest.raises(ClientError) as refused:
        put(plain, "late")
    assert refused.value.response["Error"] == {
        "Code": "ServiceUnavailable",
        "Message": "The server has more writes to do than it can do soon; try again later",
    }
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503
    assert "Item" not in plain.get_item(TableName="Orders", Key={"p": {"S": "late"}})

    def wait(_seconds):
        """Where the SDK would wait, the disk comes back."""
        server.let_go()
        for thread in first:
            thread.join(seconds(20))

    monkeypatch.setattr(botocore.endpoint.time, "sleep", wait)
    retrying = boto3.client(
        "dynamodb",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(retries={"mode": mode, "max_attempts": 3}),
    )
    answer = put(retrying, "retried")
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    for key in ("first0", "first1", "retried"):
        assert "Item" in plain.get_item(TableName="Orders", Key={"p": {"S": key}})
    # One of the client that retries, and both of the client that retries once.
    until_shown("hashrange_engine_writes_refused_total 3.0", server.endpoint)


def until_shown(line, endpoint):
    for _ in range(10_000):
        with urllib.request.urlopen(f"{endpoint}/metrics") as response:
            if line in response.read().decode():
                return
    raise AssertionError(f"never: {line}")


class Hasty(SystemClock):
    """A clock each of whose looks comes 20 ms after the look before."""

    def __init__(self):
        self._looks = 0

    def monotonic_ns(self):
        self._looks += 1
        return self._looks * 20_000_000


async def answers(requests, *, waiting_ms_max):
    """Statuses and bodies of requests that arrive in one piece, and the figures afterwards."""
    settings = Settings(port=0, memory=True, waiting_ms_max=waiting_ms_max)
    async with running(settings, clock=Hasty()) as endpoint:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", int(endpoint.rpartition(":")[2])
        )
        got = []
        for sent in (b"".join(requests), wired("GET", "/metrics", b"")):
            writer.write(sent)
            for _ in requests if len(got) < len(requests) else (None,):
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
                got.append((int(head[9:12]), await reader.readexactly(length)))
        writer.close()
    return got[:-1], got[-1][1].decode()


def wired(method, path, body):
    """A request as it stands on the connection."""
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/x-amz-json-1.0",
        "X-Amz-Target: DynamoDB_20120810.ListTables",
        "X-Amz-Date: 20260101T000000Z",
        f"Authorization: {AUTHORIZATION}",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


LISTED = wired("POST", "/", b"{}")
READY = wired("GET", "/readyz", b"")
UNREADABLE = wired("POST", "/", b'{"never')


# The second request waits for its turn, and at the next look it has waited for too long: nothing of
# it is read, and the third one, which began to wait after that, is answered. A page never waits.
def test_requests_that_waited_too_long_are_refused_before_they_are_read():
    got, figures = asyncio.run(answers([LISTED, UNREADABLE, READY, LISTED], waiting_ms_max=1))
    assert [status for status, _ in got] == [200, 503, 200, 200]
    refusal = json.loads(got[1][1])
    assert refusal["__type"].endswith("#ServiceUnavailable")
    assert refusal["message"] == (
        "The server has more requests to answer than it can answer soon; try again later"
    )
    assert got[2][1] == b"ok\n"
    assert 'hashrange_refused_requests_total{reason="waited"} 1' in figures
    assert "hashrange_waiting_requests 0" in figures


def test_with_a_limit_of_0_requests_wait_as_long_as_it_takes():
    got, figures = asyncio.run(answers([LISTED, UNREADABLE, READY, LISTED], waiting_ms_max=0))
    assert [status for status, _ in got] == [200, 400, 200, 200]
    assert 'hashrange_refused_requests_total{reason="waited"} 0' in figures
