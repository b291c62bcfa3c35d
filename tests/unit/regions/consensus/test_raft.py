"""One member of a group, with messages by value."""

import msgspec
import pytest

from hashrange.limits.consensus import ELECTION_TICKS, HEARTBEAT_TICKS, UNCOMMITTED_BYTES_MAX
from hashrange.regions.consensus.messages import (
    AppendRequest,
    AppendResponse,
    Entry,
    Position,
    ProposeRequest,
    ReadRequest,
    ReadResponse,
    Snapshot,
    SnapshotRequest,
    VoteRequest,
    VoteResponse,
    decoded,
    encoded,
)
from hashrange.regions.consensus.raft import Raft
from hashrange.regions.consensus.saving import Stored
from hashrange.regions.consensus.state import Group

A, B, W = "east", "west", "south"


def member(name=A, stored=None, witness=W):
    group = Group(name=name, members=(A, B, W), witness=witness, incarnation=7)
    return Raft(group, stored or Stored(), lambda: 0.0)


def persisted(raft):
    """Take the outputs, save what they have, and take what had waited for that."""
    messages, committed, reads = [], [], 0
    while True:
        outputs = raft.take()
        messages += outputs.messages
        committed += outputs.committed
        reads = max(reads, outputs.reads)
        if outputs.save is None:
            return messages, committed, reads
        raft.saved(outputs.save.number)


def leader(entries=()):
    """East leads term 2; west has acknowledged its first entry."""
    raft = member(stored=Stored(term=1, entries=tuple(entries)))
    for _ in range(ELECTION_TICKS):
        raft.tick()
    persisted(raft)
    raft.receive(B, VoteResponse(term=2, is_granted=True, is_pre_vote=True))
    persisted(raft)
    raft.receive(B, VoteResponse(term=2, is_granted=True, is_pre_vote=False))
    persisted(raft)
    raft.receive(B, AppendResponse(2, is_accepted=True, index=raft.log.last.index, round=1))
    persisted(raft)
    assert (raft.role, raft.committed) == ("LEADER", raft.log.last.index)
    return raft


@pytest.mark.parametrize(
    "message",
    [
        VoteRequest(3, Position(2, 9), is_pre_vote=True),
        VoteResponse(3, is_granted=True, is_pre_vote=False),
        AppendRequest(3, Position(2, 9), (Entry(3, b"x"),), 8, 7, 6),
        AppendResponse(3, is_accepted=False, index=4, round=5),
        SnapshotRequest(3, Snapshot(Position(2, 9), b"state"), 5),
        ReadRequest(1, 2),
        ReadResponse(1, 2, 3),
        ProposeRequest((b"x", b"y")),
    ],
)
def test_messages_come_back_from_their_bytes(message):
    assert decoded(encoded(message)) == message


def test_bytes_that_are_no_message_are_refused():
    with pytest.raises(ValueError, match="Expected"):
        decoded(b"\x01")


# A vote that is answered before it is durable could be given to another after a restart.
def test_a_vote_waits_for_the_disk():
    raft = member()
    raft.receive(B, VoteRequest(1, Position(), is_pre_vote=False))
    outputs = raft.take()
    assert outputs.messages == []
    assert (outputs.save.term, outputs.save.vote) == (1, B)
    raft.saved(outputs.save.number)
    granted = VoteResponse(1, is_granted=True, is_pre_vote=False)
    assert raft.take().messages == [(B, granted)]


def test_a_pre_vote_changes_nothing():
    raft = member()
    raft.receive(B, VoteRequest(1, Position(), is_pre_vote=True))
    outputs = raft.take()
    granted = VoteResponse(1, is_granted=True, is_pre_vote=True)
    assert (outputs.messages, outputs.save, raft.term) == ([(B, granted)], None, 0)


def test_a_member_that_hears_a_leader_grants_no_pre_vote():
    raft = member()
    raft.receive(B, AppendRequest(1, Position(), (), 0, 0, 1))
    persisted(raft)
    raft.receive(W, VoteRequest(2, Position(9, 9), is_pre_vote=True))
    refused = VoteResponse(1, is_granted=False, is_pre_vote=True)
    assert raft.take().messages == [(W, refused)]
    for _ in range(ELECTION_TICKS):
        raft.tick()
    raft.take()
    raft.receive(W, VoteRequest(2, Position(9, 9), is_pre_vote=True))
    assert raft.take().messages[-1][1].is_granted


