"""One member of a group: its inputs, and the effects that it requests.

After each call, or several, the driver takes the outputs: it sends the messages, persists the save
and reports when that is durable, applies the committed entries in their order, and only then
answers the reads that are ready. Nothing else is asked of it: messages may be lost, late, doubled
or out of order, and ticks may come at any rate.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from hashrange.limits.consensus import ELECTION_TICKS, HEARTBEAT_TICKS, UNCOMMITTED_BYTES_MAX
from hashrange.regions.consensus import elections, reading, replicating
from hashrange.regions.consensus.log import Log
from hashrange.regions.consensus.messages import (
    AppendRequest,
    AppendResponse,
    Entry,
    Message,
    ProposeRequest,
    ReadRequest,
    ReadResponse,
    Snapshot,
    SnapshotRequest,
    VoteRequest,
    VoteResponse,
)
from hashrange.regions.consensus.saving import Save, Saving, Stored
from hashrange.regions.consensus.state import Group, Role, State, follow, wait_anew


def _on_propose_request(state: State, _sender: str, request: ProposeRequest) -> None:
    if state.role == "LEADER":
        _append(state, request.data)


def _append(state: State, data: Sequence[bytes]) -> bool:
    """Append entries if not too much waits for a majority."""
    if state.log.size_after(state.committed) > UNCOMMITTED_BYTES_MAX:
        return False
    replicating.append(state, [each for each in data if each])
    return True


def _committed(state: State) -> list[tuple[int, Entry]]:
    """The entries that are committed and durable here, and were not given before."""
    first, last = state.emitted + 1, min(state.committed, state.saving.saved_index)
    if last < first:
        return []
    state.emitted = last
    if state.group.is_witness:
        return []
    entries = enumerate(state.log.entries(first, last), first)
    return [(index, entry) for index, entry in entries if entry.data]


_HANDLERS: Final[dict[type[Message], Callable[[State, str, Any], None]]] = {
    VoteRequest: elections.on_vote_request,
    VoteResponse: elections.on_vote_response,
    AppendRequest: replicating.on_append_request,
    AppendResponse: replicating.on_append_response,
    SnapshotRequest: replicating.on_snapshot_request,
    ReadRequest: reading.on_read_request,
    ReadResponse: reading.on_read_response,
    ProposeRequest: _on_propose_request,
}


class Outputs(msgspec.Struct, frozen=True, kw_only=True):
    """The effects that a member requests.

    `messages` are to be sent to members at once. `save` is to be persisted, `committed` applied:
    entries with their indexes, without the empty ones; a witness has none. When they are applied,
    reads up to the number `reads` can be answered; 0 is none.
    """

    messages: Sequence[tuple[str, Message]]
    save: Save | None
    committed: Sequence[tuple[int, Entry]]
    applied: int
    """The index of the last entry that is applied when `committed` are, with the empty ones."""
    reads: int


class Raft:
    """A member."""

    def __init__(self, group: Group, stored: Stored, draw: Callable[[], float]) -> None:
        """Begin, or go on after a restart.

        Args:
            group: the group, and the name of this member in it.
            stored: what was persisted, up to the last save that is durable.
            draw: gives random numbers from 0 up to 1.
        """
        log = Log(stored.snapshot.position, stored.entries)
        known = log.base.index if group.is_witness else stored.applied
        assert log.base.index <= known <= log.last.index, "a state is at an entry of the log"
        self._state = State(
            group=group,
            draw=draw,
            log=log,
            saving=Saving(log),
            snapshot=stored.snapshot,
            term=stored.term,
            vote=stored.vote,
            committed=known,
            emitted=known,
        )
        wait_anew(self._state)

    @property
    def role(self) -> Role:
        """The role in the term."""
        return self._state.role

    @property
    def term(self) -> int:
        """The term."""
        return self._state.term

    @property
    def leader(self) -> str | None:
        """The leader of the term; None if it is not known."""
        return self._state.leader

    @property
    def log(self) -> Log:
        """The log, to be read only."""
        return self._state.log

    @property
    def committed(self) -> int:
        """The index up to which entries are known to be committed."""
        return self._state.committed

    @property
    def held_everywhere(self) -> int:
        """The index up to which no member with a state needs entries or a snapshot."""
        return self._state.held_everywhere

    @property
    def silent(self) -> Sequence[str]:
        """The members that did not answer lately; of use while there is no leader."""
        return self._state.silent(3 * ELECTION_TICKS)

    def tick(self) -> None:
        """Time passes; ticks are of equal length, some hundredths of a second."""
        state = self._state
        state.ticks += 1
        state.elapsed += 1
        if state.role == "LEADER":
            if len(state.silent(ELECTION_TICKS)) >= state.group.majority:
                follow(state, state.term, None)
            elif state.elapsed >= HEARTBEAT_TICKS:
                state.elapsed = 0
                state.is_broadcast_due = True
        elif state.elapsed >= state.timeout:
            elections.begin_pre_vote(state)
        if state.ticks % HEARTBEAT_TICKS == 0:
            reading.ask(state, is_again=True)

    def receive(self, sender: str, message: Message) -> None:
        """A message of another member has arrived."""
        state = self._state
        if sender not in state.group.members:
            return
        state.heard[sender] = state.ticks
        _HANDLERS[type(message)](state, sender, message)

    def propose(self, data: Sequence[bytes]) -> bool:
        """Propose entries, none of them empty. They may be lost, or be committed twice.

        Returns False if there is no leader, or if too much waits for a majority.
        """
        state = self._state
        if state.role == "LEADER":
            return _append(state, data)
        if state.leader is None:
            return False
        state.unheld.append((state.leader, ProposeRequest(tuple(data))))
        return True

    def read(self) -> int:
        """Begin a read. Returns its number, which `Outputs.reads` reaches if there is a leader."""
        return reading.begin(self._state)

    def compact(self, index: int, data: bytes) -> None:
        """Replace the log up to an index, which the application has applied durably, by a snapshot.

        Args:
            index: of the last entry in the snapshot.
            data: of the snapshot, for members that lack the entries.
        """
        state = self._state
        assert index <= state.emitted, "applied"
        if index > state.log.base.index:
            replicating.compact(state, Snapshot(state.log.position_at(index), data))

    def saved(self, number: int) -> None:
        """The save with this number, and all before it, are durable."""
        state = self._state
        state.saving.acknowledge(number)
        if state.role == "LEADER":
            replicating.advance(state)

    def take(self) -> Outputs:
        """The effects to be done now, each once."""
        state = self._state
        for to, message in state.saving.released():
            if to == state.group.name:
                self.receive(to, message)  # the own vote
            else:
                state.unheld.append((to, message))
        reading.ask(state)
        reading.confirm(state)
        replicating.send(state)
        replicating.compact_witness(state)
        save = state.saving.issue(state.term, state.vote, state.snapshot)
        messages, state.unheld = state.unheld, []
        committed = _committed(state)
        reads = reading.ready(state)
        return Outputs(
            messages=messages,
            save=save,
            committed=committed,
            applied=state.emitted,
            reads=reads,
        )
