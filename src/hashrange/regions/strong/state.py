"""The state of a member of this server, saved and applied in the engine."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.regions.consensus.messages import Entry, Message
from hashrange.regions.consensus.raft import Raft
from hashrange.regions.consensus.saving import Save
from hashrange.regions.consensus.state import Group
from hashrange.regions.consensus.writes import Outcome, Recent, Write, write_of
from hashrange.regions.strong.copies import Ask, CopyError, Wanted, copy
from hashrange.regions.strong.log_rows import Written, count_start, load, save, writes_before
from hashrange.regions.strong.members import GroupMember
from hashrange.regions.strong.places import GroupContext, Place
from hashrange.regions.strong.writes import Decided, apply_entries
from hashrange.storage.engine import ContendedError, StaleFenceError
from hashrange.tables.opened.open_table import OpenTable

_ATTEMPTS: Final = 20
_APPLIED_BYTES_MAX: Final = 4 * 1024 * 1024
"""Of the items in one write of the engine, beyond the last one."""

_log: Final = logging.getLogger(__name__)


class OverError(Exception):
    """The table has no log any more: the member ends."""


class MemberState:
    """The context of a `GroupMember`, from one start of it to its end.

    Args:
        context: what all members share.
        place: which member it is.
        on_applied: called with each entry that is applied, and its outcome.
        ask_of: asks the member in another region for a page of its items.

    Attributes:
        applied: the index of the last entry in the durable state.
        incarnation: no other start of the member has it.
        copies_total: how often it went on from a copy, and so behind entries that it did not judge.
    """

    def __init__(
        self,
        context: GroupContext,
        place: Place,
        on_applied: Callable[[Write, Outcome], None],
        ask_of: Callable[[str], Ask],
    ) -> None:
        self._context = context
        self._place = place
        self._on_applied = on_applied
        self._ask_of = ask_of
        self._engine = context.store.engine
        self._recent = Recent()
        self._version = 0
        """Of the last entry that took effect."""
        self._raft: Raft | None = None
        self.applied = 0
        self.incarnation = self.copies_total = 0

    async def start(self) -> GroupMember:
        """The member, which goes on from what is stored."""
        place, number = self._place, self._place.number
        self.incarnation = await count_start(self._engine, number, self._context.fences())
        stored = await load(self._engine, number)
        self.applied = stored.applied
        if not place.is_witness:
            self._go_on_from(await writes_before(self._engine, number, stored.applied))
        group = Group(
            name=place.region,
            members=place.members,
            witness=place.witness,
            incarnation=self.incarnation,
        )
        self._raft = Raft(group, stored, self._context.draw)
        return GroupMember(
            self._raft,
            self,
            stored.applied,
            is_witness=place.is_witness,
            log_bounds=self._context.log_bounds,
        )

    def _go_on_from(self, writes: Sequence[Written]) -> None:
        self._recent.take((index, region, key) for index, region, key, _ in writes)
        self._version = writes[-1][-1] if writes else 0

    async def confirm(self) -> None:
        """As `MemberContext.confirm`. Raises StaleFenceError, NotLeadingError, StorageError."""
        fences = self._context.fences()
        if fences:
            await self._engine.read([], fences=fences)

    async def save(self, change: Save) -> None:
        """As `MemberContext.save`; before a snapshot of another member its items are copied.

        Raises CopyError, OverError, StaleFenceError, NotLeadingError, StorageError.
        """
        writes: Sequence[Written] = ()
        is_copied = change.is_installed and not self._place.is_witness
        index = change.snapshot.position.index
        if is_copied:
            writes = await self._copy(index)
        fences = self._context.fences()
        await save(self._engine, self._place.number, change, writes=writes, fences=fences)
        if is_copied:
            self._go_on_from(writes)
            self.applied, self.copies_total = index, self.copies_total + 1

    def send(self, to: str, message: Message) -> None:
        """As `MemberContext.send`."""
        self._context.transport.send(self._place.group, self._place.region, to, message)

    async def apply(self, entries: Sequence[tuple[int, Entry]], applied: int) -> None:
        """As `MemberContext.apply`. Raises OverError, and errors of the engine."""
        judged: list[tuple[Write, Outcome]] = []
        taken: dict[bytes, Decided] = {}
        size = 0
        for index, entry in entries:
            write = write_of(entry.data)
            outcome = self._recent.judge(index, write)
            judged.append((write, outcome))
            if outcome is not Outcome.APPLIED:
                continue
            if write.key in taken or size > _APPLIED_BYTES_MAX:
                await self._store_entries(taken, index - 1)
                taken, size = {}, 0
            # Equal in all regions, as all have the same entries.
            self._version = max(write.time_us, self._version + 1)
            taken[write.key] = Decided(index, self._version, write)
            size += len(entry.data)
        await self._store_entries(taken, applied)
        for write, outcome in judged:
            self._on_applied(write, outcome)

    async def _store_entries(self, taken: dict[bytes, Decided], applied: int) -> None:
        for _ in range(_ATTEMPTS):
            table = await self._table()
            try:
                await apply_entries(
                    self._context.store,
                    table,
                    [*taken.values()],
                    applied,
                    fences=self._context.fences(),
                )
            except StaleFenceError:
                await self._context.catalog.open(self._place.name)
                continue
            self.applied = applied
            return
        raise ContendedError("the table changes too often, or another process has its log")

    async def _table(self) -> OpenTable:
        """The table as it is now. Raises OverError."""
        catalog, name = self._context.catalog, self._place.name
        table = catalog.cached(name) or await catalog.open(name)
        if table is None or table.number != self._place.number or not table.is_strong:
            raise OverError
        return table

    async def _copy(self, index: int) -> Sequence[Written]:
        """Make the items those of another member. Raises CopyError."""
        place, leader = self._place, None if self._raft is None else self._raft.leader
        sources = [each for each in place.members if each not in {place.region, place.witness}]
        sources.sort(key=lambda each: each != leader)
        wanted = Wanted(group=place.group, index=index)
        for source in sources:
            _log.info("%s: the items are copied from %s", place.name, source)
            for _ in range(_ATTEMPTS):
                try:
                    return await copy(
                        self._context.store, await self._table(), wanted, self._ask_of(source),
                        fences=self._context.fences,
                    )  # fmt: skip
                except StaleFenceError:
                    await self._context.catalog.open(place.name)
                except CopyError as error:
                    _log.warning("%s: no copy from %s: %s", place.name, source, error)
                    await asyncio.sleep(0)
                    break
        raise CopyError("no other region has the items")
