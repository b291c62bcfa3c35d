"""Three servers, each with a region of a strong table: killed, stopped and cut off."""

import contextlib
import os
from pathlib import Path
from typing import Final, Self

from tests.crash.server import Client, Server, verify
from tests.forks import ROOT
from tests.pace import until
from tests.ports import free_port
from tests.servers.fleet import metric
from tests.servers.links import Links

EAST, WEST, IRELAND = "us-east-1", "us-west-2", "eu-west-1"
KEYED: Final = {
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


class PlantedRegion(Server):
    """A server whose leader answers strong reads without asking the others."""

    module = "tests.servers.planted_region"

    def __init__(self, place: Path | str, *options: str) -> None:
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        super().__init__(place, *options)


class Regions:
    """The servers.

    Args:
        places: where the data of each region are.
        witness: the region that has a log only; None if all have the table.
        kind: of the servers.
    """

    def __init__(
        self,
        places: dict[str, Path | str],
        *,
        witness: str | None = None,
        kind: type[Server] = Server,
    ) -> None:
        self.places, self.witness, self._kind = places, witness, kind
        self._ports = {region: free_port() for region in places}
        self.links = Links(self._ports)
        self.servers: dict[str, Server] = {}
        self._paused: str | None = None

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.links)
            stack.push(self._leave)
            for region in self.places:
                self.start(region)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.__exit__(*raised)

    def _leave(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the servers; after a failure kill them, since SIGTERM does not end a stopped one."""
        if kind is None:
            self.end()
        for region in [*self.servers]:
            self.kill(region)

    def start(self, region: str) -> None:
        others = [each for each in self.places if each != region]
        peers = [
            option
            for each in others
            for option in ("--peer", f"{each}={self.links.urls[region, each]}")
        ]
        self.servers[region] = self._kind(
            self.places[region],
            *("--port", str(self._ports[region]), "--regions", region, *peers),
            *("--log-level", "error", "--drain-seconds", "1"),
        )

    def kill(self, region: str) -> None:
        """As kill -9."""
        self.servers.pop(region).kill()

    def pause(self, region: str) -> None:
        """Stop a server in the middle of what it does; no further calls are sent to it."""
        self._paused = region
        self.servers[region].pause()

    def call_again(self) -> None:
        """Let calls be sent to it, which it gets when it goes on."""
        self._paused = None

    def resume(self, region: str) -> None:
        """Let it go on."""
        self.servers[region].resume()

    def end(self) -> None:
        while self.servers:
            self.servers.popitem()[1].terminate()

    @property
    def readable(self) -> list[str]:
        """The regions that have the table."""
        return [each for each in self.places if each != self.witness]

    @property
    def urls(self) -> list[str]:
        """Of the servers that run and have the table."""
        away = {self.witness, self._paused}
        return [server.url for region, server in [*self.servers.items()] if region not in away]

    def client(self, url: str) -> Client:
        """A client of a server, in its region."""
        port = int(url.rpartition(":")[2])
        (region,) = (region for region, each in self._ports.items() if each == port)
        return Client(url, region)

    def client_in(self, region: str) -> Client:
        """A client of a region."""
        return Client(self.servers[region].url, region)

    def create(self, table: str) -> None:
        """Create a strong table with the key `pk`."""
        first, second, *more = self.readable
        client = self.client_in(first)
        client.call("CreateTable", TableName=table, **KEYED)
        replicas = [{"Create": {"RegionName": each}} for each in (second, *more)]
        others = {}
        if self.witness is not None:
            others["GlobalTableWitnessUpdates"] = [{"Create": {"RegionName": self.witness}}]
        client.call(
            "UpdateTable", TableName=table, MultiRegionConsistency="STRONG",
            ReplicaUpdates=replicas, **others,
        )  # fmt: skip
        until(lambda: _is_ready(client, table))
        client.close()
        for region in (second, *more):
            client = self.client_in(region)
            until(lambda client=client: _is_ready(client, table))
            client.close()

    def leader(self) -> str:
        """The region that leads the group, once there is one."""

        def look() -> str | None:
            leading = [
                region
                for region, server in self.servers.items()
                if metric(server, "strong_leads") == 1
            ]
            return leading[0] if len(leading) == 1 else None

        return until(look)

    def findings(self) -> dict[str, str]:
        """What `hashrange verify` says of the data; the servers must have ended."""
        return {region: verify(place) for region, place in self.places.items()}


def _is_ready(client: Client, table: str) -> bool:
    try:
        found = client.call("DescribeTable", TableName=table)["Table"]
    except RuntimeError:
        return False
    others = [each["ReplicaStatus"] for each in found.get("Replicas", [])]
    others += [each["WitnessStatus"] for each in found.get("GlobalTableWitnesses", [])]
    return len(others) == 2 and {*others, found["TableStatus"]} == {"ACTIVE"}
