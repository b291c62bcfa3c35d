"""The checker of histories: it finds an order where there is one, and none where there is none."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.linearizability import (
    Add,
    Call,
    Read,
    Remove,
    Swap,
    Write,
    order_of,
    outcome,
)


def call(action, called, returned, answer=None):
    return Call(action=action, called=called, returned=returned, answer=answer)


def is_explained(*calls):
    return order_of(calls) is not None


def test_one_after_the_other():
    calls = (
        call(Read(), 1, 2, None),
        call(Write(5), 3, 4, None),
        call(Add(2), 5, 6, 7),
        call(Swap(7, 9), 7, 8, 7),
        call(Swap(7, 8), 9, 10, 9),  # refused: it is 9
        call(Remove(), 11, 12, 9),
        call(Read(), 13, 14, None),
    )
    assert order_of(calls) == [*calls]


# Of calls that overlap either may come first, and the answers say which did.
@pytest.mark.parametrize(("seen", "is_right"), [(1, True), (2, True), (None, False), (3, False)])
def test_of_two_that_overlap_either_is_last(seen, is_right):
    answers = {1: (2, None), 2: (None, 1)}.get(seen, (None, None))
    calls = (
        call(Write(1), 1, 4, answers[0]),
        call(Write(2), 2, 5, answers[1]),
        call(Read(), 6, 7, seen),
    )
    assert is_explained(*calls) is is_right


# The first fault that it is there for: a read that shows what was overwritten before it began.
def test_a_stale_read_is_found():
    stale = (
        call(Write(1), 1, 2, None),
        call(Write(2), 3, 4, 1),
        call(Read(), 5, 6, 1),
    )
    assert not is_explained(*stale)
    overlapping = (*stale[:2], call(Read(), 2, 6, 1))
    assert is_explained(*overlapping)


# And one that shows a value, and later the one before it.
def test_reads_that_go_back_are_found():
    calls = (
        call(Write(1), 1, 2, None),
        call(Write(2), 3, 9, 1),
        call(Read(), 4, 5, 2),
        call(Read(), 6, 7, 1),
    )
    assert not is_explained(*calls)


# The second: two that added at the same time, and one of them is gone.
def test_a_lost_update_is_found():
    lost = (
        call(Write(10), 1, 2, None),
        call(Add(1), 3, 6, 11),
        call(Add(1), 4, 5, 11),
        call(Read(), 7, 8, 11),
    )
    assert not is_explained(*lost)


# The third: two that swapped the same value.
def test_a_condition_that_held_twice_is_found():
    assert not is_explained(
        call(Write(1), 1, 2, None),
        call(Swap(1, 2), 3, 6, 1),
        call(Swap(1, 3), 4, 5, 1),
    )


# Without an answer it may have happened, also long after, or not; but it cannot have undone itself.
@pytest.mark.parametrize(
    ("seen", "is_right"),
    [((None, 5), True), ((5, 5), True), ((None, None), True), ((5, None), False)],
)
def test_what_was_not_answered_may_have_happened(seen, is_right):
    calls = (
        call(Write(5), 1, None),
        call(Read(), 2, 3, seen[0]),
        call(Read(), 4, 5, seen[1]),
    )
    assert is_explained(*calls) is is_right


def test_what_was_not_answered_did_not_happen_before_it_began():
    assert not is_explained(call(Read(), 1, 2, 5), call(Write(5), 3, None))


# Dozens that were not answered must not cost an hour: each may come anywhere, or nowhere.
def test_many_without_an_answer_are_no_trouble():
    pending = [call(Write(number), number, None) for number in range(40)]
    swaps = [call(Swap(number, 1000 + number), 50, None) for number in range(20)]
    reads = [call(Read(), 100 + 2 * number, 101 + 2 * number, number) for number in range(40)]
    assert is_explained(*pending, *swaps, *reads)
    again = call(Read(), 1000, 1001, 3)  # what was there before, and is gone
    assert not is_explained(*pending, *reads, again)


def brute_force(calls):
    """Every order of every choice of what happened."""
    answered = [place for place, each in enumerate(calls) if each.returned is not None]
    for count in range(len(answered), len(calls) + 1):
        for order in permutations(range(len(calls)), count):
            if set(answered) <= set(order) and _is_right(calls, order):
                return True
    return False


def _is_right(calls, order):
    value = None
    for index, place in enumerate(order):
        this = calls[place]
        if any((calls[later].returned or 10**9) < this.called for later in order[index + 1 :]):
            return False
        answer, value = outcome(this.action, value)
        if this.returned is not None and answer != this.answer:
            return False
    return True


ACTIONS = st.one_of(
    st.just(Read()),
    st.just(Remove()),
    st.builds(Write, st.integers(1, 3)),
    st.builds(Add, st.just(1)),
    st.builds(Swap, st.sampled_from([None, 1, 2]), st.integers(1, 3)),
)


@st.composite
def histories(draw):
    times = draw(st.permutations(range(10)))
    calls = []
    for number in range(draw(st.integers(1, 5))):
        called, returned = sorted(times[2 * number : 2 * number + 2])
        action = draw(ACTIONS)
        answer = draw(st.sampled_from([None, 1, 2, 3]))
        is_answered = draw(st.sampled_from([True, True, False]))
        calls.append(call(action, called, returned if is_answered else None, answer))
    return calls


# Short histories with whatever answers: the search and the list of all orders agree.
@given(histories())
def test_it_agrees_with_all_orders(calls):
    assert is_explained(*calls) is brute_force(calls)


def run_randomly(random, count):
    """A history of an item that is right: each call takes effect at a moment of its own."""
    calls, value, free = [], None, [0] * 6
    moments = sorted(random.sample(range(10 * count), count))
    for number, moment in enumerate(moments):
        client = random.randrange(len(free))
        called = random.randint(min(free[client], moment), moment)
        action = random.choice(
            [Read(), Read(), Write(100 * number), Add(1), Swap(value, 100 * number + 50), Remove()]
        )
        answer, after = outcome(action, value)
        lost, returned = random.random() < 0.02, moment + random.randrange(20)
        if not lost or random.random() < 0.5:
            value = after
        calls.append(call(action, called, None if lost else returned, None if lost else answer))
        free[client] = returned + 1
    return calls


# Long ones that are right are found right, in time; a wrong answer in the middle is found wrong.
@pytest.mark.parametrize("seed", range(10))
def test_long_histories(seed):
    random = Random(seed)
    calls = run_randomly(random, 1000)
    order = order_of(calls)
    assert order is not None
    reads = [
        place
        for place, each in enumerate(calls)
        if isinstance(each.action, Read) and each.returned is not None
    ]
    place = reads[len(reads) // 2]
    right = calls[place]
    calls[place] = call(right.action, right.called, right.returned, -1)
    assert order_of(calls) is None
