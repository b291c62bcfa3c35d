"""A group of three members in one thread: a network, disks and processes that fail at random.

Each step is drawn: a message arrives, is lost or doubled, time passes at one member, a disk
finishes a write, a process crashes, is paused or goes on, links are cut. After each step what must
always hold is compared (`Watch`). Faults of disks that must be found can be planted.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from hashrange.limits.consensus import HEARTBEAT_TICKS
from hashrange.regions.consensus.messages import Entry, Message, decoded, encoded
from hashrange.regions.consensus.state import Group
from tests.model.simulated_member import Application, BrokenError, Node, Plan, expect

MEMBERS = ("east", "west", "south")
WITNESS = "south"
NETWORK_MAX = 150
HEALING_ROUNDS = 3000
"""Until all agree when nothing fails any more; some hundred are usual."""


@dataclass
class Watch:
    """What must always hold, and what was seen so far."""

    leaders: dict[int, str] = field(default_factory=dict)
    entries: dict[tuple[int, int], tuple[Entry, int | None]] = field(default_factory=dict)
    chosen: dict[int, Entry] = field(default_factory=dict)
    looked: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def committed(self) -> int:
        """The index up to which any member has known entries as committed."""
        return max(self.chosen, default=0)

    def look(self, node: Node) -> None:
        """Compare a member with all that was seen. Raises BrokenError."""
        raft, log, base = node.raft, node.raft.log, node.raft.log.base
        term = base.term
        for index, entry in enumerate(log.entries(base.index + 1), base.index + 1):
            seen = self.entries.setdefault((index, entry.term), (entry, term))
            expect(seen == (entry, term), "log matching: equal entries follow equal entries")
            term = entry.term
            if index <= raft.committed:
                chosen = self.chosen.setdefault(index, entry)
                expect(chosen == entry, "state machine safety: one entry is committed at an index")
        if raft.role == "LEADER":
            leader = self.leaders.setdefault(raft.term, node.name)
            expect(leader == node.name, "election safety: a term has one leader")
            # Of terms before its own: one that was overtaken need not know of it.
            newest = max(self.leaders) == raft.term
            expect(
                not newest or self.committed <= raft.log.last.index,
                "leader completeness: a leader has all committed entries",
            )
            for index, entry in enumerate(
                log.entries(base.index + 1) if newest else (), base.index + 1
            ):
                expect(
                    self.chosen.get(index, entry) == entry,
                    "leader completeness: a leader has all committed entries",
                )


class Simulation:
    """The group at work."""

    def __init__(
        self,
        seed: int,
        plan: Plan,
        application: Callable[[], Application] = Application,
    ) -> None:
        self.random = Random(seed)
        self.plan = plan
        self.watch = Watch()
        self.network: list[tuple[str, str, bytes]] = []
        self.cut: set[tuple[str, str]] = set()
        self._reads: dict[tuple[str, int, int], int] = {}
        self.reads_ready = 0
        self.nodes = {
            name: Node(
                Group(
                    name=name,
                    members=MEMBERS,
                    witness=WITNESS if plan.has_witness else None,
                    incarnation=0,
                ),
                Random(f"{seed}/{name}"),
                application(),
                plan,
            )
            for name in MEMBERS
        }

    @property
    def full(self) -> list[Node]:
        """The members that have a state."""
        return [node for node in self.nodes.values() if not node.group.is_witness]

    def settle(self, node: Node) -> None:
        """Do what a member wants done, and look at it."""
        outputs = node.raft.take()
        for to, message in outputs.messages:
            self.send(node.name, to, message)
        if outputs.save is not None:
            node.persist(outputs.save)
        node.apply(outputs)
        if outputs.reads:
            self._ready(node, outputs.reads)
            node.application.read(node, outputs.reads)
        self.watch.look(node)

    def send(self, sender: str, to: str, message: Message) -> None:
        """Put a message on its way, or lose or double it."""
        if self.random.random() < self.plan.losses:
            return
        if len(self.network) >= NETWORK_MAX:  # a socket's buffer is full
            return
        copies = 2 if self.random.random() < self.plan.doubles else 1
        self.network.extend([(sender, to, encoded(message))] * copies)

    def deliver(self) -> None:
        """Any message arrives, if it can."""
        places = [place for place, (_, to, _) in enumerate(self.network) if to in self.awake]
        if not places:
            return
        sender, to, data = self.network.pop(self.random.choice(places[:12]))
        if (sender, to) not in self.cut:
            node = self.nodes[to]
            node.raft.receive(sender, decoded(data))
            self.settle(node)

    @property
    def awake(self) -> set[str]:
        """The members that are not paused."""
        return {name for name, node in self.nodes.items() if not node.is_paused}

    def read(self, node: Node) -> None:
        """Begin a read, which must see all that is committed now."""
        number = node.raft.read()
        self._reads[node.name, node.group.incarnation, number] = self.watch.committed

    def _ready(self, node: Node, number: int) -> None:
        own = [
            key
            for key in self._reads
            if key[:2] == (node.name, node.group.incarnation) and key[2] <= number
        ]
        for key in own:
            index = self._reads.pop(key)
            seen = max(node.application.position, node.raft.committed)
            expect(index <= seen, "reads see all that was committed before they began")
            self.reads_ready += 1

    def sync(self, name: str) -> None:
        """The disk of a member does all that it was told."""
        node = self.nodes[name]
        while node.disk:
            node.disk.popleft()()
            self.settle(node)

    def carry(
        self,
        *names: str,
        is_kept: Callable[[Message], bool] = lambda _message: True,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """A heartbeat, and all messages between these members, arrive; others are lost."""
        for name in names:
            if self.nodes[name].raft.role == "LEADER":
                for _ in range(HEARTBEAT_TICKS):
                    self.nodes[name].raft.tick()
            self.settle(self.nodes[name])
            self.sync(name)
        while self.network and not is_over():
            sender, to, data = self.network.pop(0)
            message = decoded(data)
            if {sender, to} <= {*names} and is_kept(message):
                self.nodes[to].raft.receive(sender, message)
                self.settle(self.nodes[to])
                self.sync(to)

    def elect(self, name: str, voter: str) -> None:
        """A member is elected with the vote of another, which hears of no other leader."""
        node = self.nodes[name]
        self.time_out(voter)
        self.network.clear()
        while node.raft.role != "LEADER":
            self.time_out(name)
            self.carry(name, voter, is_over=lambda: node.raft.role == "LEADER")
            self.network.clear()
        self.sync(name)

    def time_out(self, name: str) -> None:
        """A member asks for votes, since it heard of no leader."""
        node = self.nodes[name]
        while node.raft.role != "PRE_CANDIDATE":
            node.raft.tick()
        self.settle(node)

    def step(self) -> None:
        """One thing happens."""
        random, plan = self.random, self.plan
        node = random.choice([*self.nodes.values()])
        chance = random.random()
        for share, happens in (
            (plan.crashes, node.crash),
            (plan.pauses * (5 if node.is_paused else 1), node.pause),
            (plan.cuts, self._cut),
            (plan.compactions, lambda: self._compact(node)),
        ):
            if chance < share:
                happens()
                return
            chance -= share
        if chance < 0.6:
            self.deliver()
        elif not node.is_paused:
            self._work(node)

    def _work(self, node: Node) -> None:
        chance = self.random.random()
        if self.random.random() < self.plan.ticks:
            for _ in range(self.random.randint(1, 8)):
                node.raft.tick()
        elif chance < 0.7:
            if node.disk:
                node.disk.popleft()()
        elif node.group.is_witness:
            return
        elif chance < 0.85:
            self.read(node)
        else:
            node.application.work(node)
        self.settle(node)

    def _cut(self) -> None:
        """Cut some links, in one direction or both, or none."""
        pairs = [(one, other) for one in MEMBERS for other in MEMBERS if one != other]
        alone = self.random.choice(MEMBERS)
        self.cut = {
            0: set(),
            1: {pair for pair in pairs if alone in pair},
            2: {pair for pair in pairs if pair[1] == alone},
            3: {self.random.choice(pairs)},
        }[max(0, self.random.randrange(-3, 4))]

    def _compact(self, node: Node) -> None:
        index = node.stored.applied
        if not node.group.is_witness and not node.is_paused and index > node.raft.log.base.index:
            node.raft.compact(index, node.state)
            self.settle(node)

    def run(self, steps: int) -> None:
        """So many steps. Raises BrokenError."""
        for _ in range(steps):
            self.step()

    def heal(self) -> None:
        """Let nothing fail any more, until all members agree on an entry that is new."""
        self.plan = Plan(crashes=0, pauses=0, cuts=0, losses=0)
        self.cut = set()
        for node in self.nodes.values():
            node.is_paused = False
        for number in range(HEALING_ROUNDS):
            for node in self.nodes.values():
                while node.disk:
                    node.disk.popleft()()
                node.raft.tick()
                self.settle(node)
            for _ in range(min(len(self.network), 50)):
                self.deliver()
            if number % 50 == 0:
                last = b"healed-%d" % number
                self.full[0].raft.propose([last])
            if all(self._has(node, last) for node in self.full):
                return
        raise BrokenError("liveness: a group without failures commits what is proposed")

    def _has(self, node: Node, data: bytes) -> bool:
        pairs = node.application.state.pairs
        return bool(pairs) and pairs[-1][1] == data
