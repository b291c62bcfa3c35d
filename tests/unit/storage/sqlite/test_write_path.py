"""A put goes through the engine on SQLite in a straight line: queue, group, commit, visible."""

import asyncio
import itertools

import pytest

from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.engine import SqliteEngine
from tests.unit.server.request_frames import measured

CALLS_MAX = 18
"""Calls after that of `Engine.write` until the commit is visible, with those of the decision."""
MODULES_MAX = 9
"""Modules in which they are, of the storage, the decision and the plan. See
docs/internals/adr/0037-the-path-of-a-group.md."""
STORAGE = "hashrange.storage."
QUEUE = "hashrange.storage.sqlite.write_queue"
WAITER = "hashrange.storage.loop_waiter"
"""The future of a write, which requests that wait for their turn have too."""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The calls of a put, from `Engine.write` to the visible commit."""
    _, known = measured(tmp_path_factory.mktemp("data"), "put")
    start = known.called.index((f"{STORAGE}sqlite.engine", "SqliteEngine.write"))
    end = known.called.index((f"{STORAGE}sqlite.database", "ReadView.show"))
    return known.called[start : end + 1]


def test_a_put_is_visible_after_few_calls(path):
    assert len(path) - 1 <= CALLS_MAX, path


def test_few_modules_are_in_its_path(path):
    modules = {module for module, _ in path[1:]}
    assert len(modules) <= MODULES_MAX, path


# The queue hands writes on, and is not asked again before they are visible.
def test_no_step_calls_one_before_it(path):
    modules = [module for module, _ in path]
    run = path.index((f"{STORAGE}sqlite.committer", "Committer.run"))
    assert set(modules[1:run]) == {QUEUE, WAITER}
    assert not {QUEUE, modules[0]} & set(modules[run:])


# Durations are those of a group: many writes look at the clock as often as one.
def test_a_group_looks_at_the_clock_as_often_as_one_write(tmp_path):
    clock = itertools.count()
    engine = SqliteEngine.open(tmp_path, monotonic_ns=lambda: next(clock))

    def put(_):
        return Changes(answer=None, puts={b"k": b"v"})

    async def looks(writes):
        before = next(clock)
        await asyncio.gather(*(engine.write([b"k"], put) for _ in range(writes)))
        return next(clock) - before

    asyncio.run(looks(1))
    assert asyncio.run(looks(50)) == asyncio.run(looks(1))
    engine.close()
