"""The quota of an account holds for writes of one group, and of several processes."""

import asyncio

import msgspec
import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.model.table import Throughput
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.account_units import AccountUnits
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.verifying.verify import findings
from tests.unit.tables.definitions import definition, on_demand

MOST = 100


@pytest.fixture
def engine():
    opened = SqliteEngine.open(None)
    yield opened
    opened.close()


def catalogs(engine, count):
    """Those of several processes."""
    found = [Catalog(engine) for _ in range(count)]
    for each in found:
        each.units = AccountUnits(engine, MOST)
    return found


def of_units(name, units):
    throughput = Throughput(read_units=units, write_units=1)
    return lambda number: definition(number=number, name=name, throughput=throughput)


async def added(catalog, name, units):
    """The units of a table that could be made."""
    try:
        table = await catalog.create(of_units(name, units), name)
    except DynamoError as error:
        if error.fault is not Fault.LIMIT_EXCEEDED:
            raise
        return 0
    return table.throughput.read_units


# All of them are in one group of the engine, after all have summed up the same.
@pytest.mark.parametrize("processes", [1, 2])
def test_tables_of_one_group_are_within_it(engine, processes):
    some = catalogs(engine, processes)

    async def together():
        return await asyncio.gather(
            *(added(some[number % processes], f"t{number}", 30) for number in range(8))
        )

    assert sum(asyncio.run(together())) == 90
    assert asyncio.run(findings(engine)) == []


def test_updates_of_one_group_are_within_it(engine):
    (catalog,) = catalogs(engine, 1)

    def raised(table):
        return msgspec.structs.replace(table, throughput=Throughput(read_units=40, write_units=1))

    async def raise_units(name):
        try:
            table = await catalog.change(name, raised)
        except DynamoError:
            return False
        return table.throughput.read_units == 40

    async def together():
        for number in range(4):
            await added(catalog, f"t{number}", 1)
        return await asyncio.gather(*(raise_units(f"t{number}") for number in range(4)))

    assert sum(asyncio.run(together())) == 2


def test_what_adds_no_units_is_not_summed_up(engine):
    (catalog,) = catalogs(engine, 1)
    asyncio.run(added(catalog, "full", MOST))
    catalog.units.reserved = None
    asyncio.run(catalog.create(lambda number: on_demand(number=number, name="more"), "more"))
    lower = Throughput(read_units=MOST - 1, write_units=1)
    changed = asyncio.run(
        catalog.change("full", lambda table: msgspec.structs.replace(table, throughput=lower))
    )
    assert changed.throughput == lower
