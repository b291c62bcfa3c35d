"""Backups of a database to a directory, interrupted anywhere, and what is restored of them."""

import asyncio
import random
import threading
import uuid
from pathlib import Path

import msgspec
import pytest

from hashrange.assembly.engines import backing_up
from hashrange.assembly.engines.database_rows import restoring_rows
from hashrange.assembly.engines.trials.subject import change
from hashrange.backups.directories.claims import SoleClaim, sole
from hashrange.backups.directories.fetching import chosen
from hashrange.backups.directories.manifests import BackupError
from hashrange.backups.directories.row_chunks import load, store_rows
from hashrange.backups.directories.storing import Progress
from hashrange.backups.directories.target import Target
from hashrange.backups.objects.bucket import BucketError
from hashrange.storage.engine import Changes, StorageError, StorageOpenError
from hashrange.storage.postgres.reading_rows import PostgresRows
from hashrange.storage.postgres.schema import FORMAT_VERSION, TABLES_VERSIONS
from tests import s3_server
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.engines.postgres_engines import admin, opened
from tests.engines.postgres_server import PASSWORD, url_of
from tests.pace import turns, until
from tests.served import served
from tests.unit.processes import run

PAIRS = 1500
MADE_MS = 1_795_348_800_000


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


def report_nothing(_done, _chunks):
    pass


async def filled(engine, first=0, pairs=PAIRS):
    """Rows of 2 KB, of which no two are the same."""
    rng = random.Random(first)
    for start in range(first, first + pairs, 100):
        puts = {b"key%08d" % number: rng.randbytes(2000) for number in range(start, start + 100)}
        await engine.write([], lambda _, puts=puts: Changes(answer=None, puts=puts))


class Interrupted:
    """A source that fails when it has handed so many rows over."""

    def __init__(self, source, rows):
        self.format, self._source, self._left = source.format, source, rows

    async def read(self, take):
        async def counted(part):
            self._left -= len(part)
            if self._left < 0:
                raise StorageError("the database does not answer")
            await take(part)

        await self._source.read(counted)


async def stored(engine, target, rows=None, made_ms=MADE_MS):
    source = PostgresRows(engine.pool)
    progress = Progress()
    if rows is not None:
        source = Interrupted(source, rows)
    claim = await sole((await target.contents()).generation)
    await store_rows(source, target, claim, "data", made_ms=made_ms, progress=progress)
    return progress


def target_in(place):
    place.mkdir(exist_ok=True)
    return Target.at(str(place), lambda: str(uuid.uuid4()))


def test_interrupted_backup_is_none_and_the_next_one_goes_on(url, tmp_path):
    async def go():
        target = target_in(tmp_path / "target")
        async with opened(url) as engine:
            await filled(engine)
            with pytest.raises(StorageError):
                await stored(engine, target, PAIRS - 100)
            assert (await target.contents()).ids == []
            there = len(await target.chunks())
            whole = await stored(engine, target)
            assert there > 3
            assert whole.stored == whole.chunks - there > 0
            # Two rows that are not beside each other.
            await filled(engine, PAIRS + 1000, 100)
            await engine.write([], lambda _: Changes(answer=None, puts={b"key%08d" % 7: b"new"}))
            later = await stored(engine, target, made_ms=MADE_MS + 1)
            assert 2 <= later.stored <= 6 < later.chunks // 2
            with pytest.raises(BackupError, match="of other data"):
                await store_rows(
                    PostgresRows(engine.pool),
                    target,
                    SoleClaim(9),
                    "else",
                    made_ms=0,
                    progress=Progress(),
                )

    asyncio.run(go())


# Those of format 2 differ in what is in the rows, and this build reads both.
@pytest.mark.parametrize("number", [1, 2, FORMAT_VERSION, FORMAT_VERSION + 1])
def test_backups_of_other_tables_are_refused(url, tmp_path, number):
    async def go():
        target, copy = target_in(tmp_path / "target"), url_of(url)
        async with opened(url) as engine:
            await change(engine, puts={b"k": b"v"})
            await stored(engine, target)
        manifest = await chosen(target, None)
        assert manifest.tables_format == FORMAT_VERSION
        manifest = msgspec.structs.replace(manifest, tables_format=number)
        async with restoring_rows(copy, MADE_MS) as sink:
            await load(target, manifest, sink, verify=lambda _: [], progress=Progress())
        async with opened(copy) as engine:
            assert await engine.read([b"k"]) == [b"v"]

    if number in TABLES_VERSIONS:
        asyncio.run(go())
        return
    with pytest.raises(BackupError, match="restores 2, 3, 4: use the build that made it"):
        asyncio.run(go())


