"""Counters that never conflict, and logs numbered in the order in which records become visible."""

import asyncio

import pytest

from hashrange.storage.engine import Changes
from tests.engines.contract import INT64_MAX, INT64_MIN, OpenedEngine, change


def counted(value: bytes | None) -> int:
    return 0 if value is None else int.from_bytes(value, signed=True)


def record_keys(log: bytes, *numbers: int) -> list[bytes]:
    return [log + number.to_bytes(8) for number in numbers]


def records(opened: OpenedEngine, log: bytes, **asked) -> list[tuple[int, bytes]]:
    page = opened.scan(start=log + bytes(8), end=log + b"\xff" * 9, **asked)
    return [(int.from_bytes(key[len(log) :]), record) for key, record in page]


# Counters


def test_an_absent_counter_counts_from_zero(opened: OpenedEngine):
    opened.change(adds={b"n": 5, b"m": -3})
    opened.change(adds={b"n": 2, b"m": -300})
    assert opened.read(b"n", b"m") == [(7).to_bytes(8), (-303).to_bytes(8, signed=True)]
    page = opened.scan()
    assert page == [(b"m", (-303).to_bytes(8, signed=True)), (b"n", (7).to_bytes(8))]


def test_a_counter_back_at_zero_is_zero_or_absent(opened: OpenedEngine):
    opened.change(adds={b"n": 5})
    opened.change(adds={b"n": -5})
    assert counted(opened.read(b"n")[0]) == 0
    assert all(counted(value) == 0 for _, value in opened.scan())
    opened.change(adds={b"n": 0})
    assert counted(opened.read(b"n")[0]) == 0
    opened.change(adds={b"n": 1})
    assert opened.read(b"n") == [(1).to_bytes(8)]


@pytest.mark.parametrize("total", [INT64_MIN, -256, -255, -1, 1, 127, 128, 255, 256, INT64_MAX])
def test_a_counter_holds_all_of_int64(opened: OpenedEngine, total: int):
    half = total // 2
    opened.change(adds={b"n": half})
    opened.change(adds={b"n": total - half})
    assert opened.read(b"n") == [total.to_bytes(8, signed=True)]


def test_a_deleted_counter_counts_from_zero_again(opened: OpenedEngine):
    opened.change(adds={b"table n": 5, b"table m": 7})
    opened.write([b"table"], lambda _: Changes(answer=None, deletes=[b"table n"]))
    assert opened.scan() == [(b"table m", (7).to_bytes(8))]
    opened.change(adds={b"table n": 2})
    assert opened.read(b"table n", b"table m") == [(2).to_bytes(8), (7).to_bytes(8)]


def test_adds_at_the_same_time_are_all_counted(opened: OpenedEngine):
    adders = [
        change(opened.engine, adds={b"n": amount, b"n%d" % (amount % 3): 1})
        for amount in range(1, 101)
    ]
    assert opened.together(*adders) == [None] * 100
    assert opened.read(b"n") == [(5050).to_bytes(8)]
    assert sum(counted(value) for value in opened.read(b"n0", b"n1", b"n2")) == 100


def test_a_refused_write_adds_and_appends_nothing(opened: OpenedEngine):
    def decide(values):
        if values == [None]:
            return Changes(
                answer=None, puts={b"a": b""}, adds={b"n": 1}, appends=[(b"log", b"once")]
            )
        raise ValueError

    async def once():
        await opened.engine.write([b"a"], decide)

    outcomes = opened.together(*(once() for _ in range(5)))
    assert sorted(map(repr, outcomes)) == ["None", *["ValueError()"] * 4]
    assert opened.read(b"n") == [(1).to_bytes(8)]
    assert records(opened, b"log") == [(1, b"once")]


# Logs


def test_records_are_numbered_from_one_in_their_order(opened: OpenedEngine):
    opened.change(appends=[(b"log", b"first"), (b"log", b"second")])
    opened.change(appends=[(b"log", b"")])
    assert opened.scan() == [
        (b"log" + bytes(7) + b"\x01", b"first"),
        (b"log" + bytes(7) + b"\x02", b"second"),
        (b"log" + bytes(7) + b"\x03", b""),
    ]
    assert opened.read(*record_keys(b"log", 2, 4)) == [b"second", None]


# Logs may have names that begin with the names of others, and the names of stored keys.
def test_each_log_has_its_own_numbers(opened: OpenedEngine):
    logs = [b"log", b"log\x00", b"lo", b"log" + bytes(7) + b"\x01"]
    opened.change(puts={b"log": b"value"})
    for count in range(len(logs)):  # the first log gets the most records
        opened.change(appends=[(log, log) for log in logs[: len(logs) - count]])
    for log, count in zip(logs, (4, 3, 2, 1), strict=True):
        expected = [log] * count + [None] * (5 - count)
        assert opened.read(*record_keys(log, 1, 2, 3, 4, 5)) == expected
    assert opened.read(b"log") == [b"value"]


def test_numbers_are_not_used_again_when_records_are_deleted(opened: OpenedEngine):
    def trim(*numbers: int) -> None:
        keys = record_keys(b"log", *numbers)
        opened.write([b"trimmer"], lambda _: Changes(answer=None, deletes=keys))

    opened.change(appends=[(b"log", b"1"), (b"log", b"2"), (b"log", b"3")])
    trim(3)
    opened.change(appends=[(b"log", b"4")])
    assert records(opened, b"log") == [(1, b"1"), (2, b"2"), (4, b"4")]
    trim(1, 2, 4)
    assert opened.scan() == []
    opened.change(appends=[(b"log", b"5")])
    assert records(opened, b"log") == [(5, b"5")]


def test_numbers_are_not_used_again_after_opening_again(durable, tmp_path):
    for number in range(1, 4):
        with OpenedEngine(durable, tmp_path) as opened:
            assert opened.scan() == []
            opened.change(appends=[(b"log", b"")])
            assert [found for found, _ in records(opened, b"log")] == [number]
            opened.write(
                [b"trimmer"],
                lambda _, number=number: Changes(answer=None, deletes=record_keys(b"log", number)),
            )


# A reader of a stream asks for what comes after the last record that it saw. If a record with a
# lower number could become visible later, it would be lost for ever.
def test_a_reader_that_follows_a_log_misses_nothing(opened: OpenedEngine):
    engine, writers, each = opened.engine, 8, 25
    followed: list[bytes] = []
    appended: list[int] = []

    async def append(writer: int) -> None:
        for index in range(each):
            await change(engine, appends=[(b"log", b"%d %d" % (writer, index))])
            await asyncio.sleep(0)  # an engine that never suspends lets nobody else run
        appended.append(writer)

    async def follow() -> None:
        start, all_there = b"log" + bytes(8), False
        while not all_there:
            all_there = len(appended) == writers
            while page := await engine.scan(start, b"log" + b"\xff" * 9, limit=7, bytes_max=1000):
                followed.extend(record for _, record in page)
                start = page[-1][0] + b"\x00"
            await asyncio.sleep(0)

    outcomes = opened.together(follow(), *map(append, range(writers)))
    assert outcomes == [None] * (writers + 1)
    assert len(set(followed)) == writers * each
    for writer in range(writers):
        mine = [record for record in followed if record.startswith(b"%d " % writer)]
        assert mine == [b"%d %d" % (writer, index) for index in range(each)]
    assert [number for number, _ in records(opened, b"log")] == list(range(1, writers * each + 1))
