"""A world of a seed: a disk, servers, clients, and what goes wrong until all is healed."""

import asyncio
import itertools
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

from hashrange.assembly.engines.trials.dict_engine import DictEngine
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
from tests.simulation.server import EPOCH_MS, DriftingClock, LostError, SimulatedServer

_STORAGE_TROUBLES = Troubles(refused=0.002, failed=0.003, unknown=0.004, slow=0.003)
_PATIENCE_SECONDS = 8.0
_DOWN_SECONDS = 2.0
_HEALED_SECONDS = 30.0
"""For the background to finish what it does; nobody asks meanwhile."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The size of a world."""

    servers: int = 1
    clients: int = 3
    requests: int = 70
    """Of each client."""
    operates: bool = False
    """Operators change the table meanwhile: `operators.TASKS`."""
    disasters: int = 5
    """Kills, cuts and jumps of clocks, beside the troubles of the storage."""


@dataclass
class Outcome:
    """What the clients have seen of a world, and what is left of it.

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

    def __post_init__(self) -> None:
        self.disk = self.make_disk(now_ms=lambda: EPOCH_MS + int(self.loop.time() * 1000))
        self.random = Random(self.seed)
        self.faults: Counter[str] = Counter()
        self.troubles = Troubles()
        self.cut_until = 0.0
        settings = Settings(
            memory=True,
            stream_shards=self.random.randrange(1, 3),
            stream_shard_seconds=self.random.choice((3, 3600)),
        )
        self.servers = [
            SimulatedServer(
                self.engine,
                DriftingClock(self._branch(), self.loop.time, self.random.randrange(-500, 500)),
                settings,
                is_shared=self.plan.servers > 1,
            )
            for _ in range(self.plan.servers)
        ]

    def _branch(self) -> Random:
        """Randomness for one part, so that the draws of one do not move those of another."""
        return Random(self.random.getrandbits(64))

    def engine(self) -> FaultyEngine:
        """The disk as a process sees it that starts now."""
        return FaultyEngine(self.disk, self._branch(), self.troubles, self.happened)

    def happened(self, kind: str) -> None:
        """Count what went wrong."""
        self.faults[kind] += 1

    async def run(self) -> Outcome:
        """From the first start to the judges' last look."""
        for server in self.servers:
            await server.start()
        await self._settled("CreateTable", _TABLE)
        await self._settled("UpdateContinuousBackups", _RECOVERABLE)
        await self._settled("UpdateTimeToLive", _EXPIRING)
        vars(self.troubles).update(vars(_STORAGE_TROUBLES))
        versions = (f"w{number}" for number in itertools.count(1))
        history: list[Call] = []
        clients = [
            Client(self._asker(self._branch()), self.loop.time, self._branch(), versions, history)
            for _ in range(self.plan.clients)
        ]
        operator = Operator(self._asker(self._branch()), self.loop.time, self._branch(), history)
        working = asyncio.gather(*(each.work(self.plan.requests) for each in clients))
        others = [self._disasters(self._branch())]
        if self.plan.operates:
            others += [task(operator) for task in TASKS]
        beside = [asyncio.create_task(each) for each in others]
        await working
        await self._heal(beside[0])
        return await self._seen(operator)

    async def _heal(self, disasters: "asyncio.Task[None]") -> None:
        disasters.cancel()
        vars(self.troubles).update(vars(Troubles()))
        self.cut_until = 0.0
        for server in self.servers:
            if not server.is_up:
                await server.start()
        await passes(_HEALED_SECONDS)

    async def _seen(self, operator: Operator) -> Outcome:
        await items_of_restores(operator)
        table = (await self._settled("DescribeTable", {"TableName": TABLE}))["Table"]
        indexed = {}
        for index in table["GlobalSecondaryIndexes"]:
            assert index["IndexStatus"] == "ACTIVE", f"{index['IndexName']} is never ready"
            scan = {"TableName": TABLE, "IndexName": index["IndexName"]}
            indexed[index["IndexName"]] = (await self._settled("Scan", scan))["Items"]
        items = await self._settled("Scan", {"TableName": TABLE, "ConsistentRead": True})
        return Outcome(
            operator.history,
            records=[record async for record in records_of(self._settled, {})],
            items=items["Items"],
            indexed=indexed,
            consumed=operator.consumed,
            faults=self.faults,
            disk=self.disk,
        )

    def _asker(self, random: Random) -> Any:
        """Sends a client's requests over a network that may lose them or their answers."""

        async def ask(target: str, body: Body) -> tuple[int, Body]:
            server = random.choice(self.servers)
            await passes(random.random() * 0.002)
            if not server.is_up:
                await passes(random.random() * _DOWN_SECONDS)
                raise LostError
            if self.loop.time() < self.cut_until and random.random() < 0.5:
                await passes(_PATIENCE_SECONDS)
                raise LostError
            asked = asyncio.create_task(server.ask(target, body))
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

    async def _settled(self, target: str, body: Body) -> Body:
        """The answer to a request of the judges, when nothing fails."""
        status, answer = await self.servers[0].ask(target, body)
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


_RECOVERABLE = {
    "TableName": TABLE,
    "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
}
_EXPIRING = {
    "TableName": TABLE,
    "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True},
}


def simulated(seed: int, plan: Plan, make_disk: type[DictEngine] = DictEngine) -> Outcome:
    """Run the world of a seed to its end. Raises AssertionError and StuckError."""
    loop = SimulatedLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(World(seed, plan, loop, make_disk).run())
