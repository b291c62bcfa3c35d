"""What every engine promises to callers that meet: no update lost, no moment that never was."""

import asyncio
from itertools import product

from hashrange.engine_trials.subject import Seen, Subject, change, pairs_of
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair, StaleFenceError


def _number(value: bytes | None) -> int:
    return int(value or b"0")


async def _increment(engine: Engine, key: bytes = b"n", fences: Fences = NO_FENCES) -> int:
    def decide(values: Seen) -> Changes[int]:
        return Changes(answer=_number(values[0]) + 1, puts={key: b"%d" % (_number(values[0]) + 1)})

    return await engine.write([key], decide, fences=fences)


def no_increment_is_lost(subject: Subject) -> None:
    """No increment is lost.

    Compare-and-set in its plainest form: sixteen clients count up one item.
    """
    answers: list[int] = []

    async def client() -> None:
        answers.extend([await _increment(subject.engine) for _ in range(25)])

    assert subject.together(*(client() for _ in range(16))) == [None] * 16
    assert subject.read(b"n") == [b"400"]
    assert sorted(answers) == list(range(1, 401)), "each saw a moment of its own"


def a_refusal_hurts_nobody_beside_it(subject: Subject) -> None:
    """A refusal hurts nobody beside it.

    Half of the writers are refused after they have seen what the others wrote.
    """

    def decide(values: Seen) -> Changes[int | None]:
        count = _number(values[0])
        if count % 2 == 1 and values[1] is None:
            raise ValueError(count)
        return Changes(answer=count, puts={b"n": b"%d" % (count + 1)}, deletes=[b"pass"])

    async def client(index: int) -> int | None:
        if index % 2:
            return await subject.engine.write([b"n", b"pass"], decide)
        return await subject.engine.write(
            [b"pass"], lambda _: Changes(answer=None, puts={b"pass": b""})
        )

    outcomes = subject.together(*(client(index) for index in range(60)))
    done = [outcome for outcome in outcomes if isinstance(outcome, int)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, ValueError)]
    assert len(done) + len(refused) == 30
    assert sorted(done) == list(range(len(done)))
    assert subject.read(b"n") == [b"%d" % len(done)]


def two_writes_that_read_what_the_other_puts_follow_each_other(subject: Subject) -> None:
    """Two writes that read what the other puts follow each other.

    Snapshot isolation lets both of these pass: each reads what the other writes. Absent keys are
    the hard case, for there is no row to lock or to compare.
    """

    async def claim(mine: bytes, other: bytes, before: bytes | None) -> bytes:
        def decide(values: Seen) -> Changes[bytes]:
            if values[1] != before:
                raise ValueError
            return Changes(answer=mine, puts={mine: b"claimed"})

        return await subject.engine.write([mine, other], decide)

    for index, before in product(range(20), (None, b"present")):
        left, right = b"left %d %a" % (index, before), b"right %d %a" % (index, before)
        if before is not None:
            subject.change(puts={left: before, right: before})
        outcomes = subject.together(claim(left, right, before), claim(right, left, before))
        assert sum(isinstance(outcome, ValueError) for outcome in outcomes) == 1
        assert sorted(subject.read(left, right), key=repr) == sorted([before, b"claimed"], key=repr)


def a_write_that_saw_a_key_loses_to_its_delete(subject: Subject) -> None:
    """A write that saw a key loses to its delete.

    The deleted key is read by the other write, and absence must be compared as well.
    """

    async def delete(key: bytes) -> bytes:
        await change(subject.engine, deletes=[key])
        return b"deleted"

    async def copy(key: bytes) -> bytes | None:
        def decide(values: Seen) -> Changes[bytes | None]:
            return Changes(answer=values[0], puts={key + b" copy": values[0] or b"absent"})

        return await subject.engine.write([key, key + b" copy"], decide)

    for index in range(20):
        key = b"%d" % index
        subject.change(puts={key: b"here"})
        first, second = (copy, delete) if index % 2 else (delete, copy)
        outcomes = subject.together(first(key), second(key))
        seen = outcomes[0 if index % 2 else 1]
        assert subject.read(key, key + b" copy") == [None, seen or b"absent"]


def money_is_moved_and_never_made(subject: Subject) -> None:
    """Money is moved and never made."""
    accounts = [b"account %d" % index for index in range(6)]
    subject.change(puts=dict.fromkeys(accounts, b"100"))

    async def move(index: int) -> None:
        giver, taker = accounts[index % 6], accounts[(index + 1 + index % 5) % 6]

        def decide(values: Seen) -> Changes[None]:
            amount = min(_number(values[0]), index)
            puts = {
                giver: b"%d" % (_number(values[0]) - amount),
                taker: b"%d" % (_number(values[1]) + amount),
            }
            return Changes(answer=None, puts=puts, appends=[(b"log", b"%d" % amount)])

        await subject.engine.write([giver, taker], decide)

    async def client(first: int) -> None:
        for index in range(first, 160, 8):
            await move(index)
            await asyncio.sleep(0)

    async def audit() -> None:
        for _ in range(20):
            read = await subject.engine.read(accounts)
            page = await pairs_of(subject.engine, b"account", b"accounu")
            assert sum(map(_number, read)) == 600, "a read of two moments"
            assert sum(_number(value) for _, value in page) == 600, "a page of two moments"
            await asyncio.sleep(0)

    outcomes = subject.together(audit(), audit(), *map(client, range(8)))
    assert outcomes == [None] * 10
    assert sum(map(_number, subject.read(*accounts))) == 600


