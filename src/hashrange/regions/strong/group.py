"""One member of this server, from the first start to the last."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.regions.consensus.messages import Message
from hashrange.regions.consensus.writes import Outcome, Write
from hashrange.regions.strong.copies import Ask, CopyError, Page, Wanted, page_of
from hashrange.regions.strong.places import GroupContext, Place
from hashrange.regions.strong.proposals import Proposals
from hashrange.regions.strong.state import MemberState, OverError
from hashrange.storage.engine import StaleFenceError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.leases import NotLeadingError

RESTART_SECONDS: Final = 1.0
"""After a failure, until the member starts again."""
_QUIET_TICKS: Final = 40
"""Without a leader, until the log of the server says so."""

_log: Final = logging.getLogger(__name__)


class MemberReport(msgspec.Struct, frozen=True, kw_only=True):
    """A member of this server, as operators see it.

    Attributes:
        table: as the whole catalog has it; empty for a witness.
        members: the regions of all members.
        leader: the region of the leader; None while none is known.
        silent: members that did not answer lately; known to the leader, and without a leader.
        entries: of the log, that were applied here.
    """

    table: str
    group: str
    region: str
    members: tuple[str, ...]
    witness: str | None
    leader: str | None
    term: int
    silent: tuple[str, ...]
    entries: int


class RunningMember:
    """A member of this server, which is started again when it fails.

    Args:
        context: what all members share.
        place: which member it is.
        ask_of: asks the member in another region for a page of its items.

    Attributes:
        place: as given.
        proposals: what clients want of it.
        entries_total: entries that were applied.
    """

    def __init__(self, context: GroupContext, place: Place, ask_of: Callable[[str], Ask]) -> None:
        self.place = place
        self.proposals = Proposals(context.store, place.region)
        self.entries_total = 0
        self._context = context
        self._ask_of = ask_of
        self._leaderless = 0

    async def run(self) -> None:
        """Work until it is cancelled, or the table has no log any more."""
        failures = Failures(_log, self._title)
        while True:
            state = MemberState(self._context, self.place, self._applied, self._ask_of)
            try:
                self.proposals.member = await state.start()
                failures.done()
                self.proposals.state = state
                await self.proposals.member.run()
            except OverError:
                return
            except (StorageError, StaleFenceError, NotLeadingError, CopyError) as error:
                failures.failed(error)
            except Exception:  # noqa: BLE001 - whatever it is, the other members go on
                _log.critical("%s has failed; it starts again", self._title, exc_info=True)
            finally:
                self.proposals.state = self.proposals.member = None
            await asyncio.sleep(RESTART_SECONDS)

    @property
    def _title(self) -> str:
        return f"the member of the strong table {self.place.name or self.place.group}"

    @property
    def leads(self) -> bool:
        """Whether it leads its group."""
        member = self.proposals.member
        return member is not None and member.raft.role == "LEADER"

    def report(self) -> MemberReport:
        """The state of the member now."""
        member, place = self.proposals.member, self.place
        raft = None if member is None else member.raft
        silent = () if raft is None or raft.role == "FOLLOWER" else tuple(raft.silent)
        return MemberReport(
            table=place.name,
            group=place.group,
            region=place.region,
            members=place.members,
            witness=place.witness,
            leader=None if raft is None else raft.leader,
            term=0 if raft is None else raft.term,
            silent=silent,
            entries=self.entries_total,
        )

    def tick(self) -> None:
        """Time passes."""
        member = self.proposals.member
        if member is None:
            return
        member.tick()
        if member.raft.leader is not None:
            if self._leaderless > _QUIET_TICKS:
                _log.info("%s has a leader again", self._title)
            self._leaderless = 0
            return
        self._leaderless += 1
        if self._leaderless == _QUIET_TICKS:
            silent = ", ".join(member.raft.silent)
            _log.warning("%s has no majority; no answer from %s", self._title, silent)

    def deliver(self, sender: str, message: Message) -> None:
        """A message has arrived."""
        if self.proposals.member is not None:
            self.proposals.member.deliver(sender, message)

    async def page(self, wanted: Wanted) -> Page:
        """A page of items for a member that copies them."""
        state, member, name = self.proposals.state, self.proposals.member, self.place.name
        table = await self._context.catalog.open(name) if name else None
        if state is None or member is None or table is None:
            return Page(is_there=False)
        return await page_of(
            self._context.store,
            table,
            wanted,
            applied=state.applied,
            base=member.raft.log.base.index,
        )

    def _applied(self, write: Write, outcome: Outcome) -> None:
        self.entries_total += 1
        self.proposals.resolve(write, outcome)
