"""Servers of several regions that fail and lose calls: their settings become equal, too."""

import asyncio
import contextlib

import msgspec
import pytest

from hashrange.api.dynamodb.replicas.settings import change_settings
from hashrange.errors import DynamoError
from hashrange.model.replication import Register
from hashrange.model.table import Index, KeyAttribute, Throughput
from hashrange.regions.replication.shared_targets import address_in, change_shared
from hashrange.tables.catalog.registers import parts_of
from hashrange.tables.jobs.scaling_rows import TABLE_READ, TABLE_WRITE, StoredPolicy, StoredTarget
from hashrange.tables.jobs.scaling_store import ScalingRows
from hashrange.tables.keys.scaling_keys import target_key
from tests.effort import effort
from tests.model.peers import ACCOUNT, NAME, World
from tests.model.test_peers import EAST, REGIONS, SOUTH, WEST
from tests.unit.tables.definitions import HOUR_MS, NOON_MS

STEPS = 150
BY_N = Index(
    name="by-n", number=0, partition=(KeyAttribute("n", "N"),), projection="ALL",
    throughput=Throughput(read_units=3, write_units=3),
)  # fmt: skip


def target(region, dimension=TABLE_WRITE, least=1):
    return StoredTarget(
        scope=f"{ACCOUNT}:{region}", resource=f"table/{NAME}", dimension=dimension,
        account=ACCOUNT, region=region, id="id", created_ms=NOON_MS, min_units=least,
        max_units=10**6, role="role",
        policies=(StoredPolicy(name="p", id="p", created_ms=NOON_MS, percent=50),),
    )  # fmt: skip


async def grown(seed):
    """A provisioned table with an index, with replicas in all regions."""
    world = World(seed, REGIONS)
    loss, world.loss = world.loss, 0
    await world.begin(indexes=(msgspec.structs.replace(BY_N, number=1),), next_index=2)
    engine = world.servers[EAST].engine
    for resource, dimension in writes():
        row = msgspec.structs.replace(target(EAST, dimension), resource=resource)
        await ScalingRows(engine).change(row.address, lambda _, row=row: row)
    await world.heal()
    for region in REGIONS[1:]:
        await world.servers[EAST].change("CREATE", region)
        await world.heal()
    world.loss = loss
    return world


def writes():
    return [
        (f"table/{NAME}", TABLE_WRITE),
        (f"table/{NAME}/index/by-n", "dynamodb:index:WriteCapacityUnits"),
    ]


async def with_units(server, number):
    """UpdateTable, or auto scaling, changes units of all replicas."""
    member = server.rng.choice(["read_units", "write_units"])

    def change(table):
        return msgspec.structs.replace(
            table, throughput=msgspec.structs.replace(table.throughput, **{member: number})
        )

    await change_settings(NAME, change, lambda _own, peer: peer, server.context)


async def with_override(server, number):
    """One replica gets settings of its own."""
    region = server.rng.choice(REGIONS)
    overrides = server.rng.choice(
        [
            {"read_units": number},
            {"table_class": server.rng.choice(["STANDARD", "STANDARD_INFREQUENT_ACCESS"])},
        ]
    )
    await server.change("UPDATE", region, **overrides)


async def with_class(server, number):
    table_class = "STANDARD" if number % 2 else "STANDARD_INFREQUENT_ACCESS"

    def change(table):
        return msgspec.structs.replace(table, table_class=table_class)

    await change_settings(NAME, change, lambda _own, peer: peer, server.context)


async def with_index(server, _number):
    """An index is built, or removed."""

    def change(table):
        if table.index("by-n") is not None:
            kept = (msgspec.structs.replace(each, state="DELETING") for each in table.indexes)
            return msgspec.structs.replace(table, indexes=tuple(kept))
        built = msgspec.structs.replace(BY_N, number=table.next_index)
        return msgspec.structs.replace(
            table, indexes=(*table.indexes, built), next_index=table.next_index + 1
        )

    await change_settings(NAME, change, lambda _own, peer: peer, server.context)


async def with_target(server, number):
    """A scalable target is changed, or removed: that of all, or that of the reads of one region."""
    table = (await server.table()).table
    dimension = server.rng.choice([TABLE_READ, TABLE_WRITE])
    region = server.region if dimension == TABLE_WRITE else server.rng.choice(REGIONS)
    after = None if server.rng.random() < 0.2 else target(region, dimension, number)
    await change_shared(
        server.within, server.working, table, address_in(table, region, f"table/{NAME}", dimension),
        change=lambda _: after, now_ms=server.now_ms(),
    )  # fmt: skip