def blind_entries_follow_the_key_that_owns_them(subject: Subject) -> None:
    """Blind entries follow the key that owns them.

    An index entry is put and deleted blind; the item among the keys is what keeps it true.
    """

    async def update(colour: bytes) -> None:
        def decide(values: Seen) -> Changes[None]:
            entries = [b"entry " + values[0]] if values[0] not in {None, colour} else []
            return Changes(
                answer=None,
                puts={b"item": colour, b"entry " + colour: b""},
                deletes=entries,
                adds={b"updates": 1},
            )

        await subject.engine.write([b"item"], decide)

    async def watch() -> None:
        for _ in range(20):
            page = dict(await pairs_of(subject.engine, b"entry", b"itemm"))
            item = page.pop(b"item", None)
            assert list(page) == ([] if item is None else [b"entry " + item])
            await asyncio.sleep(0)

    colours = [b"red", b"green", b"blue", b"red", b"white"] * 8
    outcomes = subject.together(*map(update, colours), watch(), watch())
    assert outcomes == [None] * 42
    assert subject.read(b"updates") == [(40).to_bytes(8)]


def no_write_passes_a_fence_that_has_changed(subject: Subject) -> None:
    """No write passes a fence that has changed.

    Once the change of a definition has returned, nothing more appears that was written by the old
    one: who then reads the rows to convert them has read them all. The writers share no key, so
    only the fence can hold them back.
    """

    async def fenced(turn: int, index: int) -> str:
        for _ in range(index % 3):
            await asyncio.sleep(0)
        try:
            old = {b"fence": b"%d" % turn}
            await change(subject.engine, puts={b"row %d" % index: b"%d" % turn}, fences=old)
        except StaleFenceError:
            return "stale"
        return "done"

    async def redefine(turn: int) -> list[Pair]:
        await change(subject.engine, puts={b"fence": b"%d" % (turn + 1)})
        rows = await pairs_of(subject.engine, b"row", b"rox")
        assert await fenced(turn, 0) == "stale"
        return rows

    subject.change(puts={b"fence": b"0"})
    for turn in range(10):
        writers = [fenced(turn, index) for index in range(24)]
        *outcomes, rows = subject.together(*writers, redefine(turn))
        assert set(outcomes) <= {"done", "stale"}
        assert subject.scan(start=b"row", end=b"rox") == rows
        written = [outcomes[int(key[4:])] for key, value in rows if value == b"%d" % turn]
        assert written == ["done"] * outcomes.count("done")


def a_changed_fence_has_seen_every_write_that_passed_it(subject: Subject) -> None:
    """A changed fence has seen every write that passed it.

    The other side: who changes a definition has seen all that was written by the old one.
    """
    subject.change(puts={b"fence": b"old"})

    async def fenced() -> str:
        try:
            await _increment(subject.engine, fences={b"fence": b"old"})
        except StaleFenceError:
            return "stale"
        return "done"

    async def redefine() -> int:
        def decide(values: Seen) -> Changes[int]:
            return Changes(answer=_number(values[1]), puts={b"fence": b"new"})

        return await subject.engine.write([b"fence", b"n"], decide)

    early, late = ([fenced() for _ in range(20)] for _ in range(2))
    outcomes = subject.together(*early, redefine(), *late)
    assert outcomes.count("done") == outcomes[20]
    assert outcomes.count("done") + outcomes.count("stale") == 40
    assert _number(subject.read(b"n")[0]) == outcomes[20]


def what_has_returned_is_seen_by_all_who_ask_then(subject: Subject) -> None:
    """What has returned is seen by all who ask then."""
    engine = subject.engine

    async def client(index: int) -> None:
        key = b"%d" % index
        for count in range(1, 11):
            await _increment(engine, key)
            assert await engine.read([key]) == [b"%d" % count]
            page = await pairs_of(engine, key, key + b"\x00")
            assert page == [(key, b"%d" % count)]

    assert subject.together(*map(client, range(12))) == [None] * 12


def a_cancelled_write_is_whole_or_nothing_and_blocks_nobody(subject: Subject) -> None:
    """A cancelled write is whole or nothing and blocks nobody.

    A client that hangs up: its write may happen or not, but wholly, and nobody waits for it.
    """

    async def client(index: int) -> None:
        await change(
            subject.engine,
            puts={b"a%d" % index: b"", b"b%d" % index: b""},
            appends=[(b"log", b"")],
        )

    async def some_hang_up() -> list[BaseException | None]:
        tasks = [asyncio.create_task(client(index)) for index in range(30)]
        for index, task in enumerate(tasks):
            if index % 5 == 0:
                await asyncio.sleep(0)
            if index % 3 == 0:
                task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    outcomes = subject.run(some_hang_up())
    assert subject.run(_increment(subject.engine)) == 1
    whole = 0
    for index, outcome in enumerate(outcomes):
        pair = subject.read(b"a%d" % index, b"b%d" % index)
        assert pair in ([b"", b""], [None, None])
        assert outcome is None or isinstance(outcome, asyncio.CancelledError)
        assert pair == [b"", b""] or outcome is not None
        whole += pair == [b"", b""]
    assert len(subject.scan(start=b"log", end=b"loh")) == whole
