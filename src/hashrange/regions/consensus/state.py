"""The state of a member, and its changes of term."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from hashrange.limits.consensus import ELECTION_TICKS
from hashrange.regions.consensus.log import Log
from hashrange.regions.consensus.messages import Message, ReadRequest, Snapshot
from hashrange.regions.consensus.saving import Saving

Role = Literal["FOLLOWER", "PRE_CANDIDATE", "CANDIDATE", "LEADER"]


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """A group of three, as one of its members knows it.

    `witness` votes and keeps a log only; None if all have a state. `incarnation` is a number that
    no earlier start of this member has had.
    """

    name: str
    members: tuple[str, ...]
    witness: str | None = None
    incarnation: int

    @property
    def others(self) -> tuple[str, ...]:
        """The other members."""
        return tuple(each for each in self.members if each != self.name)

    @property
    def majority(self) -> int:
        """How many members decide."""
        return len(self.members) // 2 + 1

    @property
    def is_witness(self) -> bool:
        """Whether this member is the witness."""
        return self.name == self.witness


@dataclass(slots=True)
class Progress:
    """The progress of another member, as its leader knows it.

    `matched`: its log equals the leader's up to this index, durably. `next`: the index of the first
    entry to send. `round`: the last confirmation. `snapshot_ticks`: until a snapshot is sent again.
    """

    next: int
    matched: int = 0
    round: int = 0
    snapshot_ticks: int = 0


@dataclass(slots=True)
class Reads:
    """Reads of this member and, of a leader, of all members.

    `number` is the last of this member's reads, `asked` the last that a leader was asked for,
    `ready` the last that can be answered,
    `answers` the confirmed ones as (number, index), whose entries may be missing. A leader has
    `waiting` requests, and of those in `confirming` the index and the round that confirms it.
    """

    number: int = 0
    asked: int = 0
    ready: int = 0
    answers: list[tuple[int, int]] = field(default_factory=list)
    waiting: dict[str, ReadRequest] = field(default_factory=dict)
    confirming: dict[str, ReadRequest] = field(default_factory=dict)
    index: int = 0
    round: int = 0


@dataclass(slots=True, kw_only=True)
class State:
    """One member. `draw` gives random numbers from 0 up to 1."""

    group: Group
    draw: Callable[[], float]
    log: Log
    saving: Saving
    snapshot: Snapshot
    term: int
    vote: str | None
    committed: int
    emitted: int
    """Entries up to it have been given to the application."""
    role: Role = "FOLLOWER"
    leader: str | None = None
    ticks: int = 0
    elapsed: int = 0
    """Ticks since a leader or a vote, or of a leader since its last heartbeat."""
    timeout: int = 0
    votes: set[str] = field(default_factory=set)
    progress: dict[str, Progress] = field(default_factory=dict)
    heard: dict[str, int] = field(default_factory=dict)
    """The tick of the last message of each other member."""
    round: int = 0
    reads: Reads = field(default_factory=Reads)
    held_everywhere: int = 0
    is_broadcast_due: bool = False
    unheld: list[tuple[str, Message]] = field(default_factory=list)
    """Messages that need not wait for the disk."""

    def silent(self, ticks: int) -> list[str]:
        """The other members of which nothing was heard for so many ticks."""
        others = self.group.others
        return [each for each in others if self.ticks - self.heard.get(each, 0) > ticks]


def wait_anew(state: State) -> None:
    """Begin to wait for a leader, for a random time. A witness waits longer than the others."""
    ticks = ELECTION_TICKS * (2 if state.group.is_witness else 1)
    state.elapsed, state.timeout = 0, ticks + int(state.draw() * ticks)


def follow(state: State, term: int, leader: str | None) -> None:
    """Become a follower, of a leader if it is known, in this term or a later one."""
    if term > state.term:
        state.term, state.vote = term, None
        state.saving.due()
    if state.role == "LEADER" or leader != state.leader:
        # A new leader has not heard of the reads that were asked for.
        state.reads.asked = 0
        state.reads.waiting.clear()
        state.reads.confirming.clear()
    if state.role == "LEADER":
        state.progress.clear()
        wait_anew(state)
    state.role, state.leader = "FOLLOWER", leader
    state.votes.clear()
