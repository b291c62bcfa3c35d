"""Several servers make backups at one place, suspended, killed and delayed anywhere.

All steps of all of them go through one scheduler, which picks the next one at random: a request to
the bucket, or one to the database. A server that is killed may have sent a request that takes
effect much later. Manifests are damaged, and mended later. Whatever happens, what the place lists
as a backup can be restored, or could be if its manifest were mended.
"""

import asyncio
import contextlib
import random

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.backups.directories import claims as backup_claims
from hashrange.backups.directories.chunks import key_of
from hashrange.backups.directories.claims import Claim
from hashrange.backups.directories.manifests import BackupError, RowsManifest, decoded, id_of
from hashrange.backups.directories.retention import clean_up, retention_of
from hashrange.backups.directories.storing import NewBackup, Progress
from hashrange.backups.directories.target import Target
from hashrange.backups.objects.bucket import BucketError, Failure, ObjectEntry, StoredObject
from hashrange.storage.engine import NO_FENCES
from tests.effort import effort
from tests.pace import loop_until
from tests.unit.tables.definitions import NOON_MS

SEEDS = effort(15, 60)
SERVERS = 3
BACKUPS = 20
CONTENTS = 4
"""Different chunks, so that backups have many in common, and need again what was removed."""
STEPS_MAX = 5000


class KilledError(Exception):
    """The server is gone."""