class Counting:
    """A target that fails when it was asked for so many chunks."""

    def __init__(self, target, chunks):
        self._target, self.left = target, chunks

    async def chunk(self, name, bytes_max):
        self.left -= 1
        if self.left < 0:
            raise StorageError("killed")
        return await self._target.chunk(name, bytes_max)


def test_interrupted_restore_goes_on_and_is_not_seen_before_it_is_whole(url, tmp_path):
    async def go():
        target, copy = target_in(tmp_path / "target"), url_of(url)
        async with opened(url) as engine:
            await filled(engine)
            await stored(engine, target)
        manifest, found = await chosen(target, None), []

        async def restored(source, verify):
            async with restoring_rows(copy, MADE_MS) as sink:
                await load(source, manifest, sink, verify=verify, progress=Progress())

        count = len(manifest.chunks)
        with pytest.raises(StorageError, match="killed"):
            await restored(Counting(target, 5), lambda _: [])
        assert not await exists(copy)
        rest = Counting(target, count)
        with pytest.raises(BackupError, match="not sound: a finding"):
            await restored(rest, lambda place: found.append(place) or ["a finding"])
        assert 4 <= rest.left <= 5  # of the first attempt
        assert not await exists(copy)
        assert found[0].endswith("_restoring")
        await restored(Counting(target, 0), lambda _: [])
        assert await exists(copy)
        async with opened(copy) as engine, opened(url) as old:
            pages = [
                await each.scan(b"", b"\xff", limit=PAIRS + 1, bytes_max=10**9)
                for each in (engine, old)
            ]
            assert pages[0] == pages[1]
            assert len(pages[0]) == PAIRS

    async def exists(place):
        name = place.rpartition("=")[2]
        return bool(await admin(f"SELECT 1 FROM pg_namespace WHERE nspname = '{name}'"))

    asyncio.run(go())


def test_damaged_chunk_or_lost_row_is_not_restored(url, tmp_path):
    async def go():
        target, copy = target_in(tmp_path / "target"), url_of(url)
        async with opened(url) as engine:
            await filled(engine)
            await stored(engine, target)
        manifest = await chosen(target, None)

        async def restored():
            async with restoring_rows(copy, MADE_MS) as sink:
                await load(target, manifest, sink, verify=lambda _: [], progress=Progress())

        chunk = next(path for path in (tmp_path / "target" / "chunks").rglob("*") if path.is_file())
        content = chunk.read_bytes()
        chunk.write_bytes(content[:-9])
        with pytest.raises(BackupError, match="is damaged"):
            await restored()
        chunk.write_bytes(content)
        name = copy.rpartition("=")[2]
        async with opened(f"{copy}_restoring") as engine:
            key = b"key%08d" % 1
            while await engine.read([key]) == [None]:  # the first chunks are loaded or not
                await turns()
                async with restoring_rows(copy, MADE_MS) as sink:
                    with pytest.raises(BackupError, match="not sound"):
                        await load(
                            target, manifest, sink, verify=lambda _: ["no"], progress=Progress()
                        )
        await admin(f"DELETE FROM {name}_restoring.kv WHERE k = 'key00000001'")
        with pytest.raises(BackupError, match="begin again"):
            await restored()

    asyncio.run(go())


def test_target_that_cannot_be_written_ends_the_backup_only(url, tmp_path, monkeypatch):
    async def go():
        target = target_in(tmp_path / "target")
        async with opened(url) as engine:
            await filled(engine)
            put = Target.put_chunk
            stored_chunks = []

            async def full(self, name, content):
                if len(stored_chunks) == 5:
                    raise OSError(28, "No space left on device")
                stored_chunks.append(name)
                await put(self, name, content)

            with monkeypatch.context() as patch:
                patch.setattr(Target, "put_chunk", full)
                with pytest.raises(OSError, match="No space left"):
                    await stored(engine, target)
            assert (await target.contents()).ids == []
            assert not engine.stats().down
            whole = await stored(engine, target)
            assert whole.stored <= whole.chunks - 4

    asyncio.run(go())


@pytest.mark.long
def test_backup_in_a_bucket_or_in_none(url, s3_endpoint, process_environment):
    process_environment(**s3_server.KEYS)
    s3_server.client(s3_endpoint).create_bucket(Bucket="databases")

    async def go():
        async with opened(url) as engine:
            await filled(engine, pairs=100)
        with pytest.raises(BucketError):
            await backing_up.database_backed_up(url, f"{s3_endpoint}/none", "all", report_nothing)
        place = f"{s3_endpoint}/databases"
        line = (await backing_up.database_backed_up(url, place, "all", report_nothing)).line
        assert line.endswith("verified")
        manifest = await backing_up.database_restored(
            place, url_of(url), None, verify=lambda _: [], report=report_nothing
        )
        assert line.startswith(f"backup {manifest.id}:")

    asyncio.run(go())


