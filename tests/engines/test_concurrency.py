"""What every engine promises to callers that meet: no update lost, no moment that never was."""

import asyncio
from itertools import chain

import pytest

from hashrange.storage.engine import Changes, Engine, StaleFenceError
from tests.engines.contract import NO_LIMIT, OpenedEngine, change


def number(value: bytes | None) -> int:
    return int(value or b"0")


async def increment(engine: Engine, key: bytes = b"n", fences: dict[bytes, bytes] | None = None):
    def decide(values):
        return Changes(answer=number(values[0]) + 1, puts={key: b"%d" % (number(values[0]) + 1)})

    return await engine.write([key], decide, fences=fences or {})


# Compare-and-set in its plainest form: sixteen clients count up one item.
def test_no_increment_is_lost(opened: OpenedEngine):
    async def client():
        return [await increment(opened.engine) for _ in range(25)]

    answers = opened.together(*(client() for _ in range(16)))
    assert opened.read(b"n") == [b"400"]
    assert sorted(chain.from_iterable(answers)) == list(range(1, 401)), (
        "each saw a moment of its own"
    )


# Half of the writers are refused after they have seen what the others wrote.
def test_a_refusal_hurts_nobody_beside_it(opened: OpenedEngine):
    def decide(values):
        count = number(values[0])
        if count % 2 == 1 and values[1] is None:
            raise ValueError(count)
        return Changes(answer=count, puts={b"n": b"%d" % (count + 1)}, deletes=[b"pass"])

    async def client(index: int):
        if index % 2:
            return await opened.engine.write([b"n", b"pass"], decide)
        return await opened.engine.write(
            [b"pass"], lambda _: Changes(answer=None, puts={b"pass": b""})
        )

    outcomes = opened.together(*(client(index) for index in range(60)))
    done = [outcome for outcome in outcomes if isinstance(outcome, int)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, ValueError)]
    assert len(done) + len(refused) == 30
    assert sorted(done) == list(range(len(done)))
    assert opened.read(b"n") == [b"%d" % len(done)]


# Snapshot isolation lets both of these pass: each reads what the other writes. Absent keys are
# the hard case, for there is no row to lock or to compare.
@pytest.mark.parametrize("before", [None, b"present"], ids=["absent", "present"])
def test_two_writes_that_read_what_the_other_puts_follow_each_other(
    opened: OpenedEngine, before: bytes | None
):
    async def claim(mine: bytes, other: bytes):
        def decide(values):
            if values[1] != before:
                raise ValueError
            return Changes(answer=mine, puts={mine: b"claimed"})

        return await opened.engine.write([mine, other], decide)

    for index in range(20):
        left, right = b"left %d" % index, b"right %d" % index
        if before is not None:
            opened.change(puts={left: before, right: before})
        outcomes = opened.together(claim(left, right), claim(right, left))
        assert sum(isinstance(outcome, ValueError) for outcome in outcomes) == 1
        assert sorted(opened.read(left, right), key=repr) == sorted([before, b"claimed"], key=repr)


# The deleted key is read by the other write, and absence must be compared as well.
def test_a_write_that_saw_a_key_loses_to_its_delete(opened: OpenedEngine):
    async def delete(key: bytes):
        await change(opened.engine, deletes=[key])
        return b"deleted"

    async def copy(key: bytes):
        def decide(values):
            return Changes(answer=values[0], puts={key + b" copy": values[0] or b"absent"})

        return await opened.engine.write([key, key + b" copy"], decide)

    for index in range(20):
        key = b"%d" % index
        opened.change(puts={key: b"here"})
        first, second = (copy, delete) if index % 2 else (delete, copy)
        outcomes = opened.together(first(key), second(key))
        seen = outcomes[0 if index % 2 else 1]
        assert opened.read(key, key + b" copy") == [None, seen or b"absent"]


def test_money_is_moved_and_never_made(opened: OpenedEngine):
    accounts = [b"account %d" % index for index in range(6)]
    opened.change(puts=dict.fromkeys(accounts, b"100"))

    async def move(index: int):
        giver, taker = accounts[index % 6], accounts[(index + 1 + index % 5) % 6]

        def decide(values):
            amount = min(number(values[0]), index)
            puts = {
                giver: b"%d" % (number(values[0]) - amount),
                taker: b"%d" % (number(values[1]) + amount),
            }
            return Changes(answer=None, puts=puts, appends=[(b"log", b"%d" % amount)])

        await opened.engine.write([giver, taker], decide)

    async def client(first: int):
        for index in range(first, 160, 8):
            await move(index)
            await asyncio.sleep(0)

    async def audit():
        for _ in range(20):
            read = await opened.engine.read(accounts)
            page = await opened.engine.scan(b"account", b"accounu", **NO_LIMIT)
            assert sum(map(number, read)) == 600, "a read of two moments"
            assert sum(number(value) for _, value in page) == 600, "a page of two moments"
            await asyncio.sleep(0)

    outcomes = opened.together(audit(), audit(), *map(client, range(8)))
    assert outcomes == [None] * 10
    assert sum(map(number, opened.read(*accounts))) == 600


