"""The members that run in this process."""

import asyncio
from collections.abc import Collection, Mapping
from functools import partial

from hashrange.limits.consensus import TICK_SECONDS
from hashrange.observe.figures import Figures
from hashrange.regions.consensus.messages import Message
from hashrange.regions.peers.calls import Calls
from hashrange.regions.strong.copies import COPY, Ask, Page, Wanted, asked
from hashrange.regions.strong.group import MemberReport, RunningMember
from hashrange.regions.strong.places import GroupContext, Key, Place
from hashrange.regions.strong.transport import ended


class RunningMembers:
    """Begins and ends members, and finds them.

    Args:
        context: what they share.
        calls: to the servers of other regions; None without any.
        own: the regions of this server.
    """

    def __init__(self, context: GroupContext, calls: Calls | None, own: Collection[str]) -> None:
        self._context = context
        self._calls = calls
        self._own = frozenset(own)
        self._members: dict[Key, RunningMember] = {}
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._stopped: set[Key] = set()
        """Members that may still be in places which were read before."""
        self._ended_conflicts = self._ended_entries = 0

    def get(self, key: Key) -> RunningMember | None:
        """A member; None if it does not run here."""
        return self._members.get(key)

    async def keep(self, places: Mapping[Key, Place]) -> None:
        """Run these members, and no others; none that was stopped."""
        self._stopped &= places.keys()
        for key, member in [*self._members.items()]:
            if places.get(key) != member.place:
                await self._end(key)
        for key, place in places.items():
            task = self._tasks.get(key)
            if key not in self._stopped and (task is None or task.done()):
                ask_of = partial(self._ask_of, place.region)
                member = self._members[key] = RunningMember(self._context, place, ask_of)
                self._tasks[key] = asyncio.create_task(member.run())

    async def stop(self, key: Key) -> None:
        """End a member for good; when this returns, it writes nothing any more."""
        self._stopped.add(key)
        await self._end(key)

    async def _end(self, key: Key) -> None:
        task, member = self._tasks.pop(key, None), self._members.pop(key, None)
        if member is not None:
            self._ended_entries += member.entries_total
            self._ended_conflicts += member.proposals.conflicts_total
            member.proposals.is_over = True
        if task is not None:
            await ended([task])

    async def tick(self) -> None:
        """Let time pass for all members, until it is cancelled."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            for member in self._members.values():
                member.tick()

    def deliver(self, group: str, sender: str, receiver: str, message: Message) -> None:
        """A message has arrived; it is dropped if there is no such member here."""
        member = self._members.get((group, receiver))
        if member is not None:
            member.deliver(sender, message)

    async def page(self, region: str, wanted: Wanted) -> Page:
        """A page of items of the member in a region, for one that copies them."""
        member = self._members.get((wanted.group, region))
        return Page(is_there=False) if member is None else await member.page(wanted)

    def reports(self) -> list[MemberReport]:
        """The members, by table and region."""
        found = [member.report() for member in self._members.values()]
        return sorted(found, key=lambda each: (each.table, each.region))

    def figures(self) -> Figures:
        """Figures for metrics."""
        members = self._members.values()
        entries = sum(member.entries_total for member in members)
        conflicts = sum(member.proposals.conflicts_total for member in members)
        return {
            "strong_members": len(members),
            "strong_leads": sum(member.leads for member in members),
            "strong_entries_total": self._ended_entries + entries,
            "strong_conflicts_total": self._ended_conflicts + conflicts,
            "strong_messages_total": self._context.transport.sent_total,
        }

    def _ask_of(self, own: str, region: str) -> Ask:
        """A function that asks the member in another region for a page."""
        if region in self._own or self._calls is None:
            return partial(self.page, region)
        return partial(asked, partial(self._calls.call, own, region, COPY))
