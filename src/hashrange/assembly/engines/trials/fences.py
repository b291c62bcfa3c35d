"""Trials of fences: an operation with a stale fence has no effect."""

from typing import Final

from hashrange.assembly.engines.trials.subject import Subject, raises, refuse
from hashrange.storage.engine import Changes, StaleFenceError

_FENCE: Final = {b"fence": b"1"}
_STALE: Final = (
    {b"fence": b"0"},
    {b"fence": b""},
    {b"absent": b""},
    {b"a": b"1", b"fence": b"2"},
)


def a_fence_that_holds_changes_nothing_else(subject: Subject) -> None:
    """A fence that holds changes nothing else."""
    subject.change(puts={b"fence": b"1", b"a": b"1"})
    fences = {b"fence": b"1", b"a": b"1"}
    assert subject.read(b"a", b"x", fences=fences) == [b"1", None]
    assert subject.scan(end=b"b", fences=fences) == [(b"a", b"1")]
    seen = subject.write([b"a"], lambda values: Changes(answer=values[0]), fences=fences)
    assert seen == b"1"
    subject.change(puts={b"b": b"2"}, fences=fences)
    assert subject.read(b"b", b"fence") == [b"2", b"1"]


def nothing_happens_behind_a_stale_fence(subject: Subject) -> None:
    """Nothing happens behind a stale fence."""
    subject.change(puts={b"fence": b"1", b"a": b"1"})
    for fences in _STALE:
        with raises(StaleFenceError):
            subject.read(b"a", fences=fences)
        with raises(StaleFenceError):
            subject.read(fences=fences)
        with raises(StaleFenceError):
            subject.scan(fences=fences)
        with raises(StaleFenceError):
            subject.scan(
                start=b"x", end=b"y", fences=fences
            )  # an empty page would be a wrong answer
        with raises(StaleFenceError):
            subject.change(puts={b"a": b"2"}, deletes=[b"fence"], adds={b"n": 1}, fences=fences)
        with raises(StaleFenceError):
            subject.change(appends=[(b"log", b"")], fences=fences)
        with raises(StaleFenceError):
            subject.write([b"a"], lambda _: Changes(answer=None), fences=fences)
        assert subject.scan() == [(b"a", b"1"), (b"fence", b"1")]


def a_stale_fence_comes_before_errors_of_decide(subject: Subject) -> None:
    """A stale fence comes before errors of decide.

    The decision depends on a plan for another table definition, so its refusal may be wrong.
    """
    subject.change(puts={b"fence": b"2"})
    with raises(StaleFenceError):
        subject.write([b"a"], refuse, fences=_FENCE)


def a_fence_is_checked_each_time(subject: Subject) -> None:
    """A fence is checked each time."""
    for value in (b"1", b"2", b"1", None):
        if value is None:
            subject.change(deletes=[b"fence"])
        else:
            subject.change(puts={b"fence": value})
        for fence in (b"1", b"2"):
            if fence == value:
                subject.change(puts={b"a": fence}, fences={b"fence": fence})
                assert subject.read(b"a", fences={b"fence": fence}) == [fence]
            else:
                with raises(StaleFenceError):
                    subject.change(puts={b"a": b"never"}, fences={b"fence": fence})
                with raises(StaleFenceError):
                    subject.read(b"a", fences={b"fence": fence})


def a_fence_may_be_among_the_keys_and_the_puts(subject: Subject) -> None:
    """A fence may be among the keys and the puts.

    A change of a table's definition compares the definition that it changes.
    """
    subject.change(puts=_FENCE)
    subject.change(puts={b"fence": b"2"}, fences=_FENCE)
    with raises(StaleFenceError):
        subject.change(puts={b"fence": b"3"}, fences=_FENCE)
    assert subject.read(b"fence") == [b"2"]
