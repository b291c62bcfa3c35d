"""A manifest that cannot be read holds up no new backup, and keeps all that is there."""

import asyncio
import errno

import pytest

from hashrange.backups.directories.chunks import key_of
from hashrange.backups.directories.claims import sole
from hashrange.backups.directories.fetching import chosen
from hashrange.backups.directories.job import warnings
from hashrange.backups.directories.manifests import (
    BackupError,
    RowsManifest,
    UnreadManifestError,
    id_of,
)
from hashrange.backups.directories.retention import clean_up, retention_of
from hashrange.backups.directories.storing import NewBackup, Progress
from hashrange.backups.directories.target import Target
from hashrange.backups.objects.bucket import BucketError, Failure, ObjectEntry, StoredObject
from tests.rows import rows

NOON_MS = 1_795_348_800_000
DAMAGE = [b"", b"{", b'{"format":1}', b"\xff", b'{"format":9}']


class Objects:
    """A `Bucket` in memory.

    Attributes:
        content: the objects by key.
        failing: errors of reads, by key.
    """

    def __init__(self):
        self.content, self.failing = {}, {}

    async def put(self, key, chunks):
        self.content[key] = b"".join([chunk async for chunk in chunks])
        return StoredObject(key, len(self.content[key]), "", "")

    async def get(self, key, start=0, end=None):
        if key in self.failing:
            raise self.failing[key]
        yield self.content[key]

    async def list(self, prefix):
        for key, data in list(self.content.items()):
            if key.startswith(prefix):
                yield ObjectEntry(key, len(data))

    async def size(self, key):
        return len(self.content[key]) if key in self.content else None

    async def delete(self, key):
        self.content.pop(key, None)


class Place:
    """A place and the backups that were made there, of two chunks each, one of them its own."""

    def __init__(self, rule="all"):
        self.objects = Objects()
        self.target = Target(self.objects)
        self._rule = retention_of(rule)
        self._made = 0

    async def back_up(self, data_id="data"):
        """Make a backup; its progress."""
        self._made += 1
        progress, made_ms = Progress(), NOON_MS + self._made
        claim = await sole((await self.target.contents()).generation)
        new = await NewBackup.begin(self.target, claim, data_id, progress, is_encrypted=False)
        await new.add([b"of all", b"%d" % self._made])
        manifest = RowsManifest(
            id=id_of(made_ms),
            made_ms=made_ms,
            data_id=data_id,
            data_bytes=7,
            chunk_bytes=6,
            chunks=new.names,
            tables_format=3,
            counts={},
        )
        await new.end(manifest)
        progress.unread |= await clean_up(self.target, claim, self._rule)
        return progress

    def manifests(self):
        """Their keys, the oldest first."""
        return sorted(key for key in self.objects.content if key.startswith("manifests/"))

    async def check(self):
        """All chunks of all backups are there."""
        contents = await self.target.contents()
        for key in contents.keys.values():
            manifest = await self.target.manifest(key)
            assert {key_of(name) for name in manifest.chunks} <= self.objects.content.keys()


async def damaged_place(rule, at, damage):
    """A place after three backups, the key of the manifest that is damaged, and what it was."""
    place = Place(rule)
    for _ in range(3):
        await place.back_up()
    key = place.manifests()[at]
    before = place.objects.content[key]
    place.objects.content[key] = damage
    return place, key, before


# Of each place in the order, and with each rule. Where nothing was ever removed only the newest
# manifest is read, and elsewhere all of them.
@rows(
    ("rule", "at"),
    [
        ("all", -1),
        ("last=3", 0),
        ("last=3", -1),
        ("last=2", 0),
        ("last=2", -1),
        ("last=1", -1),
        ("daily=1", -1),
    ],
)
def test_new_backups_are_made_and_nothing_is_removed(rule, at):
    async def go():
        for damage in DAMAGE:
            place, key, before = await damaged_place(rule, at, damage)
            there = dict(place.objects.content)
            for number in range(3):
                progress = await place.back_up()
                is_read = number == 0 or rule != "all"
                assert list(progress.unread) == [key] * is_read
                assert [key in warning for warning in warnings(progress)] == [True] * is_read
                assert place.objects.content.items() >= there.items()
            # Mended, it is as good as it was, and the rule applies again.
            place.objects.content[key] = before
            await place.check()
            progress = await place.back_up()
            assert progress.unread == {}
            kept = retention_of(rule).kept(range(7))
            assert len(place.manifests()) == len(kept)
            await place.check()

    asyncio.run(go())


def test_a_damaged_manifest_that_is_removed_lets_its_chunks_go():
    async def go():
        place, key, _ = await damaged_place("last=2", 0, b"{")
        await place.back_up()
        chunks = len(await place.target.chunks())
        del place.objects.content[key]
        assert (await place.back_up()).unread == {}
        await place.check()
        assert len(await place.target.chunks()) < chunks

    asyncio.run(go())


@pytest.mark.parametrize(
    ("error", "is_of_one"),
    [
        (BucketError(Failure.ACCESS_DENIED, "no"), True),
        (BucketError(Failure.INVALID_KEY, "a directory"), True),
        (OSError(errno.EIO, "bad block"), True),
        (OSError(errno.ENOTCONN, "no disk"), False),
        (BucketError(Failure.UNAVAILABLE, "no answer"), False),
        (BucketError(Failure.NO_SUCH_BUCKET, "gone"), False),
    ],
)
def test_an_object_that_cannot_be_read_is_not_a_place_that_cannot(error, is_of_one):
    async def go():
        place = Place("last=2")
        for _ in range(3):
            await place.back_up()
        key, found = place.manifests()[-1], error
        if not isinstance(error, BucketError):
            found = BucketError(Failure.UNAVAILABLE, f"{key}: {error}")
            found.__cause__ = error
        place.objects.failing[key] = found
        if is_of_one:
            assert list((await place.back_up()).unread) == [key]
        else:
            with pytest.raises(BucketError):
                await place.back_up()

    asyncio.run(go())


# The newest that can be read tells whose data the place has.
def test_other_data_are_refused_all_the_same():
    async def go():
        place, _, _ = await damaged_place("all", -1, b"{")
        with pytest.raises(BackupError, match="of other data"):
            await place.back_up("others")

    asyncio.run(go())


@pytest.mark.parametrize("names_it", [True, False])
def test_a_damaged_backup_is_not_restored_nor_another_in_its_place(names_it):
    async def go():
        place, key, _ = await damaged_place("all", -1, b"{")
        newest, second, _ = (await place.target.contents()).ids
        with pytest.raises(UnreadManifestError, match=f"backup {newest} .*{key}.*another backup"):
            await chosen(place.target, newest if names_it else None)
        assert (await chosen(place.target, second)).id == second

    asyncio.run(go())
