"""A put goes through the engine on SQLite in a straight line: queue, group, commit, visible."""

import pytest

from tests.unit.server.request_frames import measured

CALLS_MAX = 18
"""Calls after that of `Engine.write` until the commit is visible, with those of the decision."""
MODULES_MAX = 7
"""Modules of the storage in which they are. See docs/adr/0035-the-path-of-a-group.md."""
STORAGE = "hashrange.storage."
QUEUE = "hashrange.storage.sqlite.write_queue"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The calls of a put, from `Engine.write` to the visible commit."""
    _, known = measured(tmp_path_factory.mktemp("data"), "put")
    start = known.called.index((f"{STORAGE}sqlite.engine", "SqliteEngine.write"))
    end = known.called.index((f"{STORAGE}sqlite.read_view", "ReadView.show"))
    return known.called[start : end + 1]


def test_a_put_is_visible_after_few_calls(path):
    assert len(path) - 1 <= CALLS_MAX, path


def test_few_modules_of_the_storage_are_in_its_path(path):
    modules = {module for module, _ in path if module.startswith(STORAGE)}
    assert len(modules) <= MODULES_MAX, path


# The queue hands writes on, and is not asked again before they are visible.
def test_no_step_calls_one_before_it(path):
    modules = [module for module, _ in path]
    run = path.index((f"{STORAGE}sqlite.committer", "Committer.run"))
    assert set(modules[1:run]) == {QUEUE}
    assert not {QUEUE, modules[0]} & set(modules[run:])
