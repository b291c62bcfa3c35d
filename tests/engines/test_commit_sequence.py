"""Readers in several processes agree on the last commit at each moment of a commit."""

import asyncio
import os

import apsw
import pytest

from hashrange.assembly.engines.trials.subject import change
from hashrange.storage.engine import StaleFenceError, StorageError
from hashrange.storage.sqlite.committer import Committer
from hashrange.storage.sqlite.connections import Connections
from hashrange.storage.sqlite.directory import DATA_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.recovery import RETRY_NS
from hashrange.storage.sqlite.tuning import SHARED_VFS, Tuning
from hashrange.storage.workers.snapshot import CommitCounter, Snapshot, create_shared_memory
from tests.engines.killed_writer import KEY, begun, killed
from tests.engines.worker_group import WorkerGroup


class WatchedCounter(CommitCounter):
    """Calls a test where a commit is not visible yet, and where it has just become visible."""

    def __init__(self, descriptor):
        super().__init__(descriptor)
        self.before = self.after = lambda: None

    def begin(self):
        super().begin()
        self.before()

    def end(self):
        self.after()
        super().end()


class LateCounter(WatchedCounter):
    """Is moved after a commit only, as it once was."""

    def begin(self):
        self.before()

    def end(self):
        self.after()
        self._cells[0] += 2


@pytest.fixture
def counter():
    """A counter that was made and never moved."""
    descriptor = create_shared_memory()
    counter = CommitCounter(descriptor)
    os.close(descriptor)
    yield counter
    counter.close()


def on_group(tmp_path, use, counter=WatchedCounter):
    """Run a coroutine function on a group of two readers, and a snapshot of each."""

    async def run():
        async with WorkerGroup(tmp_path / "data", workers=2, counter=counter) as group:
            await use(group, *group.snapshots)

    asyncio.run(run())


def value(snapshot, fences=None):
    (found,) = snapshot.read([KEY], fences or {})
    return found


def page(snapshot):
    return snapshot.scan((b"", b"z"), {}, limit=9, bytes_max=99, reverse=False)


# The one whose snapshot is new has answered with the new value: the other one may not answer with
# the old one, though nobody was told that the commit has ended.
def test_readers_agree_when_a_commit_has_become_visible(tmp_path):
    seen = []

    async def use(group, kept, fresh):
        await change(group.writer, puts={KEY: b"1"})

        def look():
            fresh.release()
            seen.append((value(fresh), value(kept), page(kept), value(fresh), page(fresh)))

        assert value(kept) == b"1"
        group.counter.after = look
        await change(group.writer, puts={KEY: b"2"})
        group.counter.after = lambda: None
        assert seen == [(b"2", b"2", [(KEY, b"2")], b"2", [(KEY, b"2")])]

    on_group(tmp_path, use)


# The test above must be able to fail: a counter that is moved after the commit is what it is for.
def test_readers_disagree_if_the_counter_is_moved_after_the_commit_only(tmp_path):
    seen = []

    async def use(group, kept, fresh):
        await change(group.writer, puts={KEY: b"1"})
        assert value(kept) == b"1"
        group.counter.after = lambda: seen.append((value(fresh), value(kept)))
        await change(group.writer, puts={KEY: b"2"})
        group.counter.after = lambda: None
        assert seen == [(b"2", b"1")]

    on_group(tmp_path, use, LateCounter)


# What was read while a commit runs, and is not visible, must not be kept until it is.
def test_a_snapshot_from_before_a_commit_is_not_kept_over_it(tmp_path):
    seen = []

    async def use(group, one, other):
        await change(group.writer, puts={KEY: b"1"})
        look = group.counter.before = lambda: seen.append((value(one), value(other)))
        group.counter.after = lambda: (other.release(), look())
        await change(group.writer, puts={KEY: b"2"})
        group.counter.before = group.counter.after = lambda: None
        assert seen == [(b"1", b"1"), (b"2", b"2")]
        assert value(one) == value(other) == b"2"

    on_group(tmp_path, use)


# Fences are remembered with the snapshot, and forgotten with it.
def test_a_fence_is_checked_on_what_is_visible_in_the_middle_of_a_commit(tmp_path):
    async def use(group, kept, _):
        await change(group.writer, puts={b"table": b"1", KEY: b"1"})
        fences = {b"table": b"1"}
        assert value(kept, fences) == b"1"
        raised = []

        def look():
            with pytest.raises(StaleFenceError):
                value(kept, fences)
            raised.append(True)

        group.counter.after = look
        await change(group.writer, puts={b"table": b"2"})
        group.counter.after = lambda: None
        assert raised

    on_group(tmp_path, use)


