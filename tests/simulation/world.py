"""A world of a seed: a disk, servers, clients, and what goes wrong until all is healed."""

import asyncio
import itertools
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from bench.signed import ADMINISTRATOR
from hashrange.access.signatures.signing import Credentials
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.settings.kinds import Auth, Throttle
from hashrange.settings.settings import Settings
from tests.simulation.clients import INDEX, TABLE, Body, Call, Client
from tests.simulation.disk import FaultyEngine, Troubles
from tests.simulation.loop import SimulatedLoop, passes
from tests.simulation.operators import (
    TASKS,
    Operator,
    items_of_restores,
    records_of,
)
from tests.simulation.regions import NAMES, Region, SimulatedCalls, settings_of
from tests.simulation.server import EPOCH_MS, DriftingClock, LostError, SimulatedServer
from tests.simulation.trace import Trace
from tests.simulation.users import LIMITED

_STORAGE_TROUBLES = Troubles(refused=0.002, failed=0.003, unknown=0.004, slow=0.003)
_PATIENCE_SECONDS = 8.0
_DOWN_SECONDS = 2.0
_TURNS_OF_REPLICAS = 5
"""A server that was away is looked for once a minute or two."""
_HEALED_SECONDS = 30.0
"""For the background to finish what it does; nobody asks meanwhile."""
"""The same, in a world whose judges wait for no background task."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The size of a world."""

    servers: int = 1
    """Of each region."""
    regions: int = 1
    """Their tables are replicas of one global table."""
    is_strong: bool = False
    """The global table has multi-Region strong consistency: all regions have one history."""
    clients: int = 3
    requests: int = 70
    """Of each client."""
    operates: bool = False
    """Operators change the table meanwhile: `operators.TASKS`."""
    throttles: bool = False
    """The table has `UNITS` a second of each kind, which its servers keep to."""
    verifies: bool = False
    """Requests are signed, and the policies of one of the clients deny it some of them."""
    disasters: int = 5
    """Kills, cuts and jumps of clocks, beside the troubles of the storage."""


@dataclass
class Outcome:
    """What the clients have seen of a region, and what is left of it.

    Attributes:
        history: the calls of all clients.
        records: of the table's stream with their shards, parents before children.
        items: of the table, at the end.
        indexed: those in each index, at the end.
        consumed: sequence numbers that a consumer was given, by shard.
        faults: what went wrong, by kind.
        disk: what is stored.
    """

    history: list[Call]
    records: list[tuple[str, Body]]
    items: list[Body]
    indexed: dict[str, list[Body]]
    consumed: dict[str, list[str]]
    faults: Counter[str]
    disk: DictEngine


