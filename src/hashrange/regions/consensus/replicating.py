"""Replication of the log: what a leader sends, what a member accepts, and what is committed."""

from hashrange.limits.consensus import (
    BATCH_BYTES_MAX,
    BATCH_ENTRIES_MAX,
    ELECTION_TICKS,
    IN_FLIGHT_ENTRIES_MAX,
)
from hashrange.regions.consensus.messages import (
    AppendRequest,
    AppendResponse,
    Entry,
    Message,
    Position,
    Snapshot,
    SnapshotRequest,
)
from hashrange.regions.consensus.state import Progress, State, follow


def lead(state: State) -> None:
    """Lead the term. Its first entry is empty: with it all entries before it are committed."""
    first = state.log.last.index + 1
    state.role, state.leader, state.elapsed = "LEADER", state.group.name, 0
    state.progress = {each: Progress(next=first) for each in state.group.others}
    state.heard = dict.fromkeys(state.group.others, state.ticks)
    state.round += 1
    append(state, [b""])


def append(state: State, data: list[bytes]) -> None:
    """Append entries of this term."""
    state.saving.appended(state.log.last.index + 1)
    state.log.append(Entry(state.term, each) for each in data)


def advance(state: State) -> None:
    """Commit what a majority holds durably."""
    matched = [each.matched for each in state.progress.values()]
    matched.append(state.saving.saved_index)
    matched.sort(reverse=True)
    index = matched[state.group.majority - 1]
    if index > state.committed and is_committed_by_count(state, index):
        state.committed = index
        state.is_broadcast_due = True
    witness = state.group.witness
    own = [] if state.group.is_witness else [state.saving.saved_index]
    held = [each.matched for name, each in state.progress.items() if name != witness]
    state.held_everywhere = max(state.held_everywhere, min([*held, *own]))


def is_committed_by_count(state: State, index: int) -> bool:
    """Whether an entry that a majority holds is committed: only if it is of the leader's term.

    A later leader can still overwrite an entry of an earlier term, until one of this term follows.
    """
    return state.log.term_at(index) == state.term


def send(state: State) -> None:
    """Send the members what they lack; if a broadcast is due, a message to each."""
    for name, progress in state.progress.items():
        if progress.next <= state.log.base.index:
            _send_snapshot(state, name, progress)
        else:
            _send_entries(state, name, progress)
    state.is_broadcast_due = False


def _send_entries(state: State, name: str, progress: Progress) -> None:
    count = min(progress.matched + IN_FLIGHT_ENTRIES_MAX - progress.next + 1, BATCH_ENTRIES_MAX)
    entries: tuple[Entry, ...] = ()
    if count > 0:
        entries = state.log.batch(progress.next, count, BATCH_BYTES_MAX)
    if entries or state.is_broadcast_due:
        previous = state.log.position_at(progress.next - 1)
        progress.next += len(entries)
        state.unheld.append((name, _request(state, previous, entries)))


def _request(state: State, previous: Position, entries: tuple[Entry, ...]) -> Message:
    return AppendRequest(
        term=state.term,
        previous=previous,
        entries=entries,
        committed=state.committed,
        held_everywhere=state.held_everywhere,
        round=state.round,
    )


def _send_snapshot(state: State, name: str, progress: Progress) -> None:
    """Send the snapshot, not again before it can have been answered; else a heartbeat.

    A witness gets the position only: what it lacks was committed without it, so both others hold
    it. For the same reason no member needs a snapshot of a witness, which has no state to send.
    """
    if state.ticks >= progress.snapshot_ticks and not state.group.is_witness:
        progress.snapshot_ticks = state.ticks + ELECTION_TICKS
        snapshot = state.snapshot
        if name == state.group.witness:
            snapshot = Snapshot(snapshot.position)
        state.unheld.append((name, SnapshotRequest(state.term, snapshot, state.round)))
    elif state.is_broadcast_due:
        state.unheld.append((name, _request(state, state.log.base, ())))


def on_append_request(state: State, sender: str, request: AppendRequest) -> None:
    """Accept entries of the leader of the term, if the entry before them is the leader's, too."""
    if not _is_led(state, sender, request.term):
        return
    log, previous, entries = state.log, request.previous, request.entries
    if previous.index < log.base.index:
        # What the snapshot replaced was committed, so it is the leader's.
        entries = entries[log.base.index - previous.index :]
        previous = log.base
        if request.previous.index + len(request.entries) < log.base.index:
            entries = ()
    if log.term_at(previous.index) != previous.term:
        hint = log.refused_hint(previous.index)
        state.saving.hold(sender, _refused(state, hint, request.round))
        return
    _accept(state, previous.index, entries)
    index = previous.index + len(entries)
    state.committed = max(state.committed, min(request.committed, index))
    state.held_everywhere = max(state.held_everywhere, request.held_everywhere)
    state.saving.hold(sender, _accepted(state, index, request.round))


def _accept(state: State, index: int, entries: tuple[Entry, ...]) -> None:
    """Put entries after an index, from the first that the log does not have."""
    log = state.log
    for place, entry in enumerate(entries):
        index += 1
        term = log.term_at(index)
        if term == entry.term:
            continue
        if term is not None:
            assert index > state.committed, "a committed entry is never replaced"
            log.cut(index)
        state.saving.appended(index)
        log.append(entries[place:])
        return


def on_snapshot_request(state: State, sender: str, request: SnapshotRequest) -> None:
    """Replace the state and the log by a snapshot, unless its entries are committed here."""
    if not _is_led(state, sender, request.term):
        return
    position = request.snapshot.position
    if position.index > state.committed:
        state.log.compact(position)
        state.snapshot = request.snapshot
        state.committed = state.emitted = position.index
        state.saving.installed()
    state.saving.hold(sender, _accepted(state, state.committed, request.round))


def _is_led(state: State, sender: str, term: int) -> bool:
    """Whether the sender leads this term or a later one; then it is followed."""
    if term < state.term or (term == state.term and state.role == "LEADER"):
        state.saving.hold(sender, _refused(state, 0, 0))
        return False
    follow(state, term, sender)
    state.elapsed = 0
    return True


def _accepted(state: State, index: int, number: int) -> AppendResponse:
    return AppendResponse(term=state.term, is_accepted=True, index=index, round=number)


def _refused(state: State, hint: int, number: int) -> AppendResponse:
    return AppendResponse(term=state.term, is_accepted=False, index=hint, round=number)


def on_append_response(state: State, sender: str, response: AppendResponse) -> None:
    """Note how far a member is, and commit."""
    if response.term > state.term:
        follow(state, response.term, None)
    progress = state.progress.get(sender)
    if response.term < state.term or progress is None:
        return
    progress.round = max(progress.round, response.round)
    if response.is_accepted:
        progress.matched = max(progress.matched, response.index)
        progress.next = max(progress.next, progress.matched + 1)
        advance(state)
    else:
        progress.next = max(progress.matched, min(progress.next - 1, response.index)) + 1


def compact(state: State, snapshot: Snapshot) -> None:
    """Remove the entries up to the position of a snapshot from the log."""
    state.log.compact(snapshot.position)
    state.snapshot = snapshot
    state.saving.due()


def compact_witness(state: State) -> None:
    """Let a witness remove the committed entries that all members with a state hold."""
    index = min(state.held_everywhere, state.committed)
    if state.group.is_witness and index > state.log.base.index:
        compact(state, Snapshot(state.log.position_at(index)))
