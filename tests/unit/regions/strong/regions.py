"""Three servers in one process, each with a region of a strong table and an engine of its own."""

import asyncio
import contextlib
from random import Random

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.strong_members import StrongMembers
from hashrange.model.canonical import canonical_item
from hashrange.model.replication import Replication, StrongGroup, Witness
from hashrange.model.wording import Wording
from hashrange.regions.consensus.log import LOG_BOUNDS
from hashrange.regions.peers.calls import PeerAwayError
from hashrange.regions.strong.groups import StrongGroups
from hashrange.storage.engine import NO_FENCES, Changes
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_from, image_of
from hashrange.tables.jobs.witnesses import encode_witness
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.consensus_keys import witness_key
from hashrange.tables.keys.log_keys import logs_range
from hashrange.tables.keys.system_keys import sequence_key
from hashrange.tables.log.change_log import record_from
from hashrange.tables.log.shards import with_stream
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.unit.regions.strong.fast_loop import passes
from tests.unit.tables.definitions import NOON_MS, definition, store_of

EAST, WEST, SOUTH = "us-east-1", "us-west-2", "us-south-1"
NAMES = tuple(sorted((EAST, WEST, SOUTH)))
NAME = "a-table"
ALL = {"limit": 100_000, "bytes_max": 10**9}


class Network:
    """Calls between the servers; it cuts regions off."""

    def __init__(self):
        self.servers = {}
        self.cut = set()

    async def call(self, sender, receiver, verb, body):
        await passes(0.001)
        server = self.servers[receiver]
        if server.groups is None or {sender, receiver} & self.cut:
            raise PeerAwayError(f"{receiver} is away")
        return await server.groups.verbs[verb](sender, receiver, body)


class Region:
    """A server that is stopped and started again on what its engine has."""

    def __init__(self, network, region, log_bounds):
        self.network, self.region, self.log_bounds = network, region, log_bounds
        self.engine = DictEngine(now_ms=lambda: NOON_MS)
        self.groups = None
        network.servers[region] = self

    async def make(self, group, **changes):
        """The table of the region, or its witness."""
        if self.region == group.witness:
            witness = Witness(number=1, account="0", name=NAME, region=self.region, group=group)
            puts = {witness_key(group.id): encode_witness(witness)}
            puts[sequence_key()] = (2).to_bytes(4, "big")
            await self.engine.write(
                [witness_key(group.id)], lambda _: Changes(answer=None, puts=puts)
            )
            return
        others = tuple(each for each in NAMES if each != self.region)
        replication = Replication(regions=(self.region, *others), group="g", strong=group)

        def draft(number):
            table = definition(
                number=number, region=self.region, replication=replication, **changes
            )
            return with_stream(table, "NEW_AND_OLD_IMAGES", 1, NOON_MS)

        # Other numbers elsewhere, as where there are other tables.
        for _ in range(NAMES.index(self.region)):
            number = await Catalog(self.engine).create(lambda each: definition(number=each), "x")
            await Catalog(self.engine).drop("x", NOON_MS, lambda _: None)
            del number
        await self.catalog_of(Catalog(self.engine)).create(draft, NAME)

    def catalog_of(self, whole):
        return whole.within("000000000000", self.region)

    async def start(self):
        self.catalog = Catalog(self.engine)
        self.store = store_of(self.engine)

        class Groups(StrongGroups):
            LOG_BOUNDS = self.log_bounds

        self.groups = Groups(
            self.store,
            self.catalog,
            calls=self.network,
            own=[self.region],
            draw=Random(self.region).random,
        )
        self.store.strong = self.groups
        self.members = StrongMembers(
            self.groups, self.store, self.catalog, fences=lambda: NO_FENCES
        )
        self.catalog.on_change = self.members.wake
        self._task = asyncio.create_task(self.members.run())

    async def stop(self):
        self.groups, task = None, self._task
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def table(self):
        return await self.catalog_of(self.catalog).open(NAME)

    async def put(self, key, **attributes):
        """Write an item unconditionally."""
        return await self.change(key, lambda _: {"pk": {"S": key}, **attributes})

    async def delete(self, key):
        return await self.change(key, lambda _: None)

    async def change(self, key, after):
        """Write what a function makes of the item before, None for none."""
        table = await self.table()

        def decide(before):
            item = after(None if before is None else before.item())
            if item is None:
                return Decision(None, None)
            sized = canonical_item(item, Wording.CURRENT)
            return Decision(image_of(sized.item, sized.bytes), item)

        place = key_of_item(table, {"pk": {"S": key}})
        (done,) = await write_items(self.store, [ItemWrite(table, place, decide)])
        return done.answer

    async def add(self, key, amount=1):
        def after(before):
            number = int(before["n"]["N"]) if before else 0
            return {"pk": {"S": key}, "n": {"N": str(number + amount)}}

        return await self.change(key, after)

    async def read(self, key):
        """A strong read; the number of the item, or None."""
        table = await self.table()
        await self.store.strong.read(table)
        (row,) = await self.engine.read([key_of_item(table, {"pk": {"S": key}})])
        return None if row is None else image_from(row).item().get("n", {}).get("N")

    async def items(self):
        table = await self.table()
        rows = await self.engine.scan(*keyspace.items_range(table.number), **ALL)
        return {
            each["pk"]["S"]: each.get("n", {}).get("N")
            for each in (image_from(row).item() for _, row in rows)
        }

    async def records(self):
        """The records of the log of changes: what a stream shows of them."""
        table = await self.table()
        rows = await self.engine.scan(*logs_range(table.number), **ALL)
        records = [record_from(row) for _, row in rows]
        return [(each.before, each.after, each.version) for each in records]

    async def findings(self):
        return await findings(self.engine)


@contextlib.asynccontextmanager
async def regions(*, witness=None, starts=NAMES, log_bounds=LOG_BOUNDS, **changes):
    """The servers by region."""
    network = Network()
    group = StrongGroup(id="the-group", members=NAMES, witness=witness, state="ACTIVE")
    found = {name: Region(network, name, log_bounds) for name in NAMES}
    for each in found.values():
        await each.make(group, **changes)
        if each.region in starts:
            await each.start()
    try:
        yield network, found
    finally:
        for each in found.values():
            if each.groups is not None:
                await each.stop()


async def equal(found, names=(EAST, WEST)):
    """Wait until the regions have the same items, and return these."""
    for _ in range(2000):
        items = [await found[name].items() for name in names]
        if all(each == items[0] for each in items):
            return items[0]
        await passes(0.01)
    raise AssertionError(items)
