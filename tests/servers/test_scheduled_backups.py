"""Two servers on one database make backups at intervals: one of them, whatever becomes of it."""

import asyncio
import os
import uuid

import pytest

from hashrange.backups.directories.target import Target
from hashrange.backups.objects.bucket import BucketError
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.servers.fleet import Fleet
from tests.unit.processes import run

TABLE = "Large"
ITEMS = 12
TEXT_BYTES = 300_000
RULE = ("--backup-every", "1s", "--backup-keep", "last=2")


@pytest.fixture
def target(tmp_path):
    place = tmp_path / "target"
    place.mkdir()
    return place


@pytest.fixture
def fleet(target):
    made = Fleet(url_of(str(uuid.uuid4())), 2, "--backup-to", str(target), *RULE)
    client = client_of(made.urls[0])
    client.create_table(TableName=TABLE, **keyed(pk="N"))
    for number in range(ITEMS):
        put(client, number)
    yield made
    made.end()


def put(client, number):
    """A large item, of which no two are the same."""
    text = os.urandom(TEXT_BYTES // 2).hex()
    client.put_item(TableName=TABLE, Item={"pk": {"N": str(number)}, "text": {"S": text}})


def manifests(target):
    return {path.name for path in target.glob("manifests/*.json")}


def look(target):
    """The ids of the backups, of which all chunks are there and undamaged."""

    async def go():
        place = Target.at(str(target), lambda: str(uuid.uuid4()))
        contents = await place.contents()
        for key in contents.keys.values():
            try:
                manifest = await place.manifest(key)
                for name in manifest.chunks:
                    await place.chunk(name, manifest.chunk_bytes)
            except BucketError:
                # A server may have removed it meanwhile.
                assert key not in (await place.contents()).keys.values()
        return contents.ids

    return asyncio.run(go())


def fresh(target):
    """Wait until backups that begin now have replaced those that are there."""
    before = manifests(target)
    return until(lambda: len(manifests(target)) == 2 and not manifests(target) & before)


# What tells how far the backup is at which the leader is killed: a part of it is stored, a clean-up
# has said what it keeps, or has removed it.
STEPS = ("chunks/*/*", "manifests/*", "kept/*.json", "kept/*.done")


@pytest.mark.parametrize("steps", [STEPS[2:3], pytest.param(STEPS, marks=pytest.mark.long)])
def test_leader_is_killed_at_each_step_and_the_other_one_goes_on(fleet, target, steps):
    for number, step in enumerate(steps):
        leader = fleet.await_leader()
        fresh(target)
        before = set(target.glob(step))
        # Written first, so that the next backup has something to store.
        put(client_of(leader.url), number)
        until(lambda: set(target.glob(step)) - before)  # noqa: B023 - called at once
        fleet.kill(leader)
        assert 1 <= len(look(target)) <= 3
        fleet.start()
    fresh(target)
    fleet.end()
    ids = look(target)
    assert len(ids) >= 2
    copy = url_of(fleet.place)
    restored = run("restore", str(target), copy)
    assert restored.returncode == 0, restored.stderr
    assert run("verify", copy).returncode == 0


# As a machine that sleeps in the middle of a backup: it wakes when others have made and removed
# backups, and then it does no harm.
def test_leader_that_was_suspended_changes_nothing(fleet, target):
    first = fleet.await_leader()
    fresh(target)
    before = set(target.glob("chunks/*/*"))
    put(client_of(first.url), 0)
    until(lambda: set(target.glob("chunks/*/*")) - before)
    first.pause()
    (other,) = [each for each in fleet.servers if each is not first]
    try:
        fresh(target)
        put(client_of(other.url), ITEMS)
        fresh(target)
    finally:
        first.resume()
    there = look(target)
    fresh(target)
    # The one that leads may have three of them, until its clean-up has removed the oldest.
    assert min(len(there), len(look(target))) >= 2
