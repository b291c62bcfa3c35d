"""Linearizable reads at any member, by read index.

A read may be answered from the state that has all entries up to the commit index of the leader at
a moment after the read has begun. That the leader still was one is confirmed by a round of messages
to a majority. No clock is compared, so a process that was stopped and goes on cannot answer from a
state that is too old.
"""

from hashrange.limits.consensus import READ_ANSWERS_MAX
from hashrange.regions.consensus.messages import ReadRequest, ReadResponse
from hashrange.regions.consensus.state import State


def begin(state: State) -> int:
    """The number of a new read."""
    state.reads.number += 1
    return state.reads.number


def ask(state: State, *, is_again: bool = False) -> None:
    """Ask the leader about the reads that it was not asked about; `is_again`: about all."""
    reads = state.reads
    answered = max((number for number, _ in reads.answers), default=reads.ready)
    if state.leader is None or reads.number <= max(answered, 0 if is_again else reads.asked):
        return
    reads.asked = reads.number
    request = ReadRequest(state.group.incarnation, reads.number)
    if state.role == "LEADER":
        on_read_request(state, state.group.name, request)
    else:
        state.unheld.append((state.leader, request))


def on_read_request(state: State, sender: str, request: ReadRequest) -> None:
    """Note what a member wants to read, if this one leads."""
    if state.role == "LEADER":
        state.reads.waiting[sender] = request


def confirm(state: State) -> None:
    """Answer the reads whose round a majority has confirmed, and begin the next round.

    A leader knows the commit index of earlier terms only when an entry of its own is committed.
    """
    reads = state.reads
    if state.role != "LEADER":
        return
    if reads.confirming and is_confirmed(state, reads.round):
        for name, request in reads.confirming.items():
            _answer(state, name, request)
        reads.confirming = {}
    if reads.waiting and not reads.confirming and _knows_committed(state):
        state.round += 1
        state.is_broadcast_due = True
        reads.confirming, reads.waiting = reads.waiting, {}
        reads.index, reads.round = state.committed, state.round


def is_confirmed(state: State, number: int) -> bool:
    """Whether a majority has answered a message of this round or a later one, of this term."""
    rounds = sorted((each.round for each in state.progress.values()), reverse=True)
    return rounds[state.group.majority - 2] >= number


def _knows_committed(state: State) -> bool:
    return state.log.term_at(state.committed) == state.term


def _answer(state: State, name: str, request: ReadRequest) -> None:
    response = ReadResponse(request.incarnation, request.number, state.reads.index)
    if name == state.group.name:
        on_read_response(state, name, response)
    else:
        state.unheld.append((name, response))


def on_read_response(state: State, _sender: str, response: ReadResponse) -> None:
    """Note which index the reads of this member must see."""
    reads = state.reads
    if response.incarnation != state.group.incarnation:
        return  # reads of before the restart, which had the same numbers
    if response.number > reads.ready and len(reads.answers) < READ_ANSWERS_MAX:
        reads.answers.append((response.number, response.index))


def ready(state: State) -> int:
    """The number up to which reads can be answered now; 0 for none. Each is returned once."""
    answers = state.reads.answers
    found = max((number for number, index in answers if index <= state.emitted), default=0)
    if found:
        state.reads.ready = found
        state.reads.answers = [each for each in answers if each[0] > found]
    return found