class Settings:
    """Changes settings, and notes what has taken effect.

    Attributes:
        written: of all changes, names of registers with the latest version and value.
    """

    def __init__(self, world):
        self.world, self.number, self.written = world, 1000, []

    async def change(self):
        server = self.world.rng.choice([*self.world.servers.values()])
        before = await self.registers(server)
        if before is None:
            return
        self.number += 1
        work = self.world.rng.choice([
            *[with_units] * 3, *[with_override] * 3, with_class, with_index, *[with_target] * 2
        ])  # fmt: skip
        try:
            with contextlib.suppress(DynamoError):
                await work(server, self.number)
        finally:
            after = await self.registers(server)
            self.written += [
                (each.version, name, each.value)
                for name, each in after.items()
                if before.get(name) != each
            ]

    @staticmethod
    async def registers(server):
        opened = await server.table()
        return None if opened is None else dict(opened.table.replication.registers)

    def expected(self, region, base):
        """Table class and units of a region: what was written last, overrides until all change."""
        found = dict(base)
        for _version, name, value in sorted(self.written, key=lambda each: each[0]):
            field, index, at = parts_of(name)
            if index is None and field in found and at in {None, region}:
                found[field] = base_of(self.written, field, _version) if value is None else value
        return found


def base_of(written, field, version):
    """The last value of all regions, when the override of one has ended."""
    values = [(each[0], each[2]) for each in written if each[1] == field and each[0] <= version]
    return max(values, default=(None, {"read": 5, "write": 5, "class": None}[field]))[1]


def units_of(table):
    return {
        "read": table.throughput.read_units,
        "write": table.throughput.write_units,
        "class": table.table_class,
    }


@pytest.mark.parametrize("seed", range(effort(6, 25)))
def test_settings_become_equal(seed):
    async def run():
        world = await grown(seed)
        settings = Settings(world)
        for _ in range(STEPS):
            await world.step(*[settings.change] * 6)
        await world.heal()
        tables = {each: (await world.servers[each].table()).table for each in REGIONS}
        told = [each.replication.registers for each in tables.values()]
        assert told[0] == told[1] == told[2]
        shapes = [
            [(each.partition, each.state != "DELETING") for each in table.indexes]
            for table in tables.values()
        ]
        assert shapes[0] == shapes[1] == shapes[2]
        base = {"read": 5, "write": 5, "class": None}
        for region, table in tables.items():
            assert units_of(table) == settings.expected(region, base), region
        await assert_targets(world, told[0])

    asyncio.run(run())


async def assert_targets(world, registers):
    """Each region has the targets of writes that all have, and those of its reads."""
    for region, server in world.servers.items():
        for name, dimension in (
            ("write_target", TABLE_WRITE), (f"read_target@{region}", TABLE_READ),
        ):  # fmt: skip
            address = address_in((await server.table()).table, region, f"table/{NAME}", dimension)
            (row,) = await server.engine.read([target_key(address.text)])
            value = registers.get(name, Register(None, (0, ""))).value
            assert (row is None) == (value is None), (region, name)
            if row is not None:
                least = [msgspec.json.decode(each)["min_units"] for each in (row, value)]
                assert least[0] == least[1]
                assert msgspec.json.decode(row)["region"] == region


def test_an_index_that_is_removed_is_not_built_again_by_units_that_are_scaled_elsewhere():
    async def run():
        world = await grown(1)
        world.loss = 0
        east, west, south = (world.servers[each] for each in REGIONS)
        for server in world.servers.values():
            server.restart(brittle=False)
        world.cut = {frozenset((EAST, WEST)), frozenset((WEST, SOUTH)), frozenset((EAST, SOUTH))}
        await with_index(east, 0)  # it is removed
        for minute in range(3):
            world.time_ms += HOUR_MS
            await with_units(west, 50 + minute)
        await south.change("UPDATE", EAST, read_units=77)
        await world.heal()
        tables = [(await each.table()).table for each in (east, west, south)]
        for table in tables:
            assert [each for each in table.indexes if each.state != "DELETING"] == []
        assert tables[0].throughput.read_units == 77

    asyncio.run(run())
