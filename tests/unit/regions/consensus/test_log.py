"""The log of a member of a group, by value."""

import pytest

from hashrange.regions.consensus.log import Log
from hashrange.regions.consensus.messages import Entry, Position


def log_of(*terms, base=Position()):  # noqa: B008 - a frozen value
    return Log(base, [Entry(term, b"%d" % term) for term in terms])


def test_positions_count_from_the_base():
    log = log_of(2, 2, 3, base=Position(1, 10))
    assert log.last == Position(3, 13)
    assert [log.term_at(index) for index in range(9, 15)] == [None, 1, 2, 2, 3, None]
    assert log.position_at(12) == Position(2, 12)


def test_a_log_of_a_snapshot_alone_ends_at_it():
    assert log_of(base=Position(4, 7)).last == Position(4, 7)


def test_a_batch_has_one_entry_at_least_and_keeps_both_bounds():
    log = Log(Position(), [Entry(1, b"x" * 10) for _ in range(5)])
    assert len(log.batch(1, 3, 1000)) == 3
    assert len(log.batch(1, 5, 25)) == 2
    assert len(log.batch(1, 5, 1)) == 1
    assert log.batch(6, 5, 1000) == ()


def test_a_compacted_log_keeps_what_follows():
    log = log_of(1, 1, 2, 2)
    log.compact(Position(1, 2))
    assert (log.base, log.last, len(log.entries(3))) == (Position(1, 2), Position(2, 4), 2)


# What another leader had appended there is not what the snapshot has.
@pytest.mark.parametrize("base", [Position(3, 2), Position(2, 9)])
def test_a_snapshot_that_the_log_does_not_lead_to_replaces_all(base):
    log = log_of(1, 1, 2, 2)
    log.compact(base)
    assert (log.last, list(log.entries(base.index + 1))) == (base, [])


@pytest.mark.parametrize(("index", "hint"), [(9, 5), (5, 3), (3, 0), (4, 3)])
def test_a_refusal_leaves_out_the_whole_term(index, hint):
    assert log_of(1, 1, 1, 4, 4).refused_hint(index) == hint


def test_sizes_follow_cuts_and_compactions():
    log = Log(Position(), [Entry(1, b"x" * size) for size in (1, 2, 4, 8)])
    assert [log.size_after(index) for index in range(5)] == [15, 14, 12, 8, 0]
    log.compact(Position(1, 2))
    log.cut(4)
    log.append([Entry(2, b"x" * 16)])
    assert [log.size_after(index) for index in (2, 3, 4)] == [20, 16, 0]