# The commands, beside a server that is written: transactions are whole, and nothing is lost.
@pytest.mark.long
def test_backup_of_a_server_that_is_written(url, tmp_path):
    target, copy = str(tmp_path / "target"), url_of(url)
    over, done = threading.Event(), []

    def write(client):
        while not over.is_set():
            puts = [
                {"Put": {"TableName": "pairs", "Item": {"pk": {"S": f"{side}{len(done)}"}}}}
                for side in "ab"
            ]
            client.transact_write_items(TransactItems=puts)
            done.append(1)

    with served(memory=False, engine=url) as server:
        client = client_of(server.endpoint)
        client.create_table(TableName="pairs", **keyed(pk="S"))
        writing = threading.Thread(target=write, args=(client,))
        writing.start()
        try:
            until(lambda: len(done) > 20)
            before = len(done)
            made = run("backup", url, target)
            after = len(done)
        finally:
            over.set()
            writing.join()
    assert made.returncode == 0, made.stderr
    assert made.stdout.endswith("verified\n")
    listed = run("backup", url, target, "--list").stdout
    assert listed.endswith("of a database\n")
    again = run("backup", url, target, "--keep", "last=1")
    assert " new" in again.stdout
    backup_id = again.stdout.split()[1].rstrip(":")
    (line,) = listing(url, target)
    assert line.split()[0] == backup_id
    restored = run("restore", target, copy)
    assert (restored.returncode, restored.stderr.count(PASSWORD)) == (0, 0), restored.stderr
    assert "verified" in restored.stdout
    assert PASSWORD not in restored.stdout
    with served(memory=False, engine=copy) as server:
        found = {
            item["pk"]["S"] for item in client_of(server.endpoint).scan(TableName="pairs")["Items"]
        }
    assert f"  1 table  {len(found):,} items  " in line
    sides = [{key[1:] for key in found if key[0] == side} for side in "ab"]
    assert sides[0] == sides[1]
    assert before <= len(sides[0]) <= len(done)
    assert after <= len(done)


def listing(url, target):
    return run("backup", url, target, "--list").stdout.splitlines()


def test_what_is_of_another_kind_or_place_is_refused(url, tmp_path):
    directory, target = tmp_path / "data", tmp_path / "directories"
    with served(memory=False, data=directory):
        pass
    assert run("backup", str(directory), str(target)).returncode == 0
    crossed = run("restore", str(target), url)
    assert (crossed.returncode, "of a data directory" in crossed.stderr) == (1, True)

    async def go():
        async with opened(url) as engine:
            await filled(engine, pairs=100)

    asyncio.run(go())
    databases = str(tmp_path / "databases")
    assert run("backup", url, databases).returncode == 0
    crossed = run("restore", databases, str(tmp_path / "restored"))
    assert (crossed.returncode, "is of a database" in crossed.stderr) == (1, True)
    assert not Path(tmp_path / "restored.restoring").exists()
    taken = run("restore", databases, url)
    assert (taken.returncode, "has nothing" in taken.stderr) == (1, True)
    assert PASSWORD not in taken.stderr
    mixed = run("backup", url, str(target))
    assert (mixed.returncode, "of other data" in mixed.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "variables", "code", "reason"),
    [
        (("backup", "mysql://user:secret@host/x", "target"), {}, 2, "mysql://host/x is neither"),
        (("restore", "target", "mysql://user:secret@host/x"), {}, 2, "mysql://host/x is neither"),
        (("backup", "URL", "target"), {"HASHRANGE_ENCRYPTION_KEY": "0" * 64}, 2, "databases enc"),
        (("backup", "URL", "target", "--keep", "x"), {}, 2, "--keep"),
        (("backup", "URL", "target"), {}, 1, "holds no data of hashrange"),
    ],
)
def test_misuse(url, tmp_path, arguments, variables, *, code, reason):
    given = [url if text == "URL" else text for text in arguments]
    given = [str(tmp_path / text) if text == "target" else text for text in given]
    refused = run(*given, **variables)
    assert (refused.returncode, reason in refused.stderr) == (code, True), refused.stderr
    assert PASSWORD not in refused.stderr


def test_database_that_is_not_there_says_so(tmp_path):
    with pytest.raises(StorageOpenError, match="connection refused"):
        asyncio.run(
            backing_up.database_backed_up(
                "postgresql://a:secret@127.0.0.1:1/b", str(tmp_path), "all", report_nothing
            )
        )
