"""Runs a member of the group of a strong table: its saves, its messages and what it applies."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from hashrange.regions.consensus.log import LOG_BOUNDS, LogBounds, removable
from hashrange.regions.consensus.messages import Entry, Message, decoded
from hashrange.regions.consensus.raft import Raft
from hashrange.regions.consensus.saving import Save


class MemberContext(Protocol):
    """The context of a member: a disk, a network and a state."""

    async def confirm(self) -> None:
        """Make sure that no other process is this member yet. Raises if one may be.

        What was decided before is sent and answered after that.
        """

    async def save(self, change: Save) -> None:
        """Persist; it is durable when this returns."""

    def send(self, to: str, message: Message) -> None:
        """Send to a member, now or never; must not block."""

    async def apply(self, entries: Sequence[tuple[int, Entry]], applied: int) -> None:
        """Apply committed entries, and store with them the index of the last that is applied."""


class MemberEndedError(Exception):
    """The member does not run any more; a read may be asked of the next one."""


class GroupMember:
    """One member at work.

    Whatever arrives while the disk is busy is answered with the next save, so that under load a
    save has many entries. Memory is bounded by the limits of `Raft`.

    Args:
        raft: the member.
        context: its disk, network and state.
        applied: the index of the last entry in the durable state.
        is_witness: it has a log only.
        log_bounds: of its log.
    """

    def __init__(
        self,
        raft: Raft,
        context: MemberContext,
        applied: int = 0,
        *,
        is_witness: bool = False,
        log_bounds: LogBounds = LOG_BOUNDS,
    ) -> None:
        self.raft = raft
        self._context = context
        self._applied = applied
        self._is_witness = is_witness
        self._log_bounds = log_bounds
        self._is_due = asyncio.Event()
        self._is_due.set()
        self._reads: dict[int, asyncio.Future[None]] = {}

    async def run(self) -> None:
        """Work until cancelled. Errors of the context end it: the member must start again."""
        try:
            while True:
                await self._is_due.wait()
                self._is_due.clear()
                await self._work()
        finally:
            for read in [*self._reads.values()]:
                if not read.done():
                    read.set_exception(MemberEndedError)

    async def _work(self) -> None:
        outputs = self.raft.take()
        if outputs.messages or outputs.reads:
            await self._context.confirm()
        for to, message in outputs.messages:
            self._context.send(to, message)
        if outputs.save is not None:
            await self._context.save(outputs.save)
            self.raft.saved(outputs.save.number)
            self._is_due.set()
        if outputs.committed:
            await self._context.apply(outputs.committed, outputs.applied)
        if outputs.committed or self._is_witness:
            self._applied = outputs.applied
        for number in [each for each in self._reads if each <= outputs.reads]:
            read = self._reads.pop(number)
            if not read.done():
                read.set_result(None)
        self._remove_entries()

    def _remove_entries(self) -> None:
        raft = self.raft
        index = removable(
            raft.log,
            self._applied,
            raft.held_everywhere,
            is_witness=self._is_witness,
            bounds=self._log_bounds,
        )
        if index > raft.log.base.index:
            raft.compact(index, b"")
            self._is_due.set()

    def tick(self) -> None:
        """Time passes: to be called about every 50 ms."""
        self.raft.tick()
        self._is_due.set()

    def receive(self, sender: str, data: bytes) -> None:
        """A message has arrived. Raises ValueError: it is none."""
        self.deliver(sender, decoded(data))

    def deliver(self, sender: str, message: Message) -> None:
        """A message has arrived."""
        self.raft.receive(sender, message)
        self._is_due.set()

    def propose(self, data: bytes) -> bool:
        """Propose an entry. False: there is no leader, or too much waits."""
        is_proposed = self.raft.propose([data])
        self._is_due.set()
        return is_proposed

    def reading(self) -> asyncio.Future[None]:
        """Done when the state has all that was committed when this was called.

        Without a majority that is never: the caller sets a time limit, and cancels. Its exception
        is MemberEndedError.
        """
        number = self.raft.read()
        read = self._reads[number] = asyncio.get_running_loop().create_future()
        read.add_done_callback(lambda _: self._reads.pop(number, None))
        self._is_due.set()
        return read
