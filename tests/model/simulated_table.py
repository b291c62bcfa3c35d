"""A strong table in a simulated group: clients in each region, and what they were answered.

Each client has one call at a time. A call begins with a linearizable read; a write is decided on
the state that the region has then, and proposed, sometimes twice.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import count
from random import Random

import msgspec

from hashrange.regions.consensus.writes import Outcome, Recent, Write, write_data, write_of
from tests.model.linearizability import Action, Add, Call, Read, Remove, Swap, outcome
from tests.model.linearizability import Write as Put
from tests.model.simulated_group import Simulation
from tests.model.simulated_member import EMPTY, Application, Node, Plan

KEYS = (b"k", b"l")
CLIENTS = 2
"""In each region."""


class Items:
    """The state of a table: a number for each item, and the recent writes."""

    def __init__(self) -> None:
        self.values: dict[bytes, int] = {}
        self.recent = Recent()

    def apply(self, index: int, data: bytes) -> Outcome:
        write = write_of(data)
        result = self.recent.judge(index, write)
        if result is Outcome.APPLIED:
            self.values.pop(write.key, None)
            if write.item is not None:
                self.values[write.key] = int(write.item)
        return result

    def load(self, data: bytes) -> None:
        self.values, self.recent = {}, Recent()
        if data != EMPTY:
            self.values, rows = msgspec.msgpack.decode(data, type=tuple[dict[bytes, int], bytes])
            self.recent.load(rows)

    def dump(self) -> bytes:
        return msgspec.msgpack.encode((self.values, self.recent.dump()))


@dataclass
class Client:
    """One client, and the call that it waits for."""

    key: bytes = b""
    call: Call | None = None
    read: int = 0
    """The number of the read that the call waits for; 0 if it is proposed."""
    proposed: int = 0
    answer: int | None = None


class Table:
    """All regions of a table: the histories of its items, in one clock."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"{seed}/table")
        self.clock = count(1)
        self.histories: dict[bytes, list[Call]] = defaultdict(list)
        self.values = count(1)
        self.conflicts = 0
        self.answers = 0

    def action(self, seen: int | None) -> Action:
        """What a client does next; each written value is written once."""
        new = next(self.values) * 1000
        return self.random.choice(
            [Read(), Read(), Put(new), Remove(), Add(1), Add(1), Swap(seen, new), Swap(None, new)]
        )


class Region(Application):
    """The clients of a region."""

    def __init__(self, table: Table) -> None:
        super().__init__(Items())
        self._table = table
        self._clients = [Client() for _ in range(CLIENTS)]
        self._numbers = count(1)
        self._seen: int | None = None

    def started(self, node: Node) -> None:
        """Calls that waited have no answer."""
        for client in self._clients:
            self._give_up(client)

    def work(self, node: Node) -> None:
        """A client calls, or gives up."""
        client = self._table.random.choice(self._clients)
        if client.call is None:
            key = self._table.random.choice(KEYS)
            self._call(node, client, key, self._table.action(self._seen))
        elif self._table.random.random() < 0.02:
            self._give_up(client)

    def call(self, node: Node, key: bytes, action: Action) -> None:
        """The first client calls."""
        self._call(node, self._clients[0], key, action)

    def _call(self, node: Node, client: Client, key: bytes, action: Action) -> None:
        client.key = key
        client.call = Call(action=action, called=next(self._table.clock), returned=None)
        client.read = node.raft.read()

    def read(self, node: Node, number: int) -> None:
        """The state is new enough: reads are answered, writes decided."""
        for client in self._clients:
            if client.call is not None and 0 < client.read <= number:
                client.read = 0
                self._decide(node, client, client.call)

    def _decide(self, node: Node, client: Client, call: Call) -> None:
        before = self.state.values.get(client.key)
        client.answer, after = outcome(call.action, before)
        is_refused = isinstance(call.action, Swap) and before != call.action.expected
        if isinstance(call.action, Read) or is_refused:
            self._answer(client)
            return
        client.proposed = next(self._numbers)
        write = Write(
            incarnation=node.group.incarnation,
            number=client.proposed,
            region=node.name,
            key=client.key,
            item=None if after is None else b"%d" % after,
            seen=self.position,
        )
        for _ in range(self._table.random.choice((1, 1, 2))):
            node.raft.propose([write_data(write)])

    def applied(self, node: Node, data: bytes, result: object) -> None:
        """An entry was applied: the client that waits for it is answered."""
        write = write_of(data)
        if write.incarnation != node.group.incarnation:
            return
        for client in self._clients:
            if client.call is not None and not client.read and client.proposed == write.number:
                if result is Outcome.APPLIED:
                    self._answer(client)
                elif result is Outcome.CONFLICT:
                    self._table.conflicts += 1
                    client.call = None
                else:
                    client.read = node.raft.read()

    def _answer(self, client: Client) -> None:
        assert client.call is not None
        self._table.answers += 1
        self._seen = client.answer
        call = replace(client.call, returned=next(self._table.clock), answer=client.answer)
        self._table.histories[client.key].append(call)
        client.call = None

    def _give_up(self, client: Client) -> None:
        if client.call is not None and not isinstance(client.call.action, Read):
            self._table.histories[client.key].append(client.call)
        client.call = None


def histories_of(seed: int, plan: Plan, steps: int) -> Table:
    """What the clients of a table were answered in so many steps. Raises BrokenError."""
    table = Table(seed)
    simulation = Simulation(seed, plan, lambda: Region(table))
    simulation.run(steps)
    for node in simulation.full:
        node.application.started(node)
    return table
