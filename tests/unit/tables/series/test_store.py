"""Time series in an engine: merged when they are written, moved when they are old."""

import asyncio

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.observe.statistic_sets import of_values
from hashrange.storage.engine import NO_FENCES
from hashrange.tables.keys.metric_keys import CHUNK_SAMPLES, RESOLUTIONS, chunks_range
from hashrange.tables.series.rollup import DAY, KEPT_SECONDS, forget_metrics, roll_up_page
from hashrange.tables.series.samples import Metric, Sample, StoredUnit
from hashrange.tables.series.store import SeriesStore

NOON = 1_790_000_000 // 3600 * 3600
LATENCY = Metric(scope="", namespace="App", name="Latency", dimensions=(("Page", "home"),))
OTHER = Metric(scope="", namespace="App", name="Latency", dimensions=(("Page", "cart"),))


def sample(seconds, *values, metric=LATENCY, unit="Count", fine=False):
    return Sample(
        metric=metric,
        unit=unit,
        seconds=seconds,
        values=of_values([(value, 1) for value in values]),
        fine=fine,
    )


@pytest.fixture
def series():
    return SeriesStore(DictEngine())


async def read(series, start, end, metric=LATENCY, *, fine=False):
    oldest = await series.oldest()
    found = await series.read(metric, "Count", (start, end), oldest, fine=fine)
    return [(each.seconds, each.period, each.values.sum) for each in found]


def no_fences():
    return NO_FENCES


async def rolled(series, now):
    for resolution in range(len(KEPT_SECONDS)):
        while await roll_up_page(series.engine, resolution, now, NO_FENCES):
            pass


def test_samples_of_one_minute_are_one(series):
    async def run():
        await series.add([sample(NOON, 1), sample(NOON + 59, 2), sample(NOON + 60, 4)])
        await series.add([sample(NOON + 1, 8), sample(NOON, 16, metric=OTHER)])
        return await read(series, NOON, NOON + 120)

    assert asyncio.run(run()) == [(NOON, 60, 11), (NOON + 60, 60, 4)]


def test_the_second_time_of_a_range_is_not_in_it(series):
    async def run():
        await series.add([sample(NOON + 60 * minute, minute) for minute in range(130)])
        return await read(series, NOON + 60, NOON + 7200)

    assert [value for _, _, value in asyncio.run(run())] == list(range(1, 120))


# Each value is at one resolution only, or sums over both would count it twice.
@pytest.mark.parametrize("resolution", range(3))
def test_old_samples_move_to_the_next_resolution(series, resolution):
    fine = resolution == 0
    period, following = RESOLUTIONS[resolution], RESOLUTIONS[resolution + 1]

    async def run():
        times = range(NOON, NOON + 2 * period * CHUNK_SAMPLES, RESOLUTIONS[min(resolution, 1)])
        await series.add([sample(at, 1, fine=fine) for at in times])
        before = await read(series, 0, NOON + DAY, fine=fine)
        await rolled(series, times[-1] + period * CHUNK_SAMPLES + KEPT_SECONDS[resolution])
        after = await read(series, 0, NOON + DAY, fine=fine)
        chunks = await series.engine.scan(*chunks_range(resolution), limit=1, bytes_max=1)
        return before, after, chunks

    before, after, chunks = asyncio.run(run())
    assert chunks == []
    assert {each for _, each, _ in after} == {following}
    assert sum(value for _, _, value in after) == sum(value for _, _, value in before)


def test_the_oldest_samples_are_deleted_and_then_their_metric(series):
    async def run():
        await series.add([sample(NOON, 1), sample(NOON + 400 * DAY, 1, metric=OTHER)])
        late = NOON + KEPT_SECONDS[-1] + 3 * DAY
        for _ in RESOLUTIONS:
            await rolled(series, late)
        await forget_metrics(series.engine, late, no_fences)
        return [each.dimensions async for each in series.metrics("")]

    assert asyncio.run(run()) == [OTHER.dimensions]


def test_metrics_are_found_by_scope_namespace_and_name(series):
    async def run():
        for scope, namespace, name in (
            ("", "App", "b"),
            ("", "App", "a"),
            ("", "Apple", "a"),
            ("1:eu", "App", "a"),
        ):
            metric = Metric(scope=scope, namespace=namespace, name=name)
            await series.add([sample(NOON, 1, metric=metric)])
        return [
            [(each.namespace, each.name) async for each in series.metrics(*asked)]
            for asked in (("",), ("", "App"), ("", "App", "a"), ("1:eu",))
        ]

    assert asyncio.run(run()) == [
        [("App", "a"), ("App", "b"), ("Apple", "a")],
        [("App", "a"), ("App", "b")],
        [("App", "a")],
        [("App", "a")],
    ]


def test_a_metric_knows_its_units_and_its_newest_hour(series):
    async def run():
        await series.add([sample(NOON, 1), sample(NOON - 7200, 1), sample(NOON, 1, unit="Bytes")])
        await series.add([sample(NOON + 1, 1, unit="Bytes", fine=True)])
        return (await series.stored(LATENCY)).units

    hour = NOON // 3600
    assert asyncio.run(run()) == {"Count": StoredUnit(hour), "Bytes": StoredUnit(hour, fine=True)}
