"""Servers of version 0.1.0 are replaced by those of today, under load."""

import subprocess
import sys
import threading
import uuid

import pytest

from hashrange.assembly.verifying import verify
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.crash.server import Client, Server
from tests.engines.postgres_server import url_of
from tests.pace import SECONDS_MAX, until
from tests.ports import free_port
from tests.release.earlier import server_of
from tests.servers.fleet import Fleet
from tests.servers.histories import Recorder, unexplained

SEED = 20261128
ANSWERS = 150
FEW_ANSWERS = 20
"""Where many calls fail: whether an order explains those is a search."""
TABLE = "Things"
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    return server_of("0.1.0", tmp_path_factory.mktemp("earlier"))


class MixedFleet(Fleet):
    """Its servers are of the version that `make` is at that time."""

    def __init__(self, place, count, make):
        self.make = make
        super().__init__(place, count)

    def start(self):
        self.servers.append(self.make(self.place, *self._options))
        return self.servers[-1]


def refusal_of(server, place, option):
    """What a server says that does not start on this place."""
    command = [sys.executable, "-m", "hashrange", "serve", "--port", "0", option, str(place)]
    ran = subprocess.run(
        command, env=server.environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode != 0
    return ran.stderr


# The disk format is another one. Servers of 0.1.0 do not know the items that others have written
# since, and answer requests for them with status 500; operating.md says to stop them first.
@pytest.mark.timeout(300)
def test_servers_on_one_database_lose_nothing_if_they_are_not_stopped_first(earlier):
    place = url_of(str(uuid.uuid4()))
    fleet = MixedFleet(place, 2, earlier)
    try:
        with Recorder(fleet, SEED) as recorder:
            recorder.further(FEW_ANSWERS)
            fleet.make = Server
            for server in list(fleet.servers):
                fleet.start()
                # Both versions write the same items.
                recorder.further(FEW_ANSWERS)
                fleet.servers.remove(server)
                server.terminate()
                recorder.further(FEW_ANSWERS)
        assert not unexplained(recorder.histories)
    finally:
        fleet.end()
    assert verify(place) == []
    assert "open it with a newer build" in refusal_of(earlier, place, "--engine")


@pytest.mark.timeout(300)
def test_a_directory_is_upgraded_and_not_downgraded(earlier, tmp_path):
    place = tmp_path / "data"
    fleet = MixedFleet(place, 1, earlier)
    try:
        with Recorder(fleet, SEED) as recorder:
            recorder.further(ANSWERS)
            fleet.make = Server
            before = fleet.servers.pop()
            before.terminate()
            fleet.start()
            recorder.further(ANSWERS)
        assert not unexplained(recorder.histories)
    finally:
        fleet.end()
    assert verify(place) == []
    refusal = refusal_of(earlier, place, "--data")
    assert "open it with a newer build" in refusal
    assert "Traceback" not in refusal
    assert verify(place) == []


class Side:
    """A server with a region, which is stopped, and started again in another version."""

    def __init__(self, region, place):
        self.region, self.place, self.port = region, place, free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self, make, other):
        peer = f"{other.region}={other.url}"
        options = ("--port", str(self.port), "--regions", self.region, "--peer", peer)
        self.server = make(self.place, *options)
        self.client = client_of(self.url, region_name=self.region)

    def is_active(self):
        try:
            table = self.client.describe_table(TableName=TABLE)["Table"]
        except self.client.exceptions.ResourceNotFoundException:
            return False
        states = [each["ReplicaStatus"] for each in table.get("Replicas", ())]
        return [table["TableStatus"], *states] == ["ACTIVE", "ACTIVE"]

    def items(self):
        pages = self.client.get_paginator("scan").paginate(TableName=TABLE, ConsistentRead=True)
        found = [item for page in pages for item in page["Items"]]
        return sorted(found, key=lambda item: item["pk"]["S"])


class Writer:
    """Writes items of its own and items that both sides write, until it is over."""

    def __init__(self, side):
        self.side, self.acknowledged = side, {}
        self.is_over, self.done = threading.Event(), threading.Semaphore(0)
        self.thread = threading.Thread(target=self.write)

    def write(self):
        number = 0
        while not self.is_over.is_set():
            number += 1
            own = f"{self.side.region}-{number % 20}"
            try:
                client = Client(self.side.url, self.side.region)
                for name in (own, f"both-{number % 5}"):
                    item = {"pk": {"S": name}, "n": {"N": str(number)}, "by": {"S": own}}
                    client.call("PutItem", TableName=TABLE, Item=item)
                client.close()
            except (OSError, RuntimeError):
                self.is_over.wait(0.01)
                continue
            self.acknowledged[own] = number
            self.done.release()


@pytest.mark.timeout(300)
def test_regions_of_two_versions_replicate_to_each_other(earlier, tmp_path):
    east, west = sides = [Side(each, tmp_path / each) for each in ("us-east-1", "eu-west-1")]
    east.start(earlier, west)
    west.start(earlier, east)
    writers = [Writer(side) for side in sides]

    def further(count=40):
        for writer in writers:
            for _ in range(count):
                assert writer.done.acquire(timeout=SECONDS_MAX)

    try:
        east.client.create_table(TableName=TABLE, **{**keyed(pk="S"), **ON_DEMAND})
        create = [{"Create": {"RegionName": west.region}}]
        east.client.update_table(TableName=TABLE, ReplicaUpdates=create)
        until(lambda: east.is_active() and west.is_active())
        for writer in writers:
            writer.thread.start()
        for side, other in (sides, sides[::-1]):
            further()
            side.server.terminate()
            side.start(Server, other)
            further()
        for writer in writers:
            writer.is_over.set()
            writer.thread.join()
        until(lambda: east.items() == west.items())
        last = {item["pk"]["S"]: int(item["n"]["N"]) for item in west.items()}
        for writer in writers:
            wrong = {
                name: (last[name], number)
                for name, number in writer.acknowledged.items()
                if last[name] < number
            }
            assert not wrong
    finally:
        for writer in writers:
            writer.is_over.set()
        for side in sides:
            side.server.terminate()
    assert [verify(side.place) for side in sides] == [[], []]
