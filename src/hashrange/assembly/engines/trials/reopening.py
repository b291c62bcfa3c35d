"""Trials of an engine that is closed and opened again."""

from itertools import pairwise

from hashrange.assembly.engines.trials.reads import PAIRS
from hashrange.assembly.engines.trials.subject import Subject
from hashrange.storage.engine import STAMP_BYTES


def writes_are_kept_when_the_engine_is_opened_again(subject: Subject) -> None:
    """Writes are kept when the engine is opened again."""
    subject.change(puts=PAIRS, adds={b"n": 5}, appends=[(b"log", b"1")])
    subject.change(deletes=[b"a"])
    everything = subject.scan()
    assert all(a < b for (a, _), (b, _) in pairwise(everything))
    subject.reopen()
    assert subject.scan() == everything


def numbers_of_a_log_are_not_used_again(subject: Subject) -> None:
    """Numbers of a log are not used again."""
    for number in range(1, 4):
        subject.reopen()
        assert subject.scan() == []
        record = b"log" + number.to_bytes(8)
        subject.change(appends=[(b"log", b"")])
        assert subject.scan() == [(record, bytes(STAMP_BYTES))]
        subject.change(deletes=[record])


def stamps_of_a_log_do_not_decrease(subject: Subject) -> None:
    """Stamps of a log do not decrease."""
    for _ in range(3):
        subject.change(appends=[(b"log", b"")])
        subject.scan()
        subject.reopen()
    stamps = subject.stamps[b"log"]
    assert len(stamps) == 3
    assert sorted(stamps.values()) == [stamps[number] for number in (1, 2, 3)]
