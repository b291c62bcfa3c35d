"""Servers of several regions, simulated, whose tables become strong and single again."""

from types import SimpleNamespace

from hashrange.api.dynamodb.replicas.requests import ReplicaChange
from hashrange.api.dynamodb.replicas.updates import change_replicas
from hashrange.api.steps.operation import TableChoices
from hashrange.background.strong_keeper import StrongKeeper
from hashrange.background.witness_orders import WitnessOrders
from hashrange.errors import DynamoError, Fault
from hashrange.messages.items.throttling import no_majority
from hashrange.model.replication import NO_OVERRIDES
from hashrange.regions.peers.asking import Asking
from hashrange.regions.replication.groups import replicas_of
from hashrange.storage.engine import NO_FENCES, Changes, StaleFenceError, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.witnesses import Witnesses, all_witnesses
from hashrange.tables.keys.consensus_keys import applied_key, index_row
from tests.model.peers import ACCOUNT, NAME, SimulatedServer, World
from tests.pace import turns


class SimulatedLogs:
    """The logs of the members of a server, of which only that they run is of interest."""

    def __init__(self, server):
        self._server = server

    async def caught_up(self, _group, _region):
        return self._server.rng.random() < 0.8

    async def stop(self, group, region):
        self._server.stopped.add((group, region))

    async def write(self, *_):
        raise DynamoError(Fault.UNAVAILABLE, no_majority())

    async def run(self):
        """What members do when they run: they have a row."""
        numbers = [
            (each.group.id, each.number)
            async for each in all_witnesses(self._server.engine)
            if each.group.has_log
        ]
        table = await self._server.any_table()
        if table is not None and table.strong is not None and table.strong.has_log:
            numbers.append((table.strong.id, table.number))
        for group, number in numbers:
            assert (group, self._server.region) not in self._server.stopped
            puts = {applied_key(number): index_row(1)}
            await self._server.engine.write(
                [*puts], lambda _, puts=puts: Changes(answer=None, puts=puts)
            )


class StrongServer(SimulatedServer):
    """A server with what begins and ends groups."""

    def __init__(self, world, region):
        self.stopped = set()
        super().__init__(world, region)

    def restart(self, *, brittle=True):
        super().restart(brittle=brittle)
        witnesses = Witnesses(self.working, self.now_ms)
        orders = WitnessOrders(witnesses, [self.region], Asking(self.world), self.now_ms)
        self.logs = self.store.strong = SimulatedLogs(self)
        self.keeper = StrongKeeper(
            self.store, self.catalog, orders, logs=self.logs, fences=lambda: NO_FENCES
        )

    async def any_table(self):
        """The table, in whatever state; None if there is none."""
        opened = await Catalog(self.engine).within(ACCOUNT, self.region).open(NAME)
        return None if opened is None else opened.table

    async def ask(self, kind, replicas, witness):
        """UpdateTable with all members at once."""
        elsewhere = tuple(each for each in self.world.regions if each != self.region)
        context = SimpleNamespace(
            store=self.store,
            catalog=self.within,
            now_ms=self.now_ms(),
            new_id=self.new_id(),
            choices=TableChoices(
                regions=self.world.regions,
                peer_regions=elsewhere,
                peers=Asking(self.world),
                stream_shards=2,
            ),
        )
        consistency = "STRONG" if kind == "CREATE" else None
        change = ReplicaChange(
            kind, dict.fromkeys(replicas, NO_OVERRIDES), consistency=consistency, witness=witness
        )
        await change_replicas(change, NAME, context)

    async def found(self):
        """A client makes the table strong."""
        others = [each for each in self.world.regions if each != self.region]
        self.rng.shuffle(others)
        witness = others.pop() if self.rng.random() < 0.6 else None
        await self.ask("CREATE", others, witness)

    async def end(self):
        """A client ends the group."""
        table = await self.any_table()
        if table is not None and table.strong is not None and self.rng.random() < 0.5:
            others = [each.region for each in replicas_of(table)]
            await self.ask("DELETE", others, table.strong.witness)

    async def delete(self):
        """A client deletes a table of one region if another one has such a table, too."""
        alone = []
        for region, server in self.world.servers.items():
            table = await server.any_table()
            if table is not None and table.strong is None and not replicas_of(table):
                alone.append(region)
        if self.region in alone[1:]:
            await self.within.drop(NAME, self.now_ms(), lambda _: None)


class StrongWorld(World):
    """Servers, and the groups that were seen to run."""

    def __init__(self, seed, regions):
        self.began = set()
        super().__init__(seed, regions, kind=StrongServer)

    async def check_beginnings(self):
        """All members of a group are there when the first of them has a log."""
        for server in self.servers.values():
            table = await server.any_table()
            groups = [] if table is None or table.strong is None else [table.strong]
            groups += [each.group async for each in all_witnesses(server.engine)]
            for group in groups:
                if group.has_log and group.id not in self.began:
                    self.began.add(group.id)
                    assert await self.members_of(group.id) == {*self.regions}

    async def members_of(self, group):
        """The regions that know a group."""
        found = set()
        for region, server in self.servers.items():
            table = await server.any_table()
            if table is not None and table.strong is not None and table.strong.id == group:
                found.add(region)
            found |= {
                region
                async for each in all_witnesses(server.engine)
                if each.group.id == group and each.gone_ms is None
            }
        return found

    async def strong_step(self):
        """Something happens somewhere."""
        server = self.rng.choice([*self.servers.values()])
        work = [
            *[sender.work for sender in server.senders] * 4,
            *[server.keeper.drain] * 6,
            *[server.replicator.work, server.dropper.clear, server.logs.run],
            *[self.deliver_late, self.deliver_late, self.later, self.drift],
            *[server.found, server.found, server.end, server.delete],
            *([self.partition] if self.cut or self.rng.random() < 0.2 else []),
        ]
        self.time_ms += self.rng.randint(0, 300)
        try:
            await self.rng.choice(work)()
        except (StorageError, StaleFenceError, DynamoError):
            server.restart()
        await self.check_beginnings()
        if self.rng.random() < 0.03:
            server.restart()

    async def strong_heal(self):
        """All is well from now on, until no group begins or ends."""
        self.cut.clear()
        self.loss = 0
        for server in self.servers.values():
            server.restart(brittle=False)
        for _ in range(60):
            self.time_ms += 11_000
            for server in self.servers.values():
                for sender in server.senders:
                    await sender.drain()
                await server.keeper.drain()
                await server.dropper.clear()
            await turns()
            if await self.is_quiet():
                return
        tables = {region: await each.any_table() for region, each in self.servers.items()}
        told = {region: each and each.replication for region, each in tables.items()}
        raise AssertionError(f"groups never come to their ends: {told}")

    async def is_quiet(self):
        """Whether each group is ACTIVE, or gone."""
        for server in self.servers.values():
            table = await server.any_table()
            if table is None:
                continue
            replication = table.replication
            if replication is not None and replication.is_leaving:
                return False
            states = {each.state for each in replicas_of(table)}
            if "CREATION_FAILED" in states:
                await server.end()  # what a client does then; it is repeated until it succeeds
                return False
            if table.strong is not None and table.strong.state != "ACTIVE":
                return False
            if states - {"ACTIVE"}:
                return False
        return True