@dataclass
class World:
    """The parts of a simulation while it runs."""

    seed: int
    plan: Plan
    loop: SimulatedLoop
    make_disk: type[DictEngine] = DictEngine
    trace: Trace = field(default_factory=Trace)

    def __post_init__(self) -> None:
        self.trace.now = self.loop.time
        self.random = Random(self.seed)
        self.faults: Counter[str] = Counter()
        self.troubles = Troubles()
        self.cut_until = 0.0
        self.regions = {name: self._disk_of(name) for name in NAMES[: self.plan.regions]}
        shards, seconds = self.random.randrange(1, 3), self.random.choice((3, 3600))
        for name, region in self.regions.items():
            settings = settings_of(
                name,
                self.plan.regions,
                self.random.getrandbits(32),
                stream_shards=shards,
                stream_shard_seconds=seconds,
                throttle=Throttle.ON if self.plan.throttles else Throttle.OFF,
                auth=Auth.REQUIRED if self.plan.verifies else Auth.OFF,
            )
            region.servers += [self._server(region, settings) for _ in range(self.plan.servers)]

    def _disk_of(self, name: str) -> Region:
        now_ms = lambda: EPOCH_MS + int(self.loop.time() * 1000)  # noqa: E731 - an argument
        return Region(name, self.make_disk(now_ms=now_ms))

    def _server(self, region: Region, settings: Settings) -> SimulatedServer:
        calls = SimulatedCalls(
            self.regions,
            self._branch(),
            is_cut=lambda: self.loop.time() < self.cut_until,
            fails=lambda: self.troubles.failed > 0,
            trace=self.trace,
        )

        def open_engine() -> FaultyEngine:
            random = self._branch()
            return FaultyEngine(region.disk, random, self.troubles, self.happened, self.trace)

        return SimulatedServer(
            open_engine,
            DriftingClock(self._branch(), self.loop.time, self.random.randrange(-500, 500)),
            settings,
            region=region.name,
            is_shared=self.plan.servers > 1,
            calls=calls,
            trace=self.trace,
        )

    @property
    def servers(self) -> list[SimulatedServer]:
        """Those of all regions."""
        return [server for region in self.regions.values() for server in region.servers]

    def _branch(self) -> Random:
        """Randomness for one part, so that the draws of one do not move those of another."""
        return Random(self.random.getrandbits(64))

    def happened(self, kind: str) -> None:
        """Count what went wrong."""
        self.faults[kind] += 1

    async def run(self) -> list[Outcome]:
        """From the first start to the judges' last look at each region."""
        for server in self.servers:
            await server.start()
        await self._make_table()
        vars(self.troubles).update(vars(_STORAGE_TROUBLES))
        versions = (f"w{number}" for number in itertools.count(1))
        regions = list(self.regions.values())
        clients = [
            Client(
                self._asker(at, keys),
                self.loop.time,
                self._branch(),
                versions,
                history=(regions[0] if self.plan.is_strong else at).history,
                sends_transactions=not self.plan.is_strong,
                keys=keys,
            )
            for number in range(self.plan.clients)
            for at in [regions[number % len(regions)]]
            for keys in [LIMITED if self.plan.verifies and number == 1 else ADMINISTRATOR]
        ]
        operators = [
            Operator(self._asker(at), self.loop.time, self._branch(), at.history) for at in regions
        ]
        working = asyncio.gather(*(each.work(self.plan.requests) for each in clients))
        others = [self._disasters(self._branch())]
        if self.plan.operates:
            others += [task(operators[0]) for task in TASKS]
        beside = [asyncio.create_task(each) for each in others]
        await working
        await self._heal(beside[0])
        return [await self._seen(*each) for each in zip(regions, operators, strict=True)]

    async def _make_table(self) -> None:
        first, *others = self.regions.values()
        await self._settled(first, "CreateTable", _TABLE | (_LIMITS if self.plan.throttles else {}))
        creates = [{"Create": {"RegionName": region.name}} for region in others]
        if self.plan.is_strong:
            updates = [{"ReplicaUpdates": creates, "MultiRegionConsistency": "STRONG"}]
        else:
            await self._settled(first, "UpdateTimeToLive", _EXPIRING)
            updates = [{"ReplicaUpdates": [create]} for create in creates]
        for update in updates:
            await self._settled(first, "UpdateTable", {"TableName": TABLE, **update})
            while not await self._is_ready(first):
                await passes(1)
        for region in self.regions.values():
            await self._settled(region, "UpdateContinuousBackups", _RECOVERABLE)

    async def _is_ready(self, first: Region) -> bool:
        table = (await self._settled(first, "DescribeTable", {"TableName": TABLE}))["Table"]
        states = {each["ReplicaStatus"] for each in table["Replicas"]}
        return {*states, table["TableStatus"]} == {"ACTIVE"}

    async def _heal(self, disasters: "asyncio.Task[None]") -> None:
        disasters.cancel()
        vars(self.troubles).update(vars(Troubles()))
        self.cut_until = 0.0
        for server in self.servers:
            if not server.is_up:
                await server.start()
        await passes(_HEALED_SECONDS)
        for _ in range(_TURNS_OF_REPLICAS):
            if await self._is_even():
                return
            await passes(_HEALED_SECONDS)

    async def _is_even(self) -> bool:
        """Whether all replicas have the same items."""
        read = {"TableName": TABLE, "ConsistentRead": True}
        scans = [await self._settled(each, "Scan", read) for each in self.regions.values()]
        contents = [sorted(scan["Items"], key=str) for scan in scans]
        return all(each == contents[0] for each in contents)

    async def _seen(self, region: Region, operator: Operator) -> Outcome:
        settled = partial(self._settled, region)
        await items_of_restores(operator)
        table = (await settled("DescribeTable", {"TableName": TABLE}))["Table"]
        indexed = {}
        for index in table["GlobalSecondaryIndexes"]:
            assert index["IndexStatus"] == "ACTIVE", f"{index['IndexName']} is never ready"
            scan = {"TableName": TABLE, "IndexName": index["IndexName"]}
            indexed[index["IndexName"]] = (await settled("Scan", scan))["Items"]
        items = await settled("Scan", {"TableName": TABLE, "ConsistentRead": True})
        return Outcome(
            operator.history,
            records=[record async for record in records_of(settled, {})],
            items=items["Items"],
            indexed=indexed,
            consumed=operator.consumed,
            faults=self.faults,
            disk=region.disk,
        )

    def _asker(self, region: Region, keys: Credentials = ADMINISTRATOR) -> Any:
        """Sends a client's requests over a network that may lose them or their answers."""
        random = self._branch()

        async def ask(target: str, body: Body) -> tuple[int, Body]:
            server = random.choice(region.servers)
            await passes(random.random() * 0.002)
            if not server.is_up:
                await passes(random.random() * _DOWN_SECONDS)
                raise LostError
            if self.loop.time() < self.cut_until and random.random() < 0.5:
                await passes(_PATIENCE_SECONDS)
                raise LostError
            asked = asyncio.create_task(server.ask(target, body, keys))
            done, _ = await asyncio.wait({asked}, timeout=_PATIENCE_SECONDS)
            if not done or (self.loop.time() < self.cut_until and random.random() < 0.5):
                # The server goes on; nobody hears of it.
                asked.add_done_callback(lambda task: task.cancelled() or task.exception())
                raise LostError
            await passes(random.random() * 0.002)
            return asked.result()

        return ask

    async def _disasters(self, random: Random) -> None:
        """One after another, over about the time that the clients work."""
        for _ in range(self.plan.disasters):
            await passes(random.expovariate(1 / 0.4))
            kind = random.choice(("kill", "cut", "jump"))
            self.happened(kind)
            server = random.choice(self.servers)
            if kind == "kill" and server.is_up:
                server.kill()
                await passes(random.random() * _DOWN_SECONDS)
                await server.start()
            elif kind == "cut":
                self.cut_until = self.loop.time() + random.random()
            elif kind == "jump":
                server.clock.offset_ms += random.randrange(-3000, 3000)

    async def _settled(self, region: Region, target: str, body: Body) -> Body:
        """The answer to a request of the judges, when nothing fails."""
        status, answer = await region.servers[0].ask(target, body)
        assert status == 200, (target, answer)
        return answer


_TABLE: Body = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "group", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": INDEX,
            "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}


UNITS = 10
_UNITS = {"ReadCapacityUnits": UNITS, "WriteCapacityUnits": UNITS}
_LIMITS: Body = {
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": _UNITS,
    "GlobalSecondaryIndexes": [
        {**index, "ProvisionedThroughput": _UNITS} for index in _TABLE["GlobalSecondaryIndexes"]
    ],
}
_RECOVERABLE = {
    "TableName": TABLE,
    "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
}
_EXPIRING = {
    "TableName": TABLE,
    "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True},
}


def simulated(
    seed: int, plan: Plan, make_disk: type[DictEngine] = DictEngine, trace: Trace | None = None
) -> list[Outcome]:
    """Run the world of a seed to its end. Raises AssertionError and StuckError."""
    loop = SimulatedLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        outcomes = runner.run(World(seed, plan, loop, make_disk, trace or Trace()).run())
    assert not loop.complaints, "; ".join(loop.complaints)
    return outcomes
