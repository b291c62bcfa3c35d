"""Trials of writes of a single caller: puts, deletes, decisions and refusals."""

from hashrange.assembly.engines.trials.reads import PAIRS
from hashrange.assembly.engines.trials.subject import RefusedError, Subject, Values, raises, refuse
from hashrange.storage.engine import Changes, KeyTooLongError


def a_write_returns_the_answer_that_was_decided_on_the_stored_values(subject: Subject) -> None:
    """A write returns the answer that was decided on the stored values."""
    subject.change(puts={b"a": b"1", b"b": b"2"})

    def decide(values: Values) -> Changes[tuple[bytes | None, ...]]:
        assert type(values) is list
        return Changes(answer=tuple(values), puts={b"a": b"3"}, deletes=[b"b", b"x"])

    assert subject.write([b"b", b"x", b"a", b"b"], decide) == (b"2", None, b"1", b"2")
    assert subject.scan() == [(b"a", b"3")]


def puts_replace_values_and_deletes_of_absent_keys_do_nothing(subject: Subject) -> None:
    """Puts replace values and deletes of absent keys do nothing."""
    subject.change(puts={b"a": b"1", b"b": b"1"})
    subject.change(puts={b"a": b"longer than before", b"c": b""}, deletes=[b"b", b"nothing"])
    subject.change(puts={b"a": b""}, deletes=[b"b"])
    assert subject.scan() == [(b"a", b""), (b"c", b"")]


def changes_outside_of_the_keys_are_applied_as_well(subject: Subject) -> None:
    """Changes outside of the keys are applied as well."""
    subject.change(puts={b"item": b"1", b"entry 1": b"", b"rest": b""})
    subject.write(
        [b"item"],
        lambda _: Changes(
            answer=None,
            puts={b"item": b"2", b"entry 2": b"new"},
            deletes=[b"entry 1", b"entry 0"],
        ),
    )
    assert subject.scan() == [(b"entry 2", b"new"), (b"item", b"2"), (b"rest", b"")]


def a_decision_to_change_nothing_changes_nothing(subject: Subject) -> None:
    """A decision to change nothing changes nothing."""
    subject.change(puts=PAIRS)
    assert subject.write([b"a", b"new"], lambda values: Changes(answer=len(values))) == 2
    assert subject.write([], lambda values: Changes(answer=len(values))) == 0
    assert subject.scan() == sorted(PAIRS.items())


def an_error_of_decide_reaches_the_caller_and_changes_nothing(subject: Subject) -> None:
    """An error of decide reaches the caller and changes nothing."""
    subject.change(puts={b"a": b"1"})
    with raises(RefusedError) as refused:
        subject.write([b"a", b"b"], refuse)
    assert refused[0].args == ([b"1", None],)
    assert subject.scan() == [(b"a", b"1")]
    subject.change(puts={b"a": b"2"})  # and the engine goes on
    assert subject.read(b"a") == [b"2"]


def a_deleted_key_can_be_put_again(subject: Subject) -> None:
    """A deleted key can be put again."""
    for value in (b"1", b"2", b"2", b"3"):
        subject.change(puts={b"a": value})
        assert subject.scan() == [(b"a", value)]
        subject.change(deletes=[b"a"])
        assert subject.scan() == []


def a_key_that_was_read_while_absent_stays_absent(subject: Subject) -> None:
    """A key that was read while absent stays absent.

    An engine may store a marker for a key that was compared while it was absent. The marker must
    not be visible to reads and scans, and deleting it must not be a change.
    """
    subject.write([b"a", b"seen"], lambda _: Changes(answer=None, puts={b"a": b"1"}))
    assert subject.read(b"seen") == [None]
    assert subject.scan() == [(b"a", b"1")]
    assert subject.scan(limit=1, reverse=True) == [(b"a", b"1")]
    subject.change(deletes=[b"seen"])
    subject.write([b"seen"], lambda _: Changes(answer=None, deletes=[b"a", b"seen"]))
    assert subject.scan() == []
    subject.change(puts={b"seen": b"2"})
    assert subject.scan() == [(b"seen", b"2")]


def a_key_that_is_too_long_is_refused_and_changes_nothing(subject: Subject) -> None:
    """A key that is too long is refused and changes nothing.

    If it were stored, reads and scans would return it, but a layer that relies on the bound would
    never delete it.
    """
    longest = b"k" * subject.engine.key_bytes_max
    longer = longest + b"k"
    subject.change(puts={b"a": b"1", longest: b"1"})

    def put_longer(_values: Values) -> Changes[None]:
        return Changes(
            answer=None,
            puts={b"a": b"2", longer: b""},
            deletes=[longest],
            adds={b"n": 1},
            appends=[(b"log", b"")],
        )

    with raises(KeyTooLongError):
        subject.write([b"a"], put_longer)
    with raises(KeyTooLongError):
        subject.write([b"a", longer], lambda _: Changes(answer=None, puts={b"a": b"2"}))
    assert subject.read(longer, longest, b"a") == [None, b"1", b"1"]
    assert subject.scan() == [(b"a", b"1"), (longest, b"1")]
    subject.write([b"a"], lambda _: Changes(answer=None, deletes=[longer, longest]))
    assert subject.scan() == [(b"a", b"1")]


def a_write_can_change_a_hundred_items_with_their_entries(subject: Subject) -> None:
    """A write can change a hundred items with their entries."""
    items = [b"item %03d" % number for number in range(100)]
    entries = [b"entry %03d %d" % (number, index) for number in range(100) for index in range(20)]
    subject.write(
        items,
        lambda _: Changes(
            answer=None,
            puts={key: key for key in [*items, *entries]},
            adds={b"count %d" % number: 1 for number in range(20)},
            appends=[(b"log", item) for item in items],
        ),
    )
    assert len(subject.scan(end=b"log")) == 100 + 2_000 + 20
    subject.write(items, lambda _: Changes(answer=None, deletes=[*items, *entries]))
    assert len(subject.scan(end=b"log")) == 20
