"""What only readers with a writer beside them can do wrong; the contract asks for the rest."""

import asyncio
import contextlib
import socket
import threading
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.subject import change
from hashrange.clock import SystemClock
from hashrange.storage.engine import (
    Changes,
    ContendedError,
    StaleFenceError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.storage.pending_write import TRIES_MAX
from hashrange.storage.sqlite.directory import DATA_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.workers.engine import WorkerEngine
from hashrange.storage.workers.messages import (
    COMPARED_BYTES_MAX,
    FrameDecoder,
    Reply,
    ReplyStatus,
    framed,
)
from hashrange.storage.workers.snapshot import CommitCounter, Snapshot, create_shared_memory
from hashrange.storage.workers.writer import serve_reader
from hashrange.storage.workers.writer_connection import WriterConnection
from tests.engines.worker_group import WorkerGroup
from tests.pace import SECONDS_MAX, loop_until, turns


def on_group(tmp_path, use, **tuning):
    """Run a coroutine function on a group of two readers."""

    async def run():
        async with WorkerGroup(tmp_path / "data", workers=2, **tuning) as group:
            await use(group)

    asyncio.run(run())


# One reader keeps its snapshot open while the other writes; both are asked again and again.
def test_a_read_is_never_older_than_the_call(tmp_path):
    async def use(group):
        one, other = group.engines
        for number in range(200):
            value = b"%d" % number
            await change(one, puts={b"k": value})
            assert await other.read([b"k"]) == [value]
            assert await other.scan(b"", b"z", limit=9, bytes_max=99) == [(b"k", value)]
            one, other = other, one

    on_group(tmp_path, use)


def test_a_fence_that_another_reader_has_changed_is_stale(tmp_path):
    async def use(group):
        one, other = group.engines
        await change(one, puts={b"table": b"1"})
        fences = {b"table": b"1"}
        await other.read([b"k"], fences=fences)
        await change(other, puts={b"k": b"v"}, fences=fences)
        await change(one, puts={b"table": b"2"})
        with pytest.raises(StaleFenceError):
            await other.read([b"k"], fences=fences)
        with pytest.raises(StaleFenceError):
            await change(other, puts={b"k": b"w"}, fences=fences)
        assert await one.read([b"k"]) == [b"v"]

    on_group(tmp_path, use)


def appended(letter):
    def decide(values):
        return Changes(answer=None, puts={b"k": (values[0] or b"") + letter})

    return decide


# Both decide on what was there before; the writer takes one, and the other decides again. Long
# values are compared by their digests.
@pytest.mark.parametrize("length", [0, COMPARED_BYTES_MAX, COMPARED_BYTES_MAX + 1, 100_000])
def test_who_loses_a_comparison_decides_again(tmp_path, length):
    async def use(group):
        one, other = group.engines
        await change(one, puts={b"k": b"-" * length, b"other": b"1"})
        await asyncio.gather(
            *(one.write([b"k", b"other"], appended(b"a")) for _ in range(20)),
            *(other.write([b"other", b"k"], lambda seen: appended(b"b")(seen[1:])) for _ in "ab"),
            *(other.write([b"k"], appended(b"c")) for _ in range(20)),
        )
        (value,) = await one.read([b"k"])
        assert value[:length] == b"-" * length
        assert sorted(value[length:]) == sorted(b"a" * 20 + b"b" * 2 + b"c" * 20)
        assert one.stats().conflicts + other.stats().conflicts > 0
        assert one.stats().decided == other.stats().decided == 0

    on_group(tmp_path, use)


# The next one decides on what those before it will leave: none waits for another's commit.
def test_works_on_one_key_of_one_reader_share_commits(tmp_path):
    async def use(group):
        (one, _) = group.engines
        groups = group.writer.stats().groups
        await asyncio.gather(*(one.write([b"k"], appended(b"a")) for _ in range(100)))
        assert await one.read([b"k"]) == [b"a" * 100]
        assert one.stats().conflicts == 0
        assert group.writer.stats().groups - groups < 10

    on_group(tmp_path, use)


def refuses(*refused):
    """Refuses to go on from some values; puts b where there are others."""

    def decide(values):
        if values[0] in refused:
            raise KeyError(values[0])
        return Changes(answer=values[0], puts={b"k": b"b"})

    return decide


# What was seen may never be: nobody may be refused for it before it is durable.
def test_a_refusal_waits_for_what_it_rests_on(tmp_path):
    async def use(group):
        (one, _) = group.engines
        before = asyncio.ensure_future(change(one, puts={b"k": b"a"}))
        await turns()
        with pytest.raises(KeyError):
            await one.write([b"k"], refuses(b"a"))
        assert before.done()
        assert await one.read([b"k"]) == [b"a"]

    on_group(tmp_path, use)


def test_nobody_is_refused_for_a_change_that_never_happened(tmp_path):
    def puts_a_first(values):
        return Changes(answer=None, puts={} if values[0] else {b"k": b"a"})

    async def use(group):
        one, other = group.engines
        faster = asyncio.ensure_future(change(other, puts={b"k": b"other"}))
        loses = asyncio.ensure_future(one.write([b"k"], puts_a_first))
        await turns()
        assert await one.write([b"k"], refuses(b"a")) == b"other"
        await asyncio.gather(faster, loses)
        assert one.stats().conflicts == 1
        assert await other.read([b"k"]) == [b"b"]

    on_group(tmp_path, use)


# Its own waiter is gone, and nobody else's.
def test_who_gives_up_leaves_those_alone_that_rest_on_it(tmp_path):
    async def use(group):
        (one, _) = group.engines
        works = [asyncio.ensure_future(one.write([b"k"], appended(b"a"))) for _ in range(3)]
        await turns()
        works[1].cancel()
        works[0].cancel()
        await works[2]
        for work in works[:2]:
            with pytest.raises(asyncio.CancelledError):
                await work
        assert await one.read([b"k"]) == [b"aaa"]

    on_group(tmp_path, use)


def test_what_changes_nothing_does_not_need_the_writer(tmp_path):
    async def use(group):
        (one, _) = group.engines
        group.cut_off()
        assert await one.write([b"k"], lambda seen: Changes(answer=seen)) == [None]
        with pytest.raises(KeyError):
            await one.write([b"k"], lambda _: {}["refused"])
        assert one.stats().decided == 2

    on_group(tmp_path, use)


def test_what_was_sent_to_a_writer_that_is_gone_fails_and_the_rest_waits(tmp_path):
    async def use(group):
        one, other = group.engines
        sent = asyncio.ensure_future(change(one, puts={b"sent": b"1"}))
        await loop_until(lambda: group.links[0].in_flight)  # the next turn of the loop
        group.cut_off()
        with pytest.raises(StorageError, match="not known"):
            await sent
        waiting = [asyncio.ensure_future(change(each, puts={b"k": b"v"})) for each in (one, other)]
        await turns()
        await group.connect()
        await asyncio.gather(*waiting)
        assert await one.read([b"k"]) == [b"v"]

    on_group(tmp_path, use)


def test_nobody_waits_for_a_writer_that_does_not_come_back():
    async def run():
        link = WriterConnection(absence_seconds_max=0.01)
        async with asyncio.timeout(SECONDS_MAX):
            reply = await link.propose([b"k"], [None], {}, Changes(answer=None, puts={b"k": b"v"}))
        assert reply.status is ReplyStatus.UNAVAILABLE
        link.close()
        with pytest.raises(StorageUnavailableError):
            link.propose([], [], {}, Changes(answer=None))

    asyncio.run(run())


# A fault of ours in what is proposed is that write's, and the next one goes on.
def test_a_proposal_that_cannot_be_carried_out_fails_alone(tmp_path):
    async def use(group):
        (one, _) = group.engines
        with pytest.raises(StorageError, match="at once"):
            await one.write(
                [b"k"], lambda _: Changes(answer=None, puts={b"k": b"v"}, deletes=[b"k"])
            )
        await change(one, puts={b"k": b"v"})

    on_group(tmp_path, use)


# Readers that are never all gone would keep the log from starting anew for ever.
def test_the_log_starts_anew_though_others_read_without_a_pause(tmp_path):
    ended = threading.Event()

    def read(group):
        snapshot = Snapshot(tmp_path / "data" / DATA_FILE, group.counter)
        while not ended.is_set():
            snapshot.read([b"1"], {})
        snapshot.close()

    async def use(group):
        threads = [threading.Thread(target=read, args=(group,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            sizes = []
            for number in range(120):
                await change(group.writer, puts={b"%d" % number: b"x" * 3000})
                sizes.append((tmp_path / "data" / (DATA_FILE + "-wal")).stat().st_size)
        finally:
            ended.set()
            for thread in threads:
                thread.join()
        assert max(sizes) < 100 * 4096

    on_group(tmp_path, use, checkpoint_pages=20)


replies = st.builds(
    Reply,
    st.integers(0, 2**62),
    st.sampled_from(ReplyStatus),
    st.text(max_size=20),
)


@given(
    st.lists(st.lists(replies, max_size=3), max_size=3), st.lists(st.integers(1, 400), max_size=9)
)
def test_frames_may_come_in_any_pieces(batches, lengths):
    stream = b"".join(map(framed, batches))
    frames, found = FrameDecoder(list[Reply]), []
    for length in [*lengths, len(stream)]:
        found += frames.feed(stream[:length])
        stream = stream[length:]
    assert found == [reply for batch in batches for reply in batch]


class Unhurried(SystemClock):
    """Whoever lost rests for no time."""

    def random_bytes(self, count):
        return bytes(count)


class AlwaysConflicting:
    """An applier with which every proposal conflicts."""

    def __init__(self):
        self.proposals = 0

    def apply(self, proposal, reply, _loop):
        self.proposals += 1
        reply(Reply(proposal.number, ReplyStatus.CONFLICT))


@contextlib.contextmanager
def reader_of(directory, **options):
    """The engine of a reader, and its link, which nobody is at the other end of yet."""
    SqliteEngine.open(directory).close()
    with closing(CommitCounter(create_shared_memory())) as counter:
        link = WriterConnection()
        snapshot = Snapshot(directory / DATA_FILE, counter)
        engine = WorkerEngine(snapshot, link, Unhurried(), **options)
        with closing(engine):
            yield engine, link


def test_too_many_waiting_writes_are_refused_and_logged(tmp_path, caplog):
    async def run():
        with reader_of(tmp_path, waiting_writes_max=2) as (engine, _):
            waiting = [asyncio.ensure_future(change(engine, puts={b"k": b""})) for _ in range(2)]
            await turns()
            for _ in range(3):
                with pytest.raises(StorageBusyError):
                    await change(engine, puts={b"k": b""})
            assert engine.stats().refused == 3
            engine.close()
            outcomes = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(each) for each in outcomes] == [StorageUnavailableError] * 2

    asyncio.run(run())
    assert caplog.messages == ["overload: 1 writes refused, 2 writes queued"]


# It must not try for ever; what it is told is that nothing happened.
def test_a_write_that_always_loses_is_told_so(tmp_path):
    async def run():
        applier = AlwaysConflicting()
        with reader_of(tmp_path) as (engine, link):
            near, far = socket.socketpair()
            await serve_reader(far, applier)
            await link.attach(near)
            with pytest.raises(ContendedError):
                await change(engine, puts={b"k": b""})
            assert applier.proposals == TRIES_MAX == engine.stats().conflicts
            assert await engine.read([b"k"]) == [None]

    asyncio.run(run())
