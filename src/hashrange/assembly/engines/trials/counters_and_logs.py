"""Counters that never conflict, and logs numbered in the order in which records become visible."""

import asyncio

from hashrange.assembly.engines.trials.contract import INT64_MAX, INT64_MIN
from hashrange.assembly.engines.trials.subject import Subject, Values, change
from hashrange.storage.engine import STAMP_BYTES, Changes

_STAMP = bytes(STAMP_BYTES)
"""The stamp of all records that `Subject` returns."""


def _counted(value: bytes | None) -> int:
    return 0 if value is None else int.from_bytes(value, signed=True)


def _record_keys(log: bytes, *numbers: int) -> list[bytes]:
    return [log + number.to_bytes(8) for number in numbers]


def _records(subject: Subject, log: bytes) -> list[tuple[int, bytes]]:
    page = subject.scan(start=log + bytes(8), end=log + b"\xff" * 9)
    return [(int.from_bytes(key[len(log) :]), record[STAMP_BYTES:]) for key, record in page]


def an_absent_counter_counts_from_zero(subject: Subject) -> None:
    """An absent counter counts from zero."""
    subject.change(adds={b"n": 5, b"m": -3})
    subject.change(adds={b"n": 2, b"m": -300})
    assert subject.read(b"n", b"m") == [(7).to_bytes(8), (-303).to_bytes(8, signed=True)]
    page = subject.scan()
    assert page == [(b"m", (-303).to_bytes(8, signed=True)), (b"n", (7).to_bytes(8))]


def a_counter_back_at_zero_is_zero_or_absent(subject: Subject) -> None:
    """A counter back at zero is zero or absent."""
    subject.change(adds={b"n": 5})
    subject.change(adds={b"n": -5})
    assert _counted(subject.read(b"n")[0]) == 0
    assert all(_counted(value) == 0 for _, value in subject.scan())
    subject.change(adds={b"n": 0})
    assert _counted(subject.read(b"n")[0]) == 0
    subject.change(adds={b"n": 1})
    assert subject.read(b"n") == [(1).to_bytes(8)]


def a_counter_holds_all_of_int64(subject: Subject) -> None:
    """A counter holds all of int64."""
    for total in [INT64_MIN, -256, -255, -1, 1, 127, 128, 255, 256, INT64_MAX]:
        subject.use_empty_subspace()
        half = total // 2
        subject.change(adds={b"n": half})
        subject.change(adds={b"n": total - half})
        assert subject.read(b"n") == [total.to_bytes(8, signed=True)]


def a_deleted_counter_counts_from_zero_again(subject: Subject) -> None:
    """A deleted counter counts from zero again."""
    subject.change(adds={b"table n": 5, b"table m": 7})
    subject.write([b"table"], lambda _: Changes(answer=None, deletes=[b"table n"]))
    assert subject.scan() == [(b"table m", (7).to_bytes(8))]
    subject.change(adds={b"table n": 2})
    assert subject.read(b"table n", b"table m") == [(2).to_bytes(8), (7).to_bytes(8)]


def adds_at_the_same_time_are_all_counted(subject: Subject) -> None:
    """Adds at the same time are all counted."""
    adders = [
        change(subject.engine, adds={b"n": amount, b"n%d" % (amount % 3): 1})
        for amount in range(1, 101)
    ]
    assert subject.run_concurrently(*adders) == [None] * 100
    assert subject.read(b"n") == [(5050).to_bytes(8)]
    assert sum(_counted(value) for value in subject.read(b"n0", b"n1", b"n2")) == 100


def a_refused_write_adds_and_appends_nothing(subject: Subject) -> None:
    """A refused write adds and appends nothing."""

    def decide(values: Values) -> Changes[None]:
        if values == [None]:
            return Changes(
                answer=None, puts={b"a": b""}, adds={b"n": 1}, appends=[(b"log", b"once")]
            )
        raise ValueError

    async def once() -> None:
        await subject.engine.write([b"a"], decide)

    outcomes = subject.run_concurrently(*(once() for _ in range(5)))
    assert sorted(map(repr, outcomes)) == ["None", *["ValueError()"] * 4]
    assert subject.read(b"n") == [(1).to_bytes(8)]
    assert _records(subject, b"log") == [(1, b"once")]


