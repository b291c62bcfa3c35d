"""The WAL is copied to the data file beside groups: what is on the disk by then, and what waits."""

import asyncio
from pathlib import Path

from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.maintenance import LAST_PAGES
from hashrange.storage.sqlite.tuning import Tuning
from tests.engines.held import Held, put
from tests.pace import turns


# What one round has copied is on the disk before the next begins: the last one, for which writes
# wait, then has only its own few pages to put there.
def test_each_copy_is_put_on_the_disk_before_the_next(tmp_path: Path):
    engine, copy, synced = watched(tmp_path)

    async def scenario():
        await put(engine, b"a", b"1")
        await turns(5)
        assert synced == ["wal"]
        assert copy.held is not None
        copy.end()
        assert synced == ["wal", "wal", "data"], "no group has synced the commit of the opening"
        await turns(5)
        copy.end()
        assert synced == ["wal", "wal", "data", "data"], "the WAL is on the disk already"

    asyncio.run(scenario())
    engine.close()


# To give pages back commits in no group: without a sync of its own, a power cut in the copy could
# leave half of it in the data file, and nothing in the WAL.
def test_pages_given_back_are_in_the_wal_before_they_are_copied(tmp_path: Path):
    engine, copy, synced = watched(tmp_path, vacuum_pages_min=0)
    many = {b"%d" % number: bytes(1000) for number in range(100)}

    async def scenario():
        await engine.write([], lambda _: Changes(answer=None, puts=many))
        await engine.write([], lambda _: Changes(answer=None, deletes=list(many)))
        await turns(5)
        copy.end()
        synced.clear()
        await turns(5)
        copy.end()
        assert synced == ["wal", "data"]

    asyncio.run(scenario())
    engine.close()


# While pages are given back, every 50 ms, a write waits for a few pages to be copied, and not for
# all of the WAL.
def test_writes_go_on_while_the_wal_is_copied_to_give_pages_back(tmp_path: Path):
    engine, copy, _ = watched(tmp_path, checkpoint_pages=10_000)

    async def scenario():
        for number in range(LAST_PAGES):
            await put(engine, b"%d" % number, bytes(3000))
        engine.committer.maintenance.give_back(asyncio.get_running_loop())
        assert copy.held is not None
        beside = put(engine, b"a", b"1")
        await turns(5)
        assert beside.done()
        copy.end()
        await turns(5)
        assert copy.held is not None, "the rest"
        late = put(engine, b"a", b"2")
        await turns(5)
        assert not late.done()
        copy.end()
        assert await late == b"2"

    asyncio.run(scenario())
    engine.close()


def watched(directory: Path, **tuned: int) -> tuple[SqliteEngine, Held, list[str]]:
    """An engine that copies after each group, the place of its copies, and what it syncs."""
    workers = Held(), Held()
    made, synced = iter(workers), list[str]()
    tuning = Tuning(
        inline_sync_ns_max=1 << 62,
        aside=lambda: next(made),
        reserve_bytes=0,
        **{"checkpoint_pages": 1, **tuned},
    )
    engine = SqliteEngine.open(directory, tuning=tuning)
    database = engine.database
    syncs = {"wal": database.sync, "data": database.connections.data_sync.sync}

    def sync(name: str) -> None:
        synced.append(name)
        syncs[name]()

    database.sync = lambda: sync("wal")
    database.connections.data_sync.sync = lambda: sync("data")
    return engine, workers[1], synced