@pytest.mark.parametrize(
    ("last", "is_granted"),
    [
        (Position(2, 2), True),
        (Position(3, 1), True),
        (Position(2, 1), False),
        (Position(1, 9), False),
    ],
)
def test_votes_are_for_logs_that_are_not_behind(last, is_granted):
    raft = member(stored=Stored(term=2, entries=(Entry(1, b"x"), Entry(2, b"y"))))
    raft.receive(B, VoteRequest(3, last, is_pre_vote=False))
    messages, _, _ = persisted(raft)
    assert messages[-1][1].is_granted is is_granted


def test_entries_are_committed_when_two_hold_them():
    raft = leader()
    assert raft.propose([b"x", b"y"])
    messages, committed, _ = persisted(raft)
    assert [to for to, _ in messages] == [B, W]
    assert messages[0][1].entries == (Entry(2, b"x"), Entry(2, b"y"))
    assert committed == []
    raft.receive(W, AppendResponse(2, is_accepted=True, index=3, round=1))
    _, committed, _ = persisted(raft)
    assert committed == [(2, Entry(2, b"x")), (3, Entry(2, b"y"))]


# The leader's own disk counts as one of the two, and only when it has finished.
def test_the_own_entry_counts_when_it_is_durable():
    raft = leader()
    raft.propose([b"x"])
    save = raft.take().save
    raft.receive(W, AppendResponse(2, is_accepted=True, index=2, round=1))
    assert (raft.take().committed, raft.committed) == ([], 1)
    raft.saved(save.number)
    assert raft.take().committed == [(2, Entry(2, b"x"))]


def test_a_gap_is_refused_and_filled():
    raft = leader([Entry(1, b"a"), Entry(1, b"b")])
    raft.receive(W, AppendResponse(2, is_accepted=False, index=0, round=1))
    messages, _, _ = persisted(raft)
    [(to, request)] = messages
    assert (to, request.previous, len(request.entries)) == (W, Position(), 3)


def test_a_member_replaces_what_the_leader_does_not_have():
    raft = member(stored=Stored(term=1, entries=(Entry(1, b"a"), Entry(1, b"b"), Entry(1, b"c"))))
    raft.receive(B, AppendRequest(2, Position(1, 1), (Entry(2, b"d"),), 2, 0, 5))
    outputs = raft.take()
    assert (outputs.save.first, outputs.save.entries) == (2, (Entry(2, b"d"),))
    assert outputs.committed == [(1, Entry(1, b"a"))]
    raft.saved(outputs.save.number)
    outputs = raft.take()
    assert outputs.committed == [(2, Entry(2, b"d"))], "not before it is durable here"
    accepted = AppendResponse(2, is_accepted=True, index=2, round=5)
    assert outputs.messages == [(B, accepted)]


# It was sent before what the member has by now.
def test_a_late_request_removes_nothing():
    raft = member(stored=Stored(term=1, entries=(Entry(1, b"a"), Entry(1, b"b"))))
    raft.receive(B, AppendRequest(1, Position(), (Entry(1, b"a"),), 0, 0, 1))
    assert (raft.take().save, raft.log.last) == (None, Position(1, 2))


def test_a_lagging_member_gets_the_snapshot_and_a_witness_its_position_only():
    raft = leader([Entry(1, b"a"), Entry(1, b"b")])
    raft.compact(2, b"state")
    for name in (B, W):
        raft.receive(name, AppendResponse(2, is_accepted=False, index=0, round=1))
    messages, _, _ = persisted(raft)
    sent = {to: each.snapshot for to, each in messages if isinstance(each, SnapshotRequest)}
    assert sent == {W: Snapshot(Position(1, 2))}, "west has acknowledged what it holds"
    raft = member(witness=None)
    snapshot = Snapshot(Position(1, 2), b"state")
    raft.receive(B, SnapshotRequest(2, snapshot, 4))
    outputs = raft.take()
    assert (outputs.save.snapshot, outputs.save.is_installed) == (snapshot, True)
    raft.saved(outputs.save.number)
    accepted = AppendResponse(2, is_accepted=True, index=2, round=4)
    assert raft.take().messages == [(B, accepted)]
    assert raft.log.base == raft.log.last == Position(1, 2)


def test_a_witness_applies_nothing_and_keeps_what_a_member_lacks():
    raft = member(W)
    entries = tuple(Entry(1, b"%d" % number) for number in range(4))
    raft.receive(A, AppendRequest(1, Position(), entries, 4, 2, 1))
    _, committed, _ = persisted(raft)
    assert (committed, raft.committed, raft.log.base) == ([], 4, Position(1, 2))


