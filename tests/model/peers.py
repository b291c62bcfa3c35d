"""Servers of several regions, simulated: their clocks, their network, and all that may fail."""

import contextlib
import json
import random
import uuid

import msgspec

from hashrange.api.dynamodb.replicas.keys import ReplicaEncryption
from hashrange.api.dynamodb.replicas.updates import ReplicaChange, change_replicas
from hashrange.api.steps.operation import Caller, RequestContext, TableChoices
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.dropper import Dropper
from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.background.peer_replicator import PeerReplicator
from hashrange.background.replicator import Replicator
from hashrange.background.witness_orders import witness_verbs
from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item
from hashrange.model.replication import Overrides
from hashrange.model.table_features import ResourcePolicy
from hashrange.model.wording import Wording
from hashrange.regions.peers.asking import Asking
from hashrange.regions.peers.calls import PeerAwayError, PeerRefusedError
from hashrange.regions.peers.conversation import Side
from hashrange.regions.peers.receiving import Receiver
from hashrange.regions.peers.signing import WINDOW_MS
from hashrange.regions.replication.following import first_unsent
from hashrange.regions.replication.groups import replicas_of
from hashrange.regions.replication.positions import Positions
from hashrange.regions.replication.views import remote_number
from hashrange.storage.engine import NO_FENCES, StaleFenceError, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_from, image_of, version_and_region_of
from hashrange.tables.jobs.witnesses import Witnesses
from hashrange.tables.keys import keyspace
from hashrange.tables.log.tombstones import tombstone_key, version_and_region
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.model.test_backup_jobs import Brittle
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition

ACCOUNT = "000000000000"
NAME = "a-table"
ITEMS = 12
SKEW_MS = 40_000
LOG_MS = 3 * HOUR_MS
RULES = StreamRules(shard_ms=HOUR_MS, retention_ms=2 * HOUR_MS)
ENCRYPTION = ReplicaEncryption(TableChoices(accepts_encryption=True))
ALL = {"limit": 100_000, "bytes_max": 10**9}


