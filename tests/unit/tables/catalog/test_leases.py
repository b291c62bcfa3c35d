"""Rows of leases: one owner in a term, and writes that carry it."""

import asyncio

import pytest

from hashrange.assembly.engines.trials.contract import ContractEngine
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.storage.engine import Changes, StaleFenceError
from hashrange.tables.catalog.leases import (
    NOBODY,
    NotLeadingError,
    give_up_lease,
    read_lease,
    renew_lease,
    take_lease,
)

ONE, OTHER = b"1" * 16, b"2" * 16


@pytest.fixture
def engine():
    return ContractEngine(DictEngine())


def run(coroutine):
    return asyncio.run(coroutine)


def taken(engine, owner):
    return run(take_lease(engine, run(read_lease(engine, "work")), owner))


def test_what_nobody_ever_had_is_in_term_0(engine):
    lease = run(read_lease(engine, "work"))
    assert (lease.owner, lease.term) == (NOBODY, 0)


def test_each_owner_has_a_term_of_its_own(engine):
    terms = [taken(engine, owner).term for owner in (ONE, OTHER, ONE)]
    assert terms == [1, 2, 3]
    assert run(read_lease(engine, "work")).owner == ONE
    assert run(read_lease(engine, "other work")).term == 0


# Two that find the same lease left must not both have it.
def test_one_of_two_takes_it(engine):
    found = run(read_lease(engine, "work"))
    both = [run(take_lease(engine, found, owner)) for owner in (ONE, OTHER)]
    assert [lease is not None for lease in both] == [True, False]


# An owner that moved it after it was found lives: it is not taken from it.
def test_a_lease_that_moved_is_not_taken(engine):
    mine = taken(engine, ONE)
    found = run(read_lease(engine, "work"))
    run(renew_lease(engine, mine))
    assert run(take_lease(engine, found, OTHER)) is None
    assert run(read_lease(engine, "work")).beat == found.beat + 1


def test_who_was_followed_can_do_nothing(engine):
    mine = taken(engine, ONE)
    theirs = taken(engine, OTHER)
    with pytest.raises(NotLeadingError):
        run(renew_lease(engine, mine))
    with pytest.raises(StaleFenceError):
        run(engine.write([b"x"], lambda _: Changes(answer=None), fences=mine.fences))
    run(give_up_lease(engine, mine))
    assert run(read_lease(engine, "work")) == theirs


def test_what_is_given_up_is_nobodys_in_the_same_term(engine):
    mine = taken(engine, ONE)
    run(give_up_lease(engine, mine))
    assert run(read_lease(engine, "work")).owner == NOBODY
    with pytest.raises(NotLeadingError):
        run(renew_lease(engine, mine))
    assert taken(engine, OTHER).term == mine.term + 1