# To begin a transaction for each read costs as much as the read: only while a commit runs.
def test_between_commits_a_snapshot_is_kept(tmp_path):
    statements = []

    async def use(group, kept, _):
        await change(group.writer, puts={KEY: b"1"})
        assert value(kept) == b"1"
        kept.connection.exec_trace = lambda _, statement, __: statements.append(statement) or True
        assert [value(kept) for _ in range(3)] == [b"1"] * 3
        assert "BEGIN" not in statements
        group.counter.after = lambda: [value(kept) for _ in range(3)]
        await change(group.writer, puts={KEY: b"2"})
        group.counter.after = lambda: None
        assert statements.count("BEGIN") == 3

    on_group(tmp_path, use)


# Nobody knows whether it is there before the file is opened anew; a reader could see it, or not.
@pytest.mark.parametrize("is_committed", [False, True])
def test_a_commit_that_has_failed_ends_when_the_file_is_open_again(
    tmp_path, monkeypatch, is_committed
):
    commit, open_again = Committer.commit, Connections.open

    async def use(group, kept, fresh):
        counter = group.counter
        await change(group.writer, puts={KEY: b"1"})
        assert value(kept) == b"1"
        before, moments = counter.value(), []

        def fails(committer, group):
            if is_committed:
                commit(committer, group)
            raise apsw.IOError("planted")

        def watched(connections):
            moments.append((counter.value() % 2, value(fresh) == value(kept)))
            open_again(connections)

        with monkeypatch.context() as planted:
            planted.setattr(Committer, "commit", fails)
            planted.setattr(Connections, "open", watched)
            with pytest.raises(StorageError):
                await change(group.writer, puts={KEY: b"2"})
        assert moments == [(1, True)]
        assert counter.value() % 2 == 0
        assert counter.value() > before
        assert value(fresh) == value(kept) == (b"2" if is_committed else b"1")

    on_group(tmp_path, use)


# While it cannot be opened readers go on, and agree.
def test_readers_agree_while_the_storage_of_the_writer_is_down(tmp_path, monkeypatch):
    commit = Committer.commit

    async def use(group, kept, fresh):
        await change(group.writer, puts={KEY: b"1"})
        assert value(kept) == b"1"

        def fails(committer, group):
            commit(committer, group)
            raise apsw.IOError("planted")

        def down(_connections):
            raise OSError("planted")

        monkeypatch.setattr(Committer, "commit", fails)
        monkeypatch.setattr(Connections, "open", down)
        with pytest.raises(StorageError):
            await change(group.writer, puts={KEY: b"2"})
        assert group.writer.stats().down
        assert value(fresh) == value(kept) == b"2"
        assert group.counter.value() % 2 == 1
        monkeypatch.undo()
        group.now_ns += RETRY_NS
        await change(group.writer, puts={KEY: b"3"})
        assert group.counter.value() % 2 == 0
        assert value(fresh) == value(kept) == b"3"

    on_group(tmp_path, use)


# Killed before COMMIT nothing has happened; killed after it all has, though nobody was told. Both
# leave the counter odd, and the next writer makes it even, and another one than ever before.
@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are for POSIX systems")
@pytest.mark.parametrize(("point", "left"), [("begin", b"1"), ("end", b"2")])
def test_readers_agree_when_the_writer_is_killed_in_a_commit(tmp_path, point, left):
    descriptor = create_shared_memory()
    counter = CommitCounter(descriptor)
    directory = tmp_path / "data"
    with begun(directory, descriptor, point) as process:
        kept, fresh = (Snapshot(directory / DATA_FILE, counter) for _ in range(2))
        assert value(kept) == b"1"
        before = counter.value()
        assert before % 2 == 0
        killed(process)
    assert counter.value() == before + 1
    assert value(fresh) == value(kept) == value(fresh) == left

    async def go_on():
        tuning = Tuning(vfs=SHARED_VFS, commits=counter)
        writer = SqliteEngine.open(directory, tuning=tuning)
        after = counter.value()
        assert after % 2 == 0
        assert after > before
        assert value(fresh) == value(kept) == left
        await change(writer, puts={KEY: b"3"})
        assert value(fresh) == value(kept) == b"3"
        assert counter.value() > after
        fresh.release()
        kept.release()
        writer.close()

    asyncio.run(go_on())
    for snapshot in (kept, fresh):
        snapshot.close()
    counter.close()
    os.close(descriptor)


def test_the_counter_only_grows_and_says_by_its_parity_what_it_was_told(counter):
    values = [counter.value()]
    for step in (
        counter.end,  # has no effect: it is even
        counter.begin,
        counter.begin,  # nor has this: it is odd
        counter.end,
        counter.begin,
        counter.end,
    ):
        step()
        values.append(counter.value())
    assert values == [0, 0, 1, 1, 2, 3, 4]
