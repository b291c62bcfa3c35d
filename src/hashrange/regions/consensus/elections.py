"""Elections: pre-votes, votes, and who has won.

A member that hears of no leader first holds a pre-vote: it asks whether it would be elected. So a
member that comes back from a partition does not end the term of a leader that others hear.
"""

from hashrange.limits.consensus import ELECTION_TICKS
from hashrange.regions.consensus import replicating
from hashrange.regions.consensus.messages import VoteRequest, VoteResponse
from hashrange.regions.consensus.state import State, follow, wait_anew


def begin_pre_vote(state: State) -> None:
    """Ask the others whether they would elect this member."""
    follow(state, state.term, None)
    state.role = "PRE_CANDIDATE"
    state.votes.add(state.group.name)
    wait_anew(state)
    request = VoteRequest(state.term + 1, state.log.last, is_pre_vote=True)
    state.unheld.extend((each, request) for each in state.group.others)


def _begin(state: State) -> None:
    """Ask for votes in a new term. The own vote counts when it is durable, as any other does."""
    follow(state, state.term + 1, None)
    state.role, state.vote = "CANDIDATE", state.group.name
    state.saving.due()
    wait_anew(state)
    request = VoteRequest(state.term, state.log.last, is_pre_vote=False)
    for each in state.group.others:
        state.saving.hold(each, request)
    state.saving.hold(
        state.group.name, VoteResponse(state.term, is_granted=True, is_pre_vote=False)
    )


def on_vote_request(state: State, sender: str, request: VoteRequest) -> None:
    """Grant a vote once in a term, to a member whose log has all that this one has."""
    if request.is_pre_vote:
        is_granted = request.term > state.term and not _has_leader(state)
        is_granted = is_granted and request.last >= state.log.last
        term = request.term if is_granted else state.term
        state.unheld.append((sender, VoteResponse(term, is_granted, is_pre_vote=True)))
        return
    if request.term > state.term:
        follow(state, request.term, None)
    is_granted = (
        request.term == state.term
        and state.vote in {None, sender}
        and request.last >= state.log.last
    )
    if is_granted:
        state.vote = sender
        state.saving.due()
        wait_anew(state)
    state.saving.hold(sender, VoteResponse(state.term, is_granted, is_pre_vote=False))


def _has_leader(state: State) -> bool:
    is_heard = state.leader is not None and state.elapsed < ELECTION_TICKS
    return is_heard or state.role == "LEADER"


def on_vote_response(state: State, sender: str, response: VoteResponse) -> None:
    """Count a vote."""
    if not response.is_granted:
        if response.term > state.term:
            follow(state, response.term, None)
        return
    role = "PRE_CANDIDATE" if response.is_pre_vote else "CANDIDATE"
    if state.role != role or response.term != state.term + response.is_pre_vote:
        return
    state.votes.add(sender)
    if len(state.votes) < state.group.majority:
        return
    if response.is_pre_vote:
        _begin(state)
    else:
        replicating.lead(state)
