"""Batches by value: what is sent again, divided, and given up, on a clock that is a number."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.background.triggers.batches import (
    ENDLESS,
    WAIT_MS_MAX,
    WAIT_MS_MIN,
    Batch,
    Condition,
    Failed,
    Rules,
    Succeeded,
    after,
    without_old,
)
from hashrange.background.triggers.events import Entry
from tests.rows import rows

DAY_MS = 86_400_000
NOON_MS = 1_800_000_000_000
BROKEN = Failed("broken")


def rules(**more):
    return Rules(**{"retention_ms": DAY_MS, **more})


def entries(count, time_ms=NOON_MS):
    return tuple(Entry(n, f"s{n}", time_ms, b"{}") for n in range(1, count + 1))


def whole(count):
    return (Batch(entries(count)),)


def numbers(batch):
    return [entry.number for entry in batch.entries]


@dataclass
class Delivery:
    """Carries a batch out; the clock goes on by what is waited."""

    rules: Rules
    answer: object
    now_ms: int = NOON_MS
    calls: list = field(default_factory=list)
    waits: list = field(default_factory=list)
    given_up: list = field(default_factory=list)

    def run(self, pending):
        steps = 0
        while pending:
            steps += 1
            assert steps < 100_000, "it never ends"
            step = without_old(pending, self.rules, self.now_ms)
            if step.given_up is None:
                sent = numbers(pending[0])
                self.calls.append(sent)
                step = after(pending, self.answer(sent), self.rules)
            if step.given_up is not None:
                told = (numbers(step.given_up), step.given_up.condition, step.given_up.calls)
                self.given_up.append(told)
            if step.wait_ms:
                self.waits.append(step.wait_ms)
                self.now_ms += step.wait_ms
            pending = step.pending
        return self


def fails_with(*poison):
    return lambda sent: BROKEN if set(sent) & set(poison) else Succeeded()


def reports(*names):
    return Succeeded({"batchItemFailures": [{"itemIdentifier": name} for name in names]})


def test_success_is_the_end():
    run = Delivery(rules(), lambda _: Succeeded()).run(whole(3))
    assert (run.calls, run.waits, run.given_up) == ([[1, 2, 3]], [], [])


# Lambda's default is to go on; it must be slower each time, not faster than a second for ever.
def test_retries_wait_longer_each_time():
    outcomes = iter([BROKEN] * 12 + [Succeeded()])
    run = Delivery(rules(), lambda _: next(outcomes)).run(whole(2))
    assert run.calls == [[1, 2]] * 13
    assert run.waits == sorted(run.waits)
    assert (run.waits[0], run.waits[-1]) == (WAIT_MS_MIN, WAIT_MS_MAX)


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_retries_end(retries):
    run = Delivery(rules(retries=retries), fails_with(1)).run(whole(2))
    assert run.calls == [[1, 2]] * (retries + 1)
    assert run.given_up == [([1, 2], Condition.RETRIES, retries + 1)]


# A failed record holds its shard up for a day, not for ever: then the stream has it no more.
def test_without_an_end_of_retries_the_stream_ends_them():
    run = Delivery(rules(), fails_with(1)).run(whole(1))
    assert [told[:2] for told in run.given_up] == [([1], Condition.AGE)]
    assert DAY_MS < run.now_ms - NOON_MS <= DAY_MS + WAIT_MS_MAX


# The server was off for two days: what is still there is delivered.
def test_old_records_are_sent_once_if_no_age_is_set():
    run = Delivery(rules(), fails_with(), now_ms=NOON_MS + 2 * DAY_MS).run(whole(2))
    assert (run.calls, run.given_up) == ([[1, 2]], [])


def test_records_that_are_too_old_are_not_sent():
    pending = (Batch((*entries(2, NOON_MS - 61_000), *entries(4)[2:])),)
    run = Delivery(rules(age_ms_max=60_000), fails_with()).run(pending)
    assert run.given_up == [([1, 2], Condition.AGE, 1)]
    assert run.calls == [[3, 4]]


def test_bisection_finds_the_poison_and_costs_no_retry():
    run = Delivery(rules(retries=1, bisect=True), fails_with(6)).run(whole(8))
    assert run.given_up == [([6], Condition.RETRIES, 2)]
    assert run.calls == [
        [1, 2, 3, 4, 5, 6, 7, 8],
        [1, 2, 3, 4],
        [5, 6, 7, 8],
        [5, 6],
        [5],
        [6],
        [6],
        [7, 8],
    ]


def test_partial_answer_goes_on_at_the_lowest_record():
    answers = iter([reports("s4", "s2"), reports("s3"), Succeeded()])
    run = Delivery(rules(partial=True), lambda _: next(answers)).run(whole(4))
    assert run.calls == [[1, 2, 3, 4], [2, 3, 4], [3, 4]]
    assert run.given_up == []


# Lambda sent the last of three records once with the others and then four times, with three
# retries, and reported four calls.
def test_partial_answer_makes_a_batch_of_what_it_leaves():
    run = Delivery(rules(partial=True, retries=3), lambda sent: reports("s3")).run(whole(3))
    assert run.calls == [[1, 2, 3], [3], [3], [3], [3]]
    assert run.given_up == [([3], Condition.RETRIES, 4)]


def test_partial_answer_counts_calls_from_the_first_again():
    outcomes = iter([BROKEN, reports("s2"), reports("s2"), reports("s2")])
    run = Delivery(rules(partial=True, retries=1), lambda _: next(outcomes)).run(whole(3))
    assert run.calls == [[1, 2, 3], [1, 2, 3], [2, 3], [2, 3]]
    assert run.given_up == [([2, 3], Condition.RETRIES, 2)]


# As Lambda did it: what the answer leaves begins with its bad record, so it is divided.
def test_partial_answer_and_bisection():
    def answer(sent):
        return reports("s2") if 2 in sent else Succeeded()

    run = Delivery(rules(partial=True, bisect=True, retries=1), answer).run(whole(4))
    assert run.calls == [[1, 2, 3, 4], [2, 3, 4], [2], [2], [3, 4]]
    assert run.given_up == [([2], Condition.RETRIES, 2)]


def test_an_answer_that_fails_all_is_no_error_of_the_function():
    chosen = rules(partial=True, retries=0)
    for outcome, is_answered in ((reports("s1"), True), (BROKEN, False)):
        given_up = after(whole(1), outcome, chosen).given_up
        assert given_up.is_answered is is_answered


def test_partial_answer_divides_where_it_says():
    def answer(sent):
        return reports("s3") if 3 in sent else Succeeded()

    run = Delivery(rules(partial=True, bisect=True, retries=0), answer).run(whole(4))
    assert run.calls == [[1, 2, 3, 4], [3, 4], [3], [4]]
    assert run.given_up == [([3], Condition.RETRIES, 1)]


# Lambda's list of what is a success; an answer without the list is one too.
@pytest.mark.parametrize(
    "answer",
    [
        *(None, "", [], {}, {"batchItemFailures": []}, {"batchItemFailures": None}),
        {"statusCode": 200},
    ],
)
def test_answers_that_are_a_success(answer):
    assert after(whole(2), Succeeded(answer), rules(partial=True)).pending == ()


# Lambda's list of what is a failure of all; nothing that is not understood loses a record.
@rows(
    "answer",
    [
        *("ok", [1], 7, {"batchItemFailures": {}}, {"batchItemFailures": ["s1"]}),
        {"batchItemFailures": [{"itemIdentifier": 123}]},
        {"batchItemFailures": [{"itemIdentifier": ""}]},
        {"batchItemFailures": [{"itemIdentifier": None}]},
        {"batchItemFailures": [{"itemIdentifier": "s9"}]},
        {"batchItemFailures": [{"identifier": "s2"}]},
        {"batchItemFailures": [{"itemIdentifier": "s2"}, {}]},
    ],
)
def test_answers_that_are_a_failure_of_all(answer):
    (left,) = after(whole(2), Succeeded(answer), rules(partial=True)).pending
    assert (numbers(left), left.calls) == ([1, 2], 1)


def test_answer_is_not_read_unless_asked_for():
    assert after(whole(2), reports("s1"), rules()).pending == ()


# Whatever fails: each record is delivered or given up, none twice, and in order.
@given(
    count=st.integers(1, 40),
    poison=st.sets(st.integers(1, 40), max_size=6),
    bisect=st.booleans(),
    partial=st.booleans(),
    retries=st.integers(0, 3),
)
def test_each_record_is_delivered_or_given_up(count, poison, bisect, partial, retries):
    delivered = []

    def answer(sent):
        bad = [number for number in sent if number in poison]
        if not bad:
            delivered.extend(sent)
            return Succeeded()
        if partial:
            delivered.extend(number for number in sent if number < bad[0])
            return reports(*(f"s{number}" for number in bad))
        return BROKEN

    chosen = rules(bisect=bisect, partial=partial, retries=retries)
    run = Delivery(chosen, answer).run(whole(count))
    lost = [number for told in run.given_up for number in told[0]]
    assert sorted([*delivered, *lost]) == list(range(1, count + 1))
    assert delivered == sorted(delivered)
    assert lost == sorted(lost)
    if bisect:
        assert set(lost) == {number for number in poison if number <= count}
    assert {told[1] for told in run.given_up} <= {Condition.RETRIES}
    assert ENDLESS not in run.waits
