"""kill -9 of servers that throttle: partitions stay, and no units come from it."""

import contextlib
import http.client
import json
import threading
import time
import uuid

import pytest

from hashrange.testing_pages import ServerClock
from tests.api.tables import keyed
from tests.copied_pages import fresh
from tests.crash.server import Client, Server, verify
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.servers.fleet import Fleet
from tests.workers.processes import WorkedServer

TABLE = "Throttled"
RATE = 40
BEFORE_SECONDS, AFTER_SECONDS = 1.5, 2.5
ON = ("--throttle", "on")


def units(rate):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": rate, "WriteCapacityUnits": rate}}


def ranges(url):
    """The ranges of the table's partitions."""
    (use,) = json.loads(fresh(f"{url}/top.json"))["capacity"]
    return [(each["number"], each["start"], each["end"]) for each in use["partitions"]]


def test_partitions_survive(tmp_path):
    options = (*ON, "--partition-bytes", "20000", "--testing", "--log-level", "error")
    server = Server(tmp_path, *options)
    client, clock = Client(server.url), ServerClock(server.url)
    client.call("CreateTable", TableName=TABLE, **keyed(pk="S"))
    for number in range(12):
        item = {"pk": {"S": str(number)}, "pad": {"S": "x" * 20_000}}
        client.call("PutItem", TableName=TABLE, Item=item)

    seen = []

    def split():
        clock.advance(seconds=6)
        seen.append(ranges(server.url))
        return len(seen[-1]) > 4 and seen[-1] in seen[:-1]

    until(split)
    before = seen[-1]
    server.kill()
    client.close()
    server = Server(tmp_path, *options)
    client = Client(server.url)
    client.call("GetItem", TableName=TABLE, Key={"pk": {"S": "1"}})
    assert ranges(server.url) == before
    client.close()
    assert server.terminate() == 0
    assert verify(tmp_path) == ""


class Load:
    """Puts, one after the other, on each of several URLs; when each was granted."""

    def __init__(self, urls):
        self.granted = []
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._put, args=(url,)) for url in urls]
        for thread in self._threads:
            thread.start()

    def _put(self, url):
        client, number = Client(url), 0
        while not self._ended.is_set():
            number += 1
            sent = time.monotonic()
            try:
                client.call("PutItem", TableName=TABLE, Item={"pk": {"S": f"{url}{number}"}})
            except RuntimeError:  # throttled, or the process behind it was killed
                self._ended.wait(0.005)
            except (OSError, http.client.HTTPException):
                client.close()
                self._ended.wait(0.05)
                client = Client(url)
            else:
                self.granted.append(sent)
        client.close()

    def end(self):
        self._ended.set()
        for thread in self._threads:
            thread.join()


def check(load, begun, resumed):
    """At most 105 % of what one server grants that was not killed, and no standstill."""
    ends = time.monotonic()
    # A new table has the units of one second.
    most = RATE * (ends - begun + 1)
    assert len(load.granted) <= 1.05 * most + 1
    after = [at for at in load.granted if at > resumed]
    # The units of the allowance of the dead one count as spent for a second.
    assert len(after) >= 0.5 * RATE * (ends - resumed - 1.5)


@contextlib.contextmanager
def two_servers(_tmp_path):
    fleet = Fleet(url_of(str(uuid.uuid4())), 2, *ON)
    try:
        yield fleet.urls, lambda: fleet.kill(fleet.await_leader())
    finally:
        fleet.end()


@contextlib.contextmanager
def workers(tmp_path, role):
    server = WorkedServer(tmp_path / "data", *ON)
    try:
        yield [server.url] * 3, lambda: server.kill_one(role)
    finally:
        server.terminate()


def readers(tmp_path):
    """A reader is killed, which holds an allowance."""
    return workers(tmp_path, "reader")


def writer(tmp_path):
    """The writer is killed, which the readers exchange allowances with."""
    return workers(tmp_path, "writer")


@pytest.mark.parametrize("made", [two_servers, readers, writer])
def test_a_kill_grants_nothing(made, tmp_path):
    with made(tmp_path) as (urls, kill):
        client = Client(urls[0])
        begun = time.monotonic()
        client.call("CreateTable", TableName=TABLE, **{**keyed(pk="S"), **provisioned()})
        client.close()
        load = Load(urls)
        try:
            threading.Event().wait(BEFORE_SECONDS)
            kill()
            # Another writer takes a moment to start, on a slow machine seconds.
            killed = time.monotonic()
            until(lambda: any(at > killed for at in load.granted))
            resumed = time.monotonic()
            threading.Event().wait(AFTER_SECONDS)
        finally:
            load.end()
        check(load, begun, resumed)


def provisioned():
    return {"BillingMode": "PROVISIONED", **units(RATE)}