class Scheduler:
    """Lets one request of one server take effect at a time."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.waiting = []
        self.late = []

    async def turn(self, server):
        turn = asyncio.get_running_loop().create_future()
        self.waiting.append((server, turn))
        await turn

    def kill(self, server):
        """Its requests were sent or not; some arrive later."""
        mine = [each for each in self.waiting if each[0] is server]
        self.waiting = [each for each in self.waiting if each[0] is not server]
        for _, turn in mine:
            turn.set_exception(KilledError())


class Objects:
    """A `Bucket` in memory."""

    def __init__(self):
        self.content = {}

    async def put(self, key, chunks):
        data = b"".join([chunk async for chunk in chunks])
        self.content[key] = data
        return StoredObject(key, len(data), "", "")

    async def get(self, key, start=0, end=None):
        if key not in self.content:
            raise BucketError(Failure.NO_SUCH_KEY, key)
        yield self.content[key]

    async def list(self, prefix):
        for key, data in sorted(self.content.items()):
            if key.startswith(prefix):
                yield ObjectEntry(key, len(data))

    async def size(self, key):
        return len(self.content[key]) if key in self.content else None

    async def delete(self, key):
        self.content.pop(key, None)


class Remote(Objects):
    """The same bucket as one server sees it: each request waits for its turn."""

    def __init__(self, objects, scheduler, server):
        self.content, self._objects = objects.content, objects
        self._scheduler, self._server = scheduler, server

    async def _sent(self, effect):
        """Let a change take effect, now or long after its server is gone."""
        try:
            await self._scheduler.turn(self._server)
        except KilledError:
            if self._scheduler.rng.random() < 0.5:
                self._scheduler.late.append(effect)
            raise
        await effect()
        await self._scheduler.turn(self._server)

    async def put(self, key, chunks):
        data = b"".join([chunk async for chunk in chunks])

        async def again():
            yield data

        await self._sent(lambda: self._objects.put(key, again()))
        return StoredObject(key, len(data), "", "")

    async def delete(self, key):
        await self._sent(lambda: self._objects.delete(key))

    async def get(self, key, start=0, end=None):
        await self._scheduler.turn(self._server)
        async for chunk in self._objects.get(key):
            yield chunk

    async def list(self, prefix):
        await self._scheduler.turn(self._server)
        for entry in [each async for each in self._objects.list(prefix)]:
            yield entry


class Engine(DictEngine):
    """The database as one server sees it."""

    def __init__(self, pairs, scheduler, server):
        super().__init__()
        self.pairs, self._scheduler, self._server = pairs, scheduler, server

    async def read(self, keys, *, fences=NO_FENCES):
        await self._scheduler.turn(self._server)
        found = await super().read(keys, fences=fences)
        await self._scheduler.turn(self._server)
        return found

    async def write(self, keys, decide, *, fences=NO_FENCES):
        await self._scheduler.turn(self._server)
        done = await super().write(keys, decide, fences=fences)
        await self._scheduler.turn(self._server)
        return done


class Place:
    """The place, the database, and what happens to them."""

    def __init__(self, seed):
        self.scheduler = Scheduler(seed)
        self.rng = self.scheduler.rng
        self.objects = Objects()
        self.target = Target(self.objects)
        self.database = DictEngine()
        self.damaged = {}
        """What was in manifests before they were damaged."""
        self.begun = 0
        self.suspended = None
        """A server that goes on when another one is suspended."""
        self.leader = None
        """Of the servers that are not, the one that begins backups."""

    async def claim(self, engine, target) -> Claim:
        seen = (await target.contents()).generation
        return await backup_claims.claimed(engine, "place", seen, lambda: NO_FENCES)

    async def back_up(self, target, engine, rule):
        """One backup, of chunks that are drawn."""
        self.begun += 1
        made_ms = NOON_MS + self.begun
        contents = [b"%d" % self.rng.randrange(CONTENTS) for _ in range(3)]
        claim = await self.claim(engine, target)
        new = await NewBackup.begin(target, claim, "data", Progress(), is_encrypted=True)
        for each in contents:
            await new.add([each])
        await new.end(manifest_of(new, made_ms))
        await clean_up(target, claim, retention_of(rule))

    async def serve(self, server):
        """A server: backups until there were enough; those that a later one ends are given up."""
        target = Target(Remote(self.objects, self.scheduler, server))
        engine = Engine(self.database.pairs, self.scheduler, server)
        while self.begun < BACKUPS:
            # A later backup has begun, and may have removed what this one looks for; or the
            # server is killed, and started again.
            with contextlib.suppress(BackupError, BucketError, KilledError):
                await self.scheduler.turn(server)
                if server is self.leader:
                    rule = self.rng.choice(["last=1", "last=2", "last=3", "all"])
                    await self.back_up(target, engine, rule)

    async def check(self):
        """All that is listed as a backup can be restored."""
        contents = await self.target.contents()
        for key in contents.keys.values():
            manifest = decoded(self.damaged.get(key) or self.objects.content[key])
            for name in manifest.chunks:
                assert key_of(name) in self.objects.content, f"{key} lacks {name}"
        return contents

    async def run(self):
        tasks = [asyncio.ensure_future(self.serve(object())) for _ in range(SERVERS)]
        for _ in range(STEPS_MAX):
            await self._settled(tasks)
            if all(task.done() for task in tasks):
                break
            await self._step()
            await self.check()
        await asyncio.gather(*tasks)
        for effect in self.scheduler.late:
            await effect()
            await self.check()

    async def _settled(self, tasks):
        """Wait until each server waits for its turn, or has ended."""
        await loop_until(
            lambda: (
                len({id(server) for server, _ in self.scheduler.waiting})
                >= sum(not task.done() for task in tasks)
            )
        )

    def damage_or_mend(self):
        """Damage a manifest, or mend those that are still there."""
        content = self.objects.content
        intact = [key for key in content if key.startswith("manifests/")]
        if self.damaged or not intact:
            self.mend()
        else:
            key = self.rng.choice(intact)
            self.damaged[key], content[key] = content[key], b"{"

    def mend(self):
        """Mend the manifests that nobody has removed meanwhile."""
        there = {key: each for key, each in self.damaged.items() if key in self.objects.content}
        self.objects.content |= there
        self.damaged = {}

    async def _step(self):
        scheduler, drawn = self.scheduler, self.rng.random()
        if self.rng.random() < 0.01:
            self.damage_or_mend()
        if scheduler.late and drawn < 0.05:
            await scheduler.late.pop(self.rng.randrange(len(scheduler.late)))()
            return
        leading = [each for each in scheduler.waiting if each[0] is self.leader]
        if drawn > 0.98 or not leading:
            # It is suspended, and another one leads; the one that was suspended before wakes.
            self.suspended, self.leader = self.leader, self.rng.choice(scheduler.waiting)[0]
        others = [each for each in scheduler.waiting if each[0] is not self.suspended]
        server, turn = self.rng.choice((leading if drawn > 0.1 else others) or scheduler.waiting)
        if drawn < 0.06:
            scheduler.kill(server)
        else:
            scheduler.waiting.remove((server, turn))
            turn.set_result(None)


def manifest_of(new, made_ms):
    return RowsManifest(
        id=id_of(made_ms),
        made_ms=made_ms,
        data_id="data",
        data_bytes=3,
        chunk_bytes=1,
        chunks=new.names,
        tables_format=2,
        counts={},
    )


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_is_listed_can_be_restored(seed):
    place = Place(seed)

    async def go():
        await place.run()
        place.mend()
        # What others have left behind goes when a server that is alone has something to remove.
        for made_ms in (NOON_MS + 1000, NOON_MS + 1001):
            claim = await place.claim(place.database, place.target)
            new = await NewBackup.begin(place.target, claim, "data", Progress(), is_encrypted=True)
            await new.add([b"last"])
            await new.end(manifest_of(new, made_ms))
            await clean_up(place.target, claim, retention_of("last=1"))
        contents = await place.check()
        assert contents.ids == [id_of(made_ms)]
        assert not contents.void
        assert [*await place.target.chunks()] == new.names

    asyncio.run(go())
