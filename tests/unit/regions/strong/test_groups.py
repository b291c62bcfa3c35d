"""Strong tables of three servers in one process: what is written in one is read in the others."""

import asyncio

import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.model.table import Index, KeyAttribute
from hashrange.regions.consensus.log import LogBounds
from hashrange.tables.keys.consensus_keys import entries_range
from hashrange.tables.keys.keyspace import index_range
from tests.unit.regions.strong.fast_loop import passes, run
from tests.unit.regions.strong.regions import ALL, EAST, SOUTH, WEST, equal, regions
from tests.unit.tables.definitions import PK

N = KeyAttribute("n", "N")


def test_increments_of_one_region_are_all_there():
    async def scenario():
        async with regions() as (_, found):
            await asyncio.gather(*(found[EAST].add("a") for _ in range(50)))
            assert await found[WEST].read("a") == "50"

    run(scenario())


@pytest.mark.parametrize("witness", [None, SOUTH])
def test_one_region_may_be_lost_and_comes_back(witness):
    async def scenario():
        async with regions(witness=witness) as (_, found):
            await found[EAST].put("a", n={"N": "1"})
            await found[EAST].stop()
            await found[WEST].put("a", n={"N": "2"})
            await found[WEST].put("b", n={"N": "3"})
            await found[EAST].start()
            assert await found[EAST].read("a") == "2"
            await found[WEST].stop()
            assert await found[EAST].read("b") == "3"
            await found[EAST].put("b", n={"N": "4"})

    run(scenario())


def test_without_a_majority_requests_are_refused():
    async def scenario():
        async with regions() as (network, found):
            await found[EAST].put("a", n={"N": "1"})
            network.cut = {WEST, SOUTH}
            with pytest.raises(DynamoError) as refused:
                await found[EAST].read("a")
            assert refused.value.fault is Fault.UNAVAILABLE
            for _ in range(2):
                with pytest.raises(DynamoError) as refused:
                    await found[EAST].put("a", n={"N": "2"})
            assert refused.value.fault is Fault.UNAVAILABLE
            assert f"no answer from {SOUTH}, {WEST}" in refused.value.message
            assert await found[EAST].items() == {"a": "1"}
            network.cut = set()
            assert await found[EAST].read("a") == "1"
            await found[EAST].put("a", n={"N": "3"})
            assert await found[WEST].read("a") == "3"

    run(scenario())


# As long as a region is away the others keep what it lacks; beyond the bound it gets a copy.
@pytest.mark.parametrize("witness", [None, SOUTH])
def test_a_region_that_was_away_for_long_gets_a_copy(witness, caplog):
    caplog.set_level("INFO")
    bounds = LogBounds(entries_max=20, removed_min=5)

    async def scenario():
        async with regions(witness=witness, log_bounds=bounds) as (_, found):
            east, west = found[EAST], found[WEST]
            for number in range(100):
                await west.put(f"k{number}", n={"N": "0"})
            await equal(found)
            await east.stop()
            for number in range(60):
                await west.put(f"k{number}", n={"N": "1"})
            for number in range(70, 80):
                await west.delete(f"k{number}")
            expected = await west.items()
            await east.start()
            # Writes go on while the items are copied.
            for number in range(20):
                await west.put(f"k{number}", n={"N": "2"})
                expected[f"k{number}"] = "2"
            assert await east.read("k10") == "2"
            assert await equal(found) == expected
            await west.stop()
            assert await east.add("k10") == {"pk": {"S": "k10"}, "n": {"N": "3"}}
            assert await east.findings() == await west.findings() == []

    run(scenario())
    assert "the items are copied from" in caplog.text


def test_entries_that_all_have_are_removed():
    async def scenario():
        async with regions(witness=SOUTH, log_bounds=LogBounds(removed_min=5)) as (_, found):
            for number in range(60):
                await found[EAST].put(f"k{number % 7}", n={"N": str(number)})
            await equal(found)
            await passes(5)
            for each in found.values():
                number = 1 if each.region == SOUTH else (await each.table()).number
                rows = await each.engine.scan(*entries_range(number), **ALL)
                assert len(rows) <= 10, each.region
            await found[EAST].stop()
            await found[EAST].start()
            assert await found[EAST].add("k1") == {"pk": {"S": "k1"}, "n": {"N": "58"}}

    run(scenario())


def test_indexes_and_counters_follow():
    async def scenario():
        index = Index(name="by-n", number=1, partition=(N,), projection="ALL")
        async with regions(attributes=(PK, N), indexes=(index,)) as (_, found):
            for number in range(10):
                await found[EAST].put(f"k{number % 5}", n={"N": str(number)})
            await found[WEST].delete("k1")
            await equal(found, (EAST, WEST, SOUTH))
            for each in found.values():
                assert await each.findings() == []
                table = await each.table()
                entries = await each.engine.scan(*index_range(table.number, 1), **ALL)
                assert len(entries) == 4

    run(scenario())