# An index entry is put and deleted blind; the item among the keys is what keeps it true.
def test_blind_entries_follow_the_key_that_owns_them(opened: OpenedEngine):
    async def update(colour: bytes):
        def decide(values):
            entries = [b"entry " + values[0]] if values[0] not in {None, colour} else []
            return Changes(
                answer=None,
                puts={b"item": colour, b"entry " + colour: b""},
                deletes=entries,
                adds={b"updates": 1},
            )

        await opened.engine.write([b"item"], decide)

    async def watch():
        for _ in range(20):
            page = dict(await opened.engine.scan(b"entry", b"itemm", **NO_LIMIT))
            item = page.pop(b"item", None)
            assert list(page) == ([] if item is None else [b"entry " + item])
            await asyncio.sleep(0)

    colours = [b"red", b"green", b"blue", b"red", b"white"] * 8
    outcomes = opened.together(*map(update, colours), watch(), watch())
    assert outcomes == [None] * 42
    assert opened.read(b"updates") == [(40).to_bytes(8)]


# Once the change of a definition has returned, nothing more appears that was written by the old
# one: who then reads the rows to convert them has read them all. The writers share no key, so only
# the fence can hold them back.
def test_no_write_passes_a_fence_that_has_changed(opened: OpenedEngine):
    async def fenced(turn: int, index: int):
        for _ in range(index % 3):
            await asyncio.sleep(0)
        try:
            old = {b"fence": b"%d" % turn}
            await change(opened.engine, puts={b"row %d" % index: b"%d" % turn}, fences=old)
        except StaleFenceError:
            return "stale"
        return "done"

    async def redefine(turn: int):
        await change(opened.engine, puts={b"fence": b"%d" % (turn + 1)})
        rows = await opened.engine.scan(b"row", b"rox", **NO_LIMIT)
        assert await fenced(turn, 0) == "stale"
        return rows

    opened.change(puts={b"fence": b"0"})
    for turn in range(10):
        writers = [fenced(turn, index) for index in range(24)]
        *outcomes, rows = opened.together(*writers, redefine(turn))
        assert set(outcomes) <= {"done", "stale"}
        assert opened.scan(start=b"row", end=b"rox") == rows
        written = [outcomes[int(key[4:])] for key, value in rows if value == b"%d" % turn]
        assert written == ["done"] * outcomes.count("done")


# The other side: who changes a definition has seen all that was written by the old one.
def test_a_changed_fence_has_seen_every_write_that_passed_it(opened: OpenedEngine):
    opened.change(puts={b"fence": b"old"})

    async def fenced():
        try:
            await increment(opened.engine, fences={b"fence": b"old"})
        except StaleFenceError:
            return "stale"
        return "done"

    async def redefine():
        def decide(values):
            return Changes(answer=number(values[1]), puts={b"fence": b"new"})

        return await opened.engine.write([b"fence", b"n"], decide)

    early, late = ([fenced() for _ in range(20)] for _ in range(2))
    outcomes = opened.together(*early, redefine(), *late)
    assert outcomes.count("done") == outcomes[20]
    assert outcomes.count("done") + outcomes.count("stale") == 40
    assert number(opened.read(b"n")[0]) == outcomes[20]


def test_what_has_returned_is_seen_by_all_who_ask_then(opened: OpenedEngine):
    engine = opened.engine

    async def client(index: int):
        key = b"%d" % index
        for count in range(1, 11):
            await increment(engine, key)
            assert await engine.read([key]) == [b"%d" % count]
            page = await engine.scan(key, key + b"\x00", **NO_LIMIT)
            assert page == [(key, b"%d" % count)]

    assert opened.together(*map(client, range(12))) == [None] * 12


# A client that hangs up: its write may happen or not, but wholly, and nobody waits for it.
def test_a_cancelled_write_is_whole_or_nothing_and_blocks_nobody(opened: OpenedEngine):
    async def client(index: int):
        await change(
            opened.engine,
            puts={b"a%d" % index: b"", b"b%d" % index: b""},
            appends=[(b"log", b"")],
        )

    async def some_hang_up():
        tasks = [asyncio.create_task(client(index)) for index in range(30)]
        for index, task in enumerate(tasks):
            if index % 5 == 0:
                await asyncio.sleep(0)
            if index % 3 == 0:
                task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    outcomes = opened.run(some_hang_up())
    assert opened.run(increment(opened.engine)) == 1
    whole = 0
    for index, outcome in enumerate(outcomes):
        pair = opened.read(b"a%d" % index, b"b%d" % index)
        assert pair in ([b"", b""], [None, None])
        assert outcome is None or isinstance(outcome, asyncio.CancelledError)
        assert pair == [b"", b""] or outcome is not None
        whole += pair == [b"", b""]
    assert len(opened.scan(start=b"log", end=b"loh")) == whole
