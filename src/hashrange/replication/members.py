"""Runs a member of the group of a strong table: its saves, its messages and what it applies."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from hashrange.consensus.messages import Entry, Message, decoded
from hashrange.consensus.raft import Raft
from hashrange.consensus.saving import Save


class Surroundings(Protocol):
    """What a member needs: a disk, a network and a state."""

    async def save(self, change: Save) -> None:
        """Persist; it is durable when this returns."""

    def send(self, to: str, message: Message) -> None:
        """Send to a member, now or never; must not block."""

    async def apply(self, entries: Sequence[tuple[int, Entry]], applied: int) -> None:
        """Apply committed entries, and store with them the index of the last that is applied."""


class GroupMember:
    """One member at work.

    Whatever arrives while the disk is busy is answered with the next save, so that under load a
    save has many entries. Memory is bounded by the limits of `Raft`.
    """

    def __init__(self, raft: Raft, surroundings: Surroundings) -> None:
        self.raft = raft
        self._surroundings = surroundings
        self._is_due = asyncio.Event()
        self._is_due.set()
        self._reads: dict[int, asyncio.Future[None]] = {}

    async def run(self) -> None:
        """Work until cancelled. Errors of the surroundings end it: the member must start again."""
        while True:
            await self._is_due.wait()
            self._is_due.clear()
            await self._work()

    async def _work(self) -> None:
        outputs = self.raft.take()
        for to, message in outputs.messages:
            self._surroundings.send(to, message)
        if outputs.save is not None:
            await self._surroundings.save(outputs.save)
            self.raft.saved(outputs.save.number)
            self._is_due.set()
        if outputs.committed:
            await self._surroundings.apply(outputs.committed, outputs.applied)
        for number in [each for each in self._reads if each <= outputs.reads]:
            read = self._reads.pop(number)
            if not read.done():
                read.set_result(None)

    def tick(self) -> None:
        """Time passes: to be called about every 50 ms."""
        self.raft.tick()
        self._is_due.set()

    def receive(self, sender: str, data: bytes) -> None:
        """A message has arrived. Raises ValueError: it is none."""
        self.raft.receive(sender, decoded(data))
        self._is_due.set()

    def propose(self, data: bytes) -> bool:
        """Propose an entry. False: there is no leader, or too much waits."""
        is_proposed = self.raft.propose([data])
        self._is_due.set()
        return is_proposed

    async def read(self) -> None:
        """Wait until the state has all that was committed when this was called.

        Without a majority it waits forever: the caller sets a time limit.
        """
        number = self.raft.read()
        read = self._reads[number] = asyncio.get_running_loop().create_future()
        self._is_due.set()
        try:
            await read
        finally:
            self._reads.pop(number, None)
