"""Trials of concurrent callers: no lost updates, and no reads of states that never existed."""

import asyncio
from itertools import product

from hashrange.assembly.engines.trials.subject import Subject, Values, change, pairs_of
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair, StaleFenceError


def _number(value: bytes | None) -> int:
    return int(value or b"0")


async def _increment(engine: Engine, key: bytes = b"n", fences: Fences = NO_FENCES) -> int:
    def decide(values: Values) -> Changes[int]:
        return Changes(answer=_number(values[0]) + 1, puts={key: b"%d" % (_number(values[0]) + 1)})

    return await engine.write([key], decide, fences=fences)


def no_increment_is_lost(subject: Subject) -> None:
    """No increment is lost.

    Sixteen clients increment one item.
    """
    answers: list[int] = []

    async def client() -> None:
        answers.extend([await _increment(subject.engine) for _ in range(25)])

    assert subject.run_concurrently(*(client() for _ in range(16))) == [None] * 16
    assert subject.read(b"n") == [b"400"]
    assert sorted(answers) == list(range(1, 401)), "two writes saw the same state"


def a_refusal_does_not_affect_concurrent_writes(subject: Subject) -> None:
    """A refusal does not affect concurrent writes.

    Half of the writers are refused after they have read the changes of the others.
    """

    def decide(values: Values) -> Changes[int | None]:
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

    outcomes = subject.run_concurrently(*(client(index) for index in range(60)))
    done = [outcome for outcome in outcomes if isinstance(outcome, int)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, ValueError)]
    assert len(done) + len(refused) == 30
    assert sorted(done) == list(range(len(done)))
    assert subject.read(b"n") == [b"%d" % len(done)]


def two_writes_that_read_each_others_keys_are_serialized(subject: Subject) -> None:
    """Two writes that read each other's keys are serialized.

    Snapshot isolation would let both succeed (write skew). Absent keys are the hard case, since
    there is no row to lock or to compare.
    """

    async def claim(mine: bytes, other: bytes, before: bytes | None) -> bytes:
        def decide(values: Values) -> Changes[bytes]:
            if values[1] != before:
                raise ValueError
            return Changes(answer=mine, puts={mine: b"claimed"})

        return await subject.engine.write([mine, other], decide)

    for index, before in product(range(20), (None, b"present")):
        left, right = b"left %d %a" % (index, before), b"right %d %a" % (index, before)
        if before is not None:
            subject.change(puts={left: before, right: before})
        outcomes = subject.run_concurrently(claim(left, right, before), claim(right, left, before))
        assert sum(isinstance(outcome, ValueError) for outcome in outcomes) == 1
        assert sorted(subject.read(left, right), key=repr) == sorted([before, b"claimed"], key=repr)


def a_write_that_read_a_key_conflicts_with_its_delete(subject: Subject) -> None:
    """A write that read a key conflicts with its delete.

    The deleted key is read by the other write, so absence must be compared as well.
    """

    async def delete(key: bytes) -> bytes:
        await change(subject.engine, deletes=[key])
        return b"deleted"

    async def copy(key: bytes) -> bytes | None:
        def decide(values: Values) -> Changes[bytes | None]:
            return Changes(answer=values[0], puts={key + b" copy": values[0] or b"absent"})

        return await subject.engine.write([key, key + b" copy"], decide)

    for index in range(20):
        key = b"%d" % index
        subject.change(puts={key: b"here"})
        first, second = (copy, delete) if index % 2 else (delete, copy)
        outcomes = subject.run_concurrently(first(key), second(key))
        seen = outcomes[0 if index % 2 else 1]
        assert subject.read(key, key + b" copy") == [None, seen or b"absent"]


def transfers_between_accounts_keep_their_total(subject: Subject) -> None:
    """Transfers between accounts keep their total."""
    accounts = [b"account %d" % index for index in range(6)]
    subject.change(puts=dict.fromkeys(accounts, b"100"))

    async def move(index: int) -> None:
        giver, taker = accounts[index % 6], accounts[(index + 1 + index % 5) % 6]

        def decide(values: Values) -> Changes[None]:
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
            assert sum(map(_number, read)) == 600, "an inconsistent read"
            assert sum(_number(value) for _, value in page) == 600, "an inconsistent page"
            await asyncio.sleep(0)

    outcomes = subject.run_concurrently(audit(), audit(), *map(client, range(8)))
    assert outcomes == [None] * 10
    assert sum(map(_number, subject.read(*accounts))) == 600


def blind_entries_match_the_key_that_owns_them(subject: Subject) -> None:
    """Blind entries match the key that owns them.

    Index entries are put and deleted without being read; the item among the keys protects them.
    """

    async def update(colour: bytes) -> None:
        def decide(values: Values) -> Changes[None]:
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
    outcomes = subject.run_concurrently(*map(update, colours), watch(), watch())
    assert outcomes == [None] * 42
    assert subject.read(b"updates") == [(40).to_bytes(8)]


def no_write_passes_a_fence_that_has_changed(subject: Subject) -> None:
    """No write passes a fence that has changed.

    After the change of a definition has returned, no write with the old one becomes visible: a task
    that then reads the rows to convert them finds all of them. The writers share no key, so only
    the fence can refuse them.
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
        *outcomes, rows = subject.run_concurrently(*writers, redefine(turn))
        assert set(outcomes) <= {"done", "stale"}
        assert subject.scan(start=b"row", end=b"rox") == rows
        written = [outcomes[int(key[4:])] for key, value in rows if value == b"%d" % turn]
        assert written == ["done"] * outcomes.count("done")


def a_write_that_changes_a_fence_reads_every_write_that_passed_it(subject: Subject) -> None:
    """A write that changes a fence reads every write that passed it.

    A write that changes a definition reads all changes that were made with the old one.
    """
    subject.change(puts={b"fence": b"old"})

    async def fenced() -> str:
        try:
            await _increment(subject.engine, fences={b"fence": b"old"})
        except StaleFenceError:
            return "stale"
        return "done"

    async def redefine() -> int:
        def decide(values: Values) -> Changes[int]:
            return Changes(answer=_number(values[1]), puts={b"fence": b"new"})

        return await subject.engine.write([b"fence", b"n"], decide)

    early, late = ([fenced() for _ in range(20)] for _ in range(2))
    outcomes = subject.run_concurrently(*early, redefine(), *late)
    assert outcomes.count("done") == outcomes[20]
    assert outcomes.count("done") + outcomes.count("stale") == 40
    assert _number(subject.read(b"n")[0]) == outcomes[20]


def a_write_that_has_returned_is_visible_to_every_later_read(subject: Subject) -> None:
    """A write that has returned is visible to every later read."""
    engine = subject.engine

    async def client(index: int) -> None:
        key = b"%d" % index
        for count in range(1, 11):
            await _increment(engine, key)
            assert await engine.read([key]) == [b"%d" % count]
            page = await pairs_of(engine, key, key + b"\x00")
            assert page == [(key, b"%d" % count)]

    assert subject.run_concurrently(*map(client, range(12))) == [None] * 12


def a_cancelled_write_is_atomic_and_blocks_no_other(subject: Subject) -> None:
    """A cancelled write is atomic and blocks no other.

    When a client disconnects, its write takes effect as a whole or not at all.
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