class SimulatedServer:
    """A server that holds one region, on an engine of its own, with a clock of its own."""

    def __init__(self, world, region):
        self.world, self.region, self.rng = world, region, world.rng
        self.skew_ms = self.rng.randint(-SKEW_MS, SKEW_MS)
        self.engine = DictEngine(now_ms=self.now_ms)
        self.restart()

    def now_ms(self):
        return self.world.time_ms + self.skew_ms

    def restart(self, *, brittle=True):
        """Begin anew with all that a process remembers, on an engine that may fail."""
        rng = self.rng
        self.working = Brittle(self.engine, rng) if brittle and rng.random() < 0.3 else self.engine
        self.catalog, fences = Catalog(self.working), lambda: NO_FENCES
        self.store = Store(self.working, self)
        self.receiver = Receiver(
            self.store,
            self.catalog,
            regions=[self.region],
            shards=2,
            new_id=self.new_id,
            encryption=ENCRYPTION,
        )
        witnesses = Witnesses(self.working, self.now_ms)
        self.verbs = self.receiver.verbs | witness_verbs(witnesses)
        self.replicator = self.world.replicator(self.store, self.catalog, fences=fences, delay_ms=0)
        self.upkeep = LogMaintenance(self.store, self.catalog, RULES, pacer=unhurried())
        self.dropper = Dropper(self.working, self.catalog, self, 0, pacer=unhurried())
        self.senders = [
            PeerReplicator(
                Side(
                    region=region, calls=self.world, store=self.store, catalog=self.catalog,
                    positions=Positions(self.working, fences), delay_ms=0, encryption=ENCRYPTION,
                    page_rows=3,
                ),
                LOG_MS,
            )
            for region in self.world.regions if region != self.region
        ]  # fmt: skip

    def new_id(self):
        return str(uuid.UUID(int=self.rng.getrandbits(128)))

    @property
    def within(self):
        return self.catalog.within(ACCOUNT, self.region)

    async def table(self):
        """The replica; None if there is none that can be used."""
        opened = await Catalog(self.engine).within(ACCOUNT, self.region).open(NAME)
        return opened if opened is not None and opened.table.is_served else None

    @property
    def context(self):
        """Of a request to this server."""
        elsewhere = tuple(each for each in self.world.regions if each != self.region)
        choices = TableChoices(
            regions=self.world.regions, peer_regions=elsewhere, peers=Asking(self.world),
            stream_shards=2,
        )  # fmt: skip
        return RequestContext(
            Caller(ACCOUNT, self.region, ""),
            self.store, self.within, 0, choices, {}, self.now_ms(), self.new_id(),
        )  # fmt: skip

    async def change(self, kind, region, **overrides):
        """UpdateTable adds, changes or removes a replica."""
        change = ReplicaChange(kind, {region: Overrides(**overrides)})
        await change_replicas(change, NAME, self.context)

    async def deny(self, *, denies):
        """PutResourcePolicy denies replication, or DeleteResourcePolicy ends that."""

        def change(table):
            statement = {
                "Effect": "Deny", "Principal": "*", "Action": "dynamodb:*", "Resource": table.arn
            }  # fmt: skip
            text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
            last = 0 if table.policy is None else table.policy.revision_ms + 1
            policy = ResourcePolicy(
                text=text if denies else None, revision_ms=max(self.now_ms(), last)
            )
            return msgspec.structs.replace(table, policy=policy)

        if await self.table() is not None:
            await self.within.change(NAME, change)

    async def write(self, key=None, *, deletes=None):
        """A client writes an item; the versions of what was written are noted."""
        table = await self.table()
        if table is None:
            return
        item = {
            "pk": {"S": str(self.rng.randrange(ITEMS)) if key is None else key},
            "n": {"N": str(self.rng.randrange(10))},
        }
        sized = canonical_item(item, Wording.CURRENT)
        deletes = self.rng.random() < 0.4 if deletes is None else deletes
        after = None if deletes else image_of(sized.item, sized.bytes)
        place = key_of_item(table, item)
        before = await self.last_of(place)
        write = ItemWrite(table, place, lambda _: Decision(after, None))
        try:
            await write_items(self.store, [write])
        finally:  # one that failed may have taken effect
            last = await self.last_of(place)
            if last != before:
                value = None if after is None else item["n"]["N"]
                self.world.written.append((item["pk"]["S"], (last, self.region), value))

    async def last_of(self, place):
        stored, mark = await self.engine.read([place, tombstone_key(place)])
        if stored is not None:
            return version_and_region_of(stored)[0]
        return 0 if mark is None else version_and_region(mark)[0]

    async def items(self):
        table = await self.table()
        pairs = await self.engine.scan(*keyspace.items_range(table.number), **ALL)
        items = [image_from(value).item() for _, value in pairs]
        return {item["pk"]["S"]: item["n"]["N"] for item in items}


