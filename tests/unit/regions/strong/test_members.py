"""Members of a group at work on engines: what they agree on survives restarts."""

import asyncio
from contextlib import suppress
from itertools import count
from random import Random

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.regions.consensus.messages import encoded
from hashrange.regions.consensus.raft import Raft
from hashrange.regions.consensus.state import Group
from hashrange.regions.strong.log_rows import load, save
from hashrange.regions.strong.members import GroupMember
from hashrange.storage.engine import Changes, StorageError
from hashrange.tables.keys.consensus_keys import applied_key, index_row
from tests.pace import turns

NUMBER = 7
NAMES = ("east", "west", "south")
TURNS_MAX = 20_000
REPEAT_TURNS = 500


class Place:
    """One region: an engine that survives, and a process that may not."""

    def __init__(self, name, places):
        self.name = name
        self.engine = DictEngine()
        self.applied = []
        self.member = None
        self.is_broken = False
        self._places = places
        self._starts = 0
        self._task = None

    async def start(self):
        self._starts += 1
        group = Group(name=self.name, members=NAMES, witness="south", incarnation=self._starts)
        stored = await load(self.engine, NUMBER)
        raft = Raft(group, stored, Random(f"{self.name}/{self._starts}").random)
        self.member = GroupMember(raft, self)
        self._task = asyncio.create_task(self.member.run())

    async def stop(self):
        self._task.cancel()
        self.member = None
        with suppress(asyncio.CancelledError):
            await self._task

    async def ended(self):
        await self._task

    async def confirm(self):
        pass

    async def save(self, change):
        if self.is_broken:
            raise StorageError
        await save(self.engine, NUMBER, change)

    def send(self, to, message):
        if self._places[to].member is not None:
            self._places[to].member.receive(self.name, encoded(message))

    async def apply(self, entries, applied):
        self.applied += [entry.data for _, entry in entries]
        key = applied_key(NUMBER)
        puts = {key: index_row(applied)}
        await self.engine.write([key], lambda _: Changes(answer=None, puts=puts))


@pytest.fixture
def places():
    found = {}
    for name in NAMES:
        found[name] = Place(name, found)
    return found


async def until(places, is_reached):
    """Let time pass."""
    for turn in range(TURNS_MAX):
        if is_reached():
            return
        for place in places.values():
            if place.member is not None and turn % 8 == 0:
                place.member.tick()
        await turns()
    pytest.fail("it is never reached")


async def write(places, name, data):
    """Propose until it is applied there; a proposal to a leader that was lost is lost, too."""
    place, tries = places[name], count()

    def is_applied():
        if next(tries) % REPEAT_TURNS == 0:
            place.member.propose(data)
        return data in place.applied

    await until(places, is_applied)


async def read(places, name):
    """A strong read: each entry once, since a proposal may be committed twice."""
    task = places[name].member.reading()
    await until(places, task.done)
    return list(dict.fromkeys(places[name].applied))


def test_a_strong_read_sees_what_was_written_elsewhere(places):
    async def run():
        for place in places.values():
            await place.start()
        await write(places, "east", b"1")
        assert await read(places, "west") == [b"1"]
        await write(places, "west", b"2")
        assert await read(places, "east") == [b"1", b"2"]
        assert places["south"].applied == []
        for place in places.values():
            await place.stop()

    asyncio.run(run())


# All but the witness are lost: what it alone has beside the lost one reaches the other.
def test_the_witness_has_what_a_region_lacks(places):
    async def run():
        await places["east"].start()
        await places["south"].start()
        await write(places, "east", b"1")
        await places["east"].stop()
        await places["west"].start()
        assert await read(places, "west") == [b"1"]
        for name in ("south", "west"):
            await places[name].stop()

    asyncio.run(run())


def test_a_member_whose_disk_fails_ends(places):
    async def run():
        for place in places.values():
            await place.start()
        await write(places, "east", b"1")
        places["east"].is_broken = True
        places["east"].member.propose(b"2")
        with pytest.raises(StorageError):
            await places["east"].ended()
        for name in ("south", "west"):
            await places[name].stop()

    asyncio.run(run())


def test_a_read_that_is_given_up_leaves_nothing(places):
    async def run():
        await places["east"].start()
        places["east"].member.reading().cancel()
        await places["south"].start()
        await write(places, "east", b"1")
        assert await read(places, "east") == [b"1"]
        for name in ("south", "east"):
            await places[name].stop()

    asyncio.run(run())