def test_reads_at_the_leader_wait_for_a_round():
    raft = leader()
    number = raft.read()
    messages, _, reads = persisted(raft)
    assert ([to for to, _ in messages], reads) == ([B, W], 0)
    later = messages[0][1].round
    raft.receive(B, AppendResponse(2, is_accepted=True, index=1, round=later - 1))
    assert persisted(raft)[2] == 0, "an answer to an earlier message"
    raft.receive(B, AppendResponse(2, is_accepted=True, index=1, round=later))
    assert persisted(raft)[2] == number


def test_a_new_leader_answers_reads_when_its_first_entry_is_committed():
    raft = member(stored=Stored(term=1))
    for _ in range(ELECTION_TICKS):
        raft.tick()
    raft.receive(B, VoteResponse(term=2, is_granted=True, is_pre_vote=True))
    persisted(raft)
    raft.receive(B, VoteResponse(term=2, is_granted=True, is_pre_vote=False))
    number = raft.read()
    persisted(raft)
    raft.receive(B, AppendResponse(2, is_accepted=False, index=0, round=99))
    assert persisted(raft)[2] == 0
    raft.receive(B, AppendResponse(2, is_accepted=True, index=1, round=99))
    persisted(raft)
    raft.receive(B, AppendResponse(2, is_accepted=True, index=1, round=100))
    assert persisted(raft)[2] == number


def test_reads_elsewhere_wait_for_the_entries():
    raft = member(B)
    raft.receive(A, AppendRequest(1, Position(), (Entry(1, b"x"),), 0, 0, 1))
    number = raft.read()
    messages, _, _ = persisted(raft)
    assert messages[0] == (A, ReadRequest(7, number))
    raft.receive(A, ReadResponse(6, number, 0))
    assert persisted(raft)[2] == 0, "of a read before the restart"
    raft.receive(A, ReadResponse(7, number, 1))
    assert persisted(raft)[2] == 0, "the entry is not committed here"
    raft.receive(A, AppendRequest(1, Position(1, 1), (), 1, 0, 2))
    _, committed, reads = persisted(raft)
    assert (committed, reads) == ([(1, Entry(1, b"x"))], number)


def test_a_leader_that_nobody_answers_steps_down_and_names_them():
    raft = leader()
    for _ in range(4 * ELECTION_TICKS):
        raft.tick()
        raft.take()
    assert (raft.role, raft.leader, raft.silent) == ("PRE_CANDIDATE", None, [B, W])
    assert not raft.propose([b"x"])


def test_too_much_that_waits_is_refused():
    raft = leader()
    large = b"x" * (UNCOMMITTED_BYTES_MAX // 2 + 1)
    assert [raft.propose([large]) for _ in range(3)] == [True, True, False]


def test_a_proposal_elsewhere_is_sent_to_the_leader():
    raft = member(B)
    assert not raft.propose([b"x"])
    raft.receive(A, AppendRequest(1, Position(), (), 0, 0, 1))
    persisted(raft)
    assert raft.propose([b"x"])
    assert raft.take().messages == [(A, ProposeRequest((b"x",)))]


def test_messages_of_others_are_ignored():
    raft = member()
    raft.receive("north", VoteRequest(9, Position(9, 9), is_pre_vote=False))
    assert (raft.term, raft.take().messages) == (0, [])


def test_a_leader_tells_that_it_is_there():
    raft = leader()
    for _ in range(HEARTBEAT_TICKS):
        raft.tick()
    assert [to for to, _ in raft.take().messages] == [B, W]


def test_a_restart_goes_on_behind_what_is_applied():
    stored = Stored(
        term=3, snapshot=Snapshot(Position(1, 4)), entries=(Entry(1, b"a"), Entry(2, b"b"))
    )
    raft = member(stored=msgspec.structs.replace(stored, applied=5))
    assert (raft.committed, raft.log.last, raft.term) == (5, Position(2, 6), 3)
    raft.receive(B, AppendRequest(3, Position(2, 6), (), 6, 0, 1))
    assert raft.take().committed == [(6, Entry(2, b"b"))]


# Servers of other regions may be of an earlier version.
@pytest.mark.parametrize(
    "message",
    [
        VoteRequest(1, Position(), is_pre_vote=True),
        VoteResponse(1, is_granted=True, is_pre_vote=True),
    ],
)
def test_pre_votes_keep_their_name_on_the_wire(message):
    assert msgspec.msgpack.decode(encoded(message))["is_trial"] is True