def records_are_numbered_from_one_in_their_order(subject: Subject) -> None:
    """Records are numbered from one in their order."""
    subject.change(appends=[(b"log", b"first"), (b"log", b"second")])
    subject.change(appends=[(b"log", b"")])
    assert subject.scan() == [
        (b"log" + bytes(7) + b"\x01", _STAMP + b"first"),
        (b"log" + bytes(7) + b"\x02", _STAMP + b"second"),
        (b"log" + bytes(7) + b"\x03", _STAMP),
    ]
    assert subject.read(*_record_keys(b"log", 2, 4)) == [_STAMP + b"second", None]


def each_log_has_its_own_numbers(subject: Subject) -> None:
    """Each log has its own numbers.

    Logs may have names that begin with the names of others, and the names of stored keys.
    """
    logs = [b"log", b"log\x00", b"lo", b"log" + bytes(7) + b"\x01"]
    subject.change(puts={b"log": b"value"})
    for count in range(len(logs)):  # the first log gets the most records
        subject.change(appends=[(log, log) for log in logs[: len(logs) - count]])
    for log, count in zip(logs, (4, 3, 2, 1), strict=True):
        expected = [_STAMP + log] * count + [None] * (5 - count)
        assert subject.read(*_record_keys(log, 1, 2, 3, 4, 5)) == expected
    assert subject.read(b"log") == [b"value"]


def numbers_are_not_used_again_when_records_are_deleted(subject: Subject) -> None:
    """Numbers are not used again when records are deleted."""

    def trim(*numbers: int) -> None:
        keys = _record_keys(b"log", *numbers)
        subject.write([b"trimmer"], lambda _: Changes(answer=None, deletes=keys))

    subject.change(appends=[(b"log", b"1"), (b"log", b"2"), (b"log", b"3")])
    trim(3)
    subject.change(appends=[(b"log", b"4")])
    assert _records(subject, b"log") == [(1, b"1"), (2, b"2"), (4, b"4")]
    trim(1, 2, 4)
    assert subject.scan() == []
    subject.change(appends=[(b"log", b"5")])
    assert _records(subject, b"log") == [(5, b"5")]


def all_records_of_a_write_have_one_stamp(subject: Subject) -> None:
    """All records of a write have one stamp, and stamps never decrease."""
    logs = (b"log a", b"log b", b"log c")
    subject.change(appends=[(log, b"") for log in logs[:2]])
    subject.change(appends=[(logs[0], b"1"), *((log, b"2") for log in logs)])
    subject.change(appends=[(logs[2], b"")])
    subject.scan()
    a, b, c = (subject.stamps[log] for log in logs)
    assert a[1] == b[1] <= a[2] == a[3] == b[2] == c[1] <= c[2]


def a_reader_that_follows_a_log_misses_no_record(subject: Subject) -> None:
    """A reader that follows a log misses no record.

    A reader of a stream asks for the records after the last one that it read. If a record with a
    lower number became visible later, the reader would never get it.
    """
    engine, writers, each = subject.engine, 8, 25
    followed: list[bytes] = []
    appended: list[int] = []

    async def append(writer: int) -> None:
        for index in range(each):
            await change(engine, appends=[(b"log", b"%d %d" % (writer, index))])
            await asyncio.sleep(0)  # let others run if the engine never suspends
        appended.append(writer)

    async def follow() -> None:
        start, all_there = b"log" + bytes(8), False
        while not all_there:
            all_there = len(appended) == writers
            while page := await engine.scan(start, b"log" + b"\xff" * 9, limit=7, bytes_max=1000):
                followed.extend(record[STAMP_BYTES:] for _, record in page)
                start = page[-1][0] + b"\x00"
            await asyncio.sleep(0)

    outcomes = subject.run_concurrently(follow(), *map(append, range(writers)))
    assert outcomes == [None] * (writers + 1)
    assert len(set(followed)) == writers * each
    for writer in range(writers):
        mine = [record for record in followed if record.startswith(b"%d " % writer)]
        assert mine == [b"%d %d" % (writer, index) for index in range(each)]
    assert [number for number, _ in _records(subject, b"log")] == list(range(1, writers * each + 1))
