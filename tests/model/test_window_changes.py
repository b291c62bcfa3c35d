"""Net changes of a window, read while the table is written, and what a model says of them.

Streams come and go, so some records have the images after changes and others have not.
"""

import asyncio
import json
from functools import partial

import pytest

from hashrange.backups.exports.changes import WindowChanges
from hashrange.backups.exports.data_files import snapshot_of, with_export
from hashrange.model.backup import NEW_AND_OLD_IMAGES, ExportJob, Target, Window
from hashrange.model.log import LogReader
from hashrange.storage.engine import NO_FENCES
from hashrange.tables.log.shards import with_reader
from tests.effort import effort
from tests.model.test_snapshots import NAME, NUMBER, Life, Restless
from tests.unit.tables.definitions import NOON_MS


def job_of(window, now_ms):
    return ExportJob(
        arn="arn:export",
        table_arn="arn:table",
        table_id="id",
        table=NAME,
        started_ms=now_ms,
        table_number=1,
        number=NUMBER,
        target=Target(bucket="bucket"),
        window=window,
    )


class ExactChanges(WindowChanges):
    """By one clock."""

    CLOCKS_MS_MAX = 0


async def exporter(life, job):
    """What an export makes when it begins, or goes on after an interruption."""

    async def write():
        if life.rng.random() < 0.1:
            await life.write()

    table = (await life.catalog.open(NAME)).table
    reader = snapshot_of(job).reader
    (first,) = [each.first_shard for each in table.log.readers if each.name == reader]
    return ExactChanges(
        Restless(life.engine, write),
        job,
        partial(life.catalog.open, NAME),
        first_shard=first,
        fences=lambda: NO_FENCES,
        page_rows=8,
    )


async def collected(life, job, *, has_pages):
    """An exporter that has read the log to its end, sometimes in the second attempt."""
    while True:
        found = await exporter(life, job)
        while await found.collect(is_again=has_pages):
            # Seldom, so that the log has an end.
            if life.rng.random() < 0.05:
                await life.disturb()
            if life.rng.random() < 0.02:
                break
        else:
            return found


async def net_changes(life, job):
    found, start, pages = {}, None, 0
    window = await collected(life, job, has_pages=False)
    while True:
        page = await window.page(start)
        found.update({key: (each.old, each.new) for key, each in page.changes})
        start, pages = page.start, pages + 1
        if start is None:
            return found
        await life.disturb()
        if life.rng.random() < 0.2:
            window = await collected(life, job, has_pages=True)


def items_of(pair):
    return tuple(None if json_ is None else json.loads(json_) for json_ in pair)


@pytest.mark.parametrize("seed", range(effort(7, 30)))
def test_net_changes_are_those_of_the_window(seed):
    async def run():
        life = Life(seed)
        await life.begin(stream=seed % 2 == 0)
        history = LogReader(name="recovery", kind="RECOVERY", first_shard=0)
        await life.catalog.change(NAME, lambda table: with_reader(table, history, 2, NOON_MS))
        bounds = []
        for _ in range(3):
            for _ in range(6):
                await life.disturb()
            life.time_ms += 1
            bounds.append(life.time_ms)
        window = Window(from_ms=bounds[0], to_ms=bounds[1], view_type=NEW_AND_OLD_IMAGES)
        job = job_of(window, life.time_ms)
        await life.catalog.change(NAME, partial(with_export, job))
        before, after = (life.at(bound - 1) for bound in bounds[:2])
        found = await net_changes(life, job)
        for key, pair in found.items():
            assert items_of(pair) == (before.get(key), after.get(key))
        changed = {key for key in before | after if before.get(key) != after.get(key)}
        assert changed <= found.keys()

    asyncio.run(run())
