"""One member of a simulated group: its process, its disk and its state.

A crash loses what the disk had not finished. Faults of drivers can be planted with `Plan`.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

import msgspec

from hashrange.regions.consensus.raft import Outputs, Raft
from hashrange.regions.consensus.saving import Save, Stored
from hashrange.regions.consensus.state import Group

EMPTY = b"\x90"


class BrokenError(AssertionError):
    """Something that must always hold does not."""


def expect(holds: bool, what: str) -> None:
    """Raises BrokenError."""
    if not holds:
        raise BrokenError(what)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the group is, and what goes wrong in it. The last two are faults of a driver."""

    has_witness: bool = True
    crashes: float = 0.002
    pauses: float = 0.003
    cuts: float = 0.003
    compactions: float = 0.004
    losses: float = 0.05
    doubles: float = 0.05
    ticks: float = 0.15
    """The share of ticks: with more of them messages are slower than elections."""
    forgets_votes: bool = False
    acknowledges_early: bool = False


def stored_after(stored: Stored, save: Save) -> Stored:
    """What is persisted when a save is, too."""
    kept = stored.entries[: save.first - 1 - stored.snapshot.position.index]
    entries = (*kept, *save.entries)
    gone = save.snapshot.position.index - stored.snapshot.position.index
    if save.first - 1 <= save.snapshot.position.index:
        entries, gone = save.entries, 0
    return Stored(
        term=save.term,
        vote=save.vote,
        snapshot=save.snapshot,
        entries=entries[gone:],
        applied=save.snapshot.position.index if save.is_installed else stored.applied,
    )


class History:
    """The state that the group has: the data of all entries, with their indexes."""

    def __init__(self) -> None:
        self.pairs: list[tuple[int, bytes]] = []

    def apply(self, index: int, data: bytes) -> None:
        self.pairs.append((index, data))

    def load(self, data: bytes) -> None:
        self.pairs = msgspec.msgpack.decode(data, type=list[tuple[int, bytes]])

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(self.pairs)


class State(Protocol):
    """The state that committed entries make."""

    def apply(self, index: int, data: bytes) -> object:
        """Apply the next entry."""

    def load(self, data: bytes) -> None:
        """Go on from what was dumped; `EMPTY` is no entries."""

    def dump(self) -> bytes:
        """All of it."""


class Application:
    """What a member calls: its state, lost with the process but for what was dumped."""

    def __init__(self, state: State | None = None) -> None:
        self.state: Any = state or History()
        self.position = 0
        """The index of the last entry in the state."""

    def started(self, node: "Node") -> None:
        """The member has started."""

    def work(self, node: "Node") -> None:
        """A client of the member may call."""
        node.raft.propose([b"%d" % node.random.getrandbits(60)])

    def read(self, node: "Node", number: int) -> None:
        """Reads up to a number can be answered."""

    def applied(self, node: "Node", data: bytes, result: object) -> None:
        """An entry was applied."""


@dataclass
class Node:
    """One member, its process and its disk."""

    group: Group
    random: Random
    application: Application
    plan: Plan
    stored: Stored = field(default_factory=Stored)
    state: bytes = EMPTY
    """The durable state of the application."""
    raft: Raft = field(init=False)
    disk: deque[Callable[[], None]] = field(default_factory=deque)
    is_paused: bool = False

    def __post_init__(self) -> None:
        self.start()

    @property
    def name(self) -> str:
        """The name of the member."""
        return self.group.name

    def start(self) -> None:
        """Begin again with what is durable."""
        self.disk.clear()
        self.group = msgspec.structs.replace(self.group, incarnation=self.random.getrandbits(63))
        if self.plan.forgets_votes:
            self.stored = msgspec.structs.replace(self.stored, vote=None)
        self.raft = Raft(self.group, self.stored, self.random.random)
        self.application.position = self.stored.applied
        self.application.state.load(self.state)
        self.application.started(self)

    def crash(self) -> None:
        """End, and lose what was not synced, but for a beginning that may have reached the disk."""
        for _ in range(self.random.randrange(len(self.disk) + 1)):
            if self.random.random() < 0.5:
                break
            self.disk.popleft()()
        self.is_paused = False
        self.start()

    def pause(self) -> None:
        """Stop, or go on."""
        self.is_paused = not self.is_paused

    def persist(self, save: Save) -> None:
        """Queue a save."""
        if save.is_installed and not self.group.is_witness:
            self.application.state.load(save.snapshot.data)
            self.application.position = save.snapshot.position.index

        def write() -> None:
            self.stored = stored_after(self.stored, save)
            if save.is_installed:
                self.state = save.snapshot.data or EMPTY
            if not self.plan.acknowledges_early:
                self.raft.saved(save.number)

        self.disk.append(write)
        if self.plan.acknowledges_early:
            self.raft.saved(save.number)

    def apply(self, outputs: Outputs) -> None:
        """Apply entries; durable later."""
        application = self.application
        for index, entry in outputs.committed:
            expect(index > application.position, "an entry is applied once, in order")
            application.position = index
            result = application.state.apply(index, entry.data)
            application.applied(self, entry.data, result)
        application.position = outputs.applied
        if self.group.is_witness or outputs.applied == self.stored.applied:
            return
        state, applied = self.application.state.dump(), outputs.applied

        def write() -> None:
            self.state = state
            self.stored = msgspec.structs.replace(self.stored, applied=applied)

        self.disk.append(write)
