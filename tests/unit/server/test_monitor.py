"""What a server says of itself while its storage does not serve, and with many tables."""

import asyncio
import json

import pytest
from prometheus_client.parser import text_string_to_metric_families

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.clock import SystemClock
from hashrange.model.table import Index, KeyAttribute
from hashrange.observe.counts import Durations
from hashrange.observe.metrics import Metrics
from hashrange.server.monitor import Monitor
from hashrange.server.sampler import Sampler
from hashrange.storage.engine import StorageUnavailableError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.lifecycle import inventory
from hashrange.tables.opened.reader import TableSize
from tests.unit.server.test_endpoint import BrokenEngine
from tests.unit.tables.definitions import definition

FIGURES = {
    "engine_commit_duration_seconds": Durations(),
    "engine_sync_duration_seconds": Durations(),
    "engine_down": True,
    "engine_commits_total": 7,
}
BUILDING = Index(
    name="i", number=1, partition=(KeyAttribute("a", "S"),), projection="ALL", state="BUILDING"
)


class DownEngine(BrokenEngine):
    """Serves nothing, until it is back."""

    def __init__(self):
        super().__init__(StorageUnavailableError("down"))
        self.is_back = False

    async def read(self, keys, **options):
        if self.is_back:
            return await DictEngine.read(self, keys, **options)
        return await super().read(keys, **options)

    async def scan(self, *arguments, **options):
        if self.is_back:
            return await super().scan(*arguments, **options)
        raise StorageUnavailableError("down")


def monitor_of(engine, sampler=None):
    catalog = Catalog(engine)
    return Monitor(
        Metrics(), lambda: FIGURES, engine, catalog, clock=SystemClock(), sampler=sampler
    )


# Who balances load asks this; the asking itself is what brings a storage back that can be.
def test_ready_is_who_can_read():
    engine = DownEngine()
    monitor = monitor_of(engine)
    assert asyncio.run(monitor.fault()) == "down"
    engine.is_back = True
    assert asyncio.run(monitor.fault()) is None


# Reads work, but a client that writes would wait, and nobody knows how long.
def test_not_ready_is_who_waits_for_the_disk():
    reasons = ["the disk has not answered", None]
    monitor = monitor_of(DictEngine())

    async def write_fault():
        return reasons.pop(0)

    monitor.write_fault = write_fault
    assert asyncio.run(monitor.fault()) == "the disk has not answered"
    assert asyncio.run(monitor.fault()) is None


# When the storage is down, its figures are what the operator needs.
def test_metrics_are_there_while_the_storage_is_down():
    monitor = monitor_of(DownEngine())
    text = asyncio.run(monitor.text()).decode()
    found = {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found["hashrange_engine_down"] == 1
    assert found["hashrange_engine_commits_total"] == 7
    snapshot = json.loads(asyncio.run(monitor.top()))
    assert snapshot["figures"]["engine_down"] == 1
    assert snapshot["hot_keys"] is None


# Counters of metrics never fall, so they outlive a table; the view of the load does not.
def test_the_top_has_only_tables_that_exist():
    async def tops():
        engine, metrics = DictEngine(), Metrics()
        catalog = Catalog(engine)
        await catalog.create(lambda number: definition(number=number, name="kept"), "kept")
        for name in ("kept", "gone"):
            metrics.consumed_on(name, "PutItem").write_units += 1
        monitor = Monitor(
            metrics, lambda: FIGURES, engine, catalog, clock=SystemClock(), sampler=None
        )
        return json.loads(await monitor.top())["tables"]

    assert list(asyncio.run(tops())) == ["kept"]


def test_asking_for_the_top_begins_sampling():
    sampler = Sampler([].append, SystemClock().monotonic_ns)
    monitor = monitor_of(DictEngine(), sampler)
    assert json.loads(asyncio.run(monitor.top()))["hot_keys"] == {"total": 0, "keys": []}
    assert sampler.is_watched
    asyncio.run(monitor_of(DictEngine(), sampler).text())


# Sizes are of some, counts of all; names go on over the pages of the catalog.
@pytest.mark.parametrize("sizes_max", [0, 150, 1000])
def test_inventory_of_many_tables(sizes_max):
    engine = DictEngine()
    catalog = Catalog(engine)

    async def made_and_found():
        for number in range(1, 251):
            indexes = (BUILDING,) if number == 20 else ()
            table = definition(number=number, name=f"t{number:03}", indexes=indexes)
            await catalog.create(lambda _, table=table: table, table.name)
        for name in ("t007", "t249"):
            await catalog.drop(name, 1, lambda _: None)
        return await inventory(engine, Catalog(engine), sizes_max=sizes_max)

    found = asyncio.run(made_and_found())
    assert (found.tables, found.dropping) == (248, 2)
    assert len(found.sizes) == min(sizes_max, 248)
    assert found.indexes_in_work == (1 if sizes_max else 0)
    if sizes_max:
        assert found.sizes["t001"] == TableSize(0, 0)
        assert "t007" not in found.sizes
