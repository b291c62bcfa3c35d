"""Rows of what rules of contributor insights have counted."""

import asyncio

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.capacity.contributors import CountedKeys, Sketch
from hashrange.limits.cloudwatch import INSIGHT_KEPT_MINUTES, INSIGHT_ROW_BYTES_MAX
from hashrange.storage.engine import NO_FENCES
from hashrange.tables.keys.metric_keys import metrics_range
from hashrange.tables.series.contributors import ContributorRows

ARN = "arn:aws:dynamodb:eu-west-1:000000000000:table/orders"


def counted(minute, keys, *, place=ARN):
    return CountedKeys(place=place, rule="PKC", minute=minute, keys=keys)


async def read(rows, *, place=ARN):
    return [each async for each in rows.read(place, "PKC", range(10_000))]


def test_rows_are_short_old_ones_go_and_each_process_has_its_own():
    async def scenario():
        engine = DictEngine()
        rows = ContributorRows(engine)
        long = {f"{number:04}{'x' * 400}": float(number) for number in range(200)}
        await rows.put([counted(1, Sketch(counts=long, total=9.0))], b"one")
        ((_, found),) = await read(rows)
        assert sum(map(len, found.counts)) <= INSIGHT_ROW_BYTES_MAX
        assert found.total == 9
        assert len(found.counts) > 20
        for process, count in ((b"one", 1.0), (b"two", 2.0), (b"two", 3.0)):
            keys = Sketch(counts={"a": count}, total=count)
            await rows.put([counted(2, keys), counted(2, keys, place="other")], process)
        assert [each.counts for at, each in await read(rows) if at == 2] == [{"a": 1.0}, {"a": 3.0}]
        await rows.forget((INSIGHT_KEPT_MINUTES + 2) * 60, lambda: NO_FENCES)
        assert [at for at, _ in await read(rows)] == [2, 2]
        await rows.forget((INSIGHT_KEPT_MINUTES + 3) * 60, lambda: NO_FENCES)
        assert await engine.scan(*metrics_range(), limit=9, bytes_max=9) == []

    asyncio.run(scenario())