class World:
    """Servers, and the network between them: it is the `Calls` of all of them."""

    def __init__(self, seed, regions, replicator=Replicator, *, kind=SimulatedServer):
        self.replicator = replicator
        self.rng, self.time_ms, self.regions = random.Random(seed), NOON_MS, regions
        self.cut, self.one_way, self.refusing = set(), set(), set()
        self.late = []
        self.written = []
        self.loss = self.rng.choice([0, 0.05, 0.2])
        self.servers = {region: kind(self, region) for region in regions}

    async def begin(self, **settings):
        settings = settings or {"billing_mode": "PAY_PER_REQUEST"}

        def draft(number):
            return definition(number=number, name=NAME, region=self.regions[0], **settings)

        first = self.servers[self.regions[0]]
        await Catalog(first.engine).within(ACCOUNT, first.region).create(draft, NAME)

    async def call(self, sender, receiver, verb, body):
        """Deliver a call: at once, late, twice or never; or lose its answer."""
        if frozenset((sender, receiver)) in self.cut or (sender, receiver) in self.one_way:
            raise PeerAwayError("cut off")
        if receiver in self.refusing:
            raise PeerRefusedError("another key")
        draw = self.rng.random()
        if draw < self.loss:
            self.late.append((self.time_ms, sender, receiver, verb, body))
            raise PeerAwayError("lost")
        answer = await self.deliver(sender, receiver, verb, body)
        if draw < 2 * self.loss:
            self.late.append((self.time_ms, sender, receiver, verb, body))
            raise PeerAwayError("its answer was lost")
        return answer

    async def deliver(self, sender, receiver, verb, body):
        server = self.servers[receiver]
        try:
            return await server.verbs[verb](sender, receiver, body)
        except StorageError as error:
            server.restart()
            raise PeerAwayError("storage failed") from error

    async def deliver_late(self):
        if self.late:
            sent_ms, *call = self.late.pop(self.rng.randrange(len(self.late)))
            # A signature is not accepted for longer.
            if self.time_ms - sent_ms <= WINDOW_MS:
                with contextlib.suppress(PeerAwayError):
                    await self.deliver(*call)

    async def partition(self):
        pair = frozenset(self.rng.sample(self.regions, 2))
        self.cut ^= {pair}

    async def later(self):
        self.time_ms += self.rng.choice([1, 1000, 61_000, HOUR_MS // 2, 2 * HOUR_MS, 5 * HOUR_MS])

    async def drift(self):
        server = self.rng.choice([*self.servers.values()])
        server.skew_ms = self.rng.randint(-SKEW_MS, SKEW_MS)

    async def step(self, *more):
        server = self.rng.choice([*self.servers.values()])
        work = [
            *[server.write] * 10,
            *[sender.work for sender in server.senders] * 4,
            *[server.replicator.work, server.upkeep.sweep, server.dropper.clear],
            *[self.deliver_late, self.deliver_late, self.later, self.drift, *more],
            *([self.partition] if self.rng.random() < 0.5 else []),
        ]
        self.time_ms += self.rng.randint(0, 3)
        try:
            await self.rng.choice(work)()
        except (StorageError, StaleFenceError, DynamoError):
            server.restart()
        if self.rng.random() < 0.03:
            server.restart()

    async def heal(self):
        """All is well from now on; the servers work until nothing is left to do."""
        self.cut.clear()
        self.one_way.clear()
        self.loss = 0
        self.late.clear()
        for server in self.servers.values():
            server.restart(brittle=False)
        for _ in range(40):
            self.time_ms += 11_000
            found = False
            for server in self.servers.values():
                for sender in server.senders:
                    for _ in range(200):
                        if not await sender.work():
                            break
                        found = True
                await server.replicator.drain()
                await server.dropper.clear()
            if not found and await self.is_settled():
                return
        told = {
            region: await Catalog(each.engine).within(ACCOUNT, region).open(NAME)
            for region, each in self.servers.items()
        }
        told = {
            region: opened and (opened.table.restore, opened.table.replication)
            for region, opened in told.items()
        }
        raise AssertionError(f"the groups are never complete: {told}")

    async def members(self):
        found = {region: await each.table() for region, each in self.servers.items()}
        return {region: table for region, table in found.items() if table is not None}

    async def is_settled(self):
        for region, table in (await self.members()).items():
            for replica in replicas_of(table.table):
                if replica.state == "CREATION_FAILED":
                    continue
                engine = self.servers[region].engine
                unsent = await first_unsent(
                    Positions(engine, lambda: NO_FENCES), engine, table,
                    number=remote_number(table.table, replica.region), replica=replica,
                )  # fmt: skip
                if (replica.state, replica.copy, unsent) != ("ACTIVE", "NONE", None):
                    return False
        return True
