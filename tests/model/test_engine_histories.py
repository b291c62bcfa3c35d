"""Random histories of every engine against the obvious one.

One caller: hypothesis draws operations, and each answer must be that of the dict. Many callers:
seeded random operations on few keys at the same time, and some serial order must explain them.
"""

import random
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from hashrange.storage.engine import NO_FENCES, Fences
from tests.engines.contract import DURABLE, ENGINES, OpenedEngine
from tests.engines.dict_engine import DictEngine
from tests.model.history import Operation, Read, Scan, Write, outcome, outcome_at_once
from tests.model.serial_order import Event, run_clients, serial_order
from tests.strategies import byte_keys, byte_values, key_bounds

COUNTERS = (b"\x00#", b"a#", b"\xff#")
LOGS = (b"\x00#\x00", b"a#log", b"a#lo")
RECORDS = tuple(log + number.to_bytes(8) for log in LOGS for number in range(1, 6))

some_keys = st.lists(byte_keys, max_size=4, unique=True).map(tuple)
counters = st.lists(st.sampled_from(COUNTERS), max_size=2, unique=True).map(tuple)
logs = st.lists(st.sampled_from(LOGS), max_size=3).map(tuple)
records = st.lists(st.sampled_from(RECORDS), max_size=3, unique=True).map(tuple)


class EngineAgainstDict(RuleBasedStateMachine):
    """One engine and the obvious one are asked the same, one thing after the other."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self._name = name
        self._model = DictEngine()
        self._writes = 0
        self._open()

    def _open(self) -> None:
        self._opened = OpenedEngine(ENGINES[self._name], self._directory)
        self._opened.__enter__()

    def teardown(self) -> None:
        self._opened.__exit__(None, None, None)
        self._stack.close()

    def _same(self, operation: Operation) -> None:
        expected = outcome_at_once(operation, self._model)
        assert self._opened.run(outcome(operation, self._opened.engine)) == expected

    def _fences(self, data: st.DataObject) -> Fences:
        """Mostly none; else keys that there are, with their values or with others."""
        stored = sorted(pair for pair in self._model.pairs.items() if pair[0] not in COUNTERS)
        if not stored or data.draw(st.integers(0, 3)):
            return NO_FENCES
        pairs = st.sampled_from(stored)
        fences = dict(data.draw(st.lists(pairs, min_size=1, max_size=2)))
        if data.draw(st.booleans()):
            fences[data.draw(byte_keys)] = data.draw(byte_values)
        return fences

    @rule(keys=st.lists(byte_keys | st.sampled_from(RECORDS + COUNTERS), max_size=5))
    def read(self, keys: list[bytes]) -> None:
        self._same(Read(keys=tuple(keys)))

    @rule(keys=some_keys, data=st.data())
    def read_behind_fences(self, keys: tuple[bytes, ...], data: st.DataObject) -> None:
        self._same(Read(keys=keys, fences=self._fences(data)))

    @rule(
        limit=st.integers(1, 4),
        bytes_max=st.integers(1, 20) | st.integers(1, 20_000),
        reverse=st.booleans(),
        data=st.data(),
    )
    def scan(self, limit: int, bytes_max: int, reverse: bool, data) -> None:
        bound = key_bounds | st.sampled_from([b"", *sorted(self._model.pairs)])
        bounds = data.draw(st.tuples(bound, bound))
        start, end = sorted(bounds) if data.draw(st.integers(0, 5)) else bounds
        self._same(
            Scan(
                start=start,
                end=end,
                limit=limit,
                bytes_max=bytes_max,
                reverse=reverse,
                fences=self._fences(data),
            )
        )

    @rule(puts=st.dictionaries(byte_keys, byte_values, min_size=1, max_size=4))
    def put(self, puts: dict[bytes, bytes]) -> None:
        most = self._opened.engine.key_bytes_max
        puts = {key[:most]: value for key, value in puts.items()}
        self._same(Write(keys=tuple(puts), name=b"", defines=puts))

    @rule(keys=some_keys, blind=some_keys, refuses_odd=st.booleans(), data=st.data())
    def write(self, keys, blind, refuses_odd: bool, data) -> None:
        """Puts and deletes what it reads and, if it reads anything, also what it does not."""
        most = self._opened.engine.key_bytes_max
        keys = tuple({key[:most]: None for key in keys})
        blind = [key for key in {key[:most]: None for key in blind} if keys and key not in keys]
        changed = data.draw(st.permutations([*keys, *blind]))
        cut = data.draw(st.integers(0, len(changed)))
        self._writes += 1
        self._same(
            Write(
                keys=keys,
                name=b"%d" % self._writes,
                puts=tuple(changed[:cut]),
                deletes=tuple(changed[cut:]),
                adds=data.draw(counters),
                appends=data.draw(logs),
                refuses_odd=refuses_odd,
                fences=self._fences(data),
            )
        )

    @rule(keys=records | counters)
    def trim(self, keys: tuple[bytes, ...]) -> None:
        self._same(Write(keys=(b"owner",), name=b"", deletes=keys))

    @rule()
    def open_again(self) -> None:
        if self._name in DURABLE:
            self._opened.__exit__(None, None, None)
            self._open()

    @invariant()
    def holds_the_same(self) -> None:
        assert self._opened.scan() == sorted(self._model.pairs.items())


# What the profile asks for may take longer than any other test may.
long = pytest.mark.timeout(60 + settings().max_examples)


@long
@pytest.mark.parametrize("name", ENGINES)
def test_one_caller_gets_the_answers_of_a_dict(name: str):
    run_state_machine_as_test(lambda: EngineAgainstDict(name))


# Many callers

KEYS = (b"a", b"b", b"b\x00", b"c")
DEFINITION = b"definition"
FENCES = ({DEFINITION: b"1"}, {DEFINITION: b"2"})


def random_operation(noise: random.Random, name: bytes) -> Operation:
    """Any kind of operation, on few keys, so that they meet."""
    fences = noise.choice(FENCES) if noise.random() < 0.3 else NO_FENCES
    match noise.choices(["read", "scan", "define", "trim", "write"], [3, 3, 2, 1, 8])[0]:
        case "read":
            others = some(noise, (*COUNTERS, *RECORDS, DEFINITION), 3)
            return Read(keys=(*some(noise, KEYS, 4), *others), fences=fences)
        case "scan":
            start, end = sorted(noise.choices([b"", b"\xff" * 3, *KEYS, *LOGS], k=2))
            return Scan(
                start=start,
                end=end,
                limit=noise.randint(1, 12),
                bytes_max=noise.choice([4, 16, 1000]),
                reverse=noise.random() < 0.5,
                fences=fences,
            )
        case "define":
            # What it sees beside tells which writes behind the old fence came before it.
            keys = (DEFINITION, *some(noise, KEYS, 4))
            return Write(keys=keys, name=name, defines=noise.choice(FENCES))
        case "trim":
            return Write(keys=(b"trimmer",), name=name, deletes=some(noise, RECORDS[::5], 2))
        case _:
            return random_write(noise, name, fences)


def random_write(noise: random.Random, name: bytes, fences: Fences) -> Write:
    """Reads up to three keys, and changes all or some of them, or none."""
    keys = some(noise, KEYS, 3)
    changed = some(noise, keys, len(keys))
    cut = noise.randint(0, len(changed))
    return Write(
        keys=keys,
        name=name,
        puts=changed[:cut],
        deletes=changed[cut:],
        adds=some(noise, COUNTERS, 1),
        appends=some(noise, LOGS, 2),
        refuses_odd=noise.random() < 0.2,
        fences=fences,
    )


def some(noise: random.Random, choices: tuple[bytes, ...], count_max: int) -> tuple[bytes, ...]:
    return tuple(noise.sample(choices, noise.randint(0, count_max)))


def random_clients(noise: random.Random) -> list[list[Operation]]:
    return [
        [random_operation(noise, b"%d %d" % (client, index)) for index in range(5)]
        for client in range(noise.randint(2, 5))
    ]


START = Write(keys=(DEFINITION,), name=b"", defines={DEFINITION: b"1", b"a": b"", b"b": b"b"})
# What operations have done may show only afterwards: a last look is part of the history.
LAST_LOOK = Scan(start=b"", end=b"\xff" * 9, limit=1000, bytes_max=10**6)


def history(opened: OpenedEngine, seed: int) -> list[Event]:
    """What a few clients met at the same time, and then one that looks at everything."""
    opened.run(outcome(START, opened.engine))
    noise = random.Random(seed)
    clients = random_clients(noise)
    events = opened.run(run_clients(opened.engine, clients, lambda: noise.randrange(3)))
    seen = opened.run(outcome(LAST_LOOK, opened.engine))
    end = 1 + max(event.returned for event in events)
    return [*events, Event(operation=LAST_LOOK, outcome=seen, called=end, returned=end + 1)]


def explained(events: list[Event]) -> bool:
    start = DictEngine()
    outcome_at_once(START, start)
    return serial_order(events, start) is not None


@long
@pytest.mark.parametrize("name", ENGINES)
def test_overlapping_operations_have_a_serial_order(name: str):
    for seed in range(settings().max_examples):
        with (
            tempfile.TemporaryDirectory() as directory,
            OpenedEngine(ENGINES[name], Path(directory)) as opened,
        ):
            events = history(opened, seed)
        assert explained(events), f"no serial order of seed {seed}: {events}"


# An oracle must be able to fail: one outcome that never was, and no order explains the history.
def test_a_history_with_a_false_outcome_has_no_serial_order(tmp_path: Path):
    with OpenedEngine(ENGINES["dict"], tmp_path) as opened:
        events = history(opened, seed=1)
    assert explained(events)
    for place, event in enumerate(events):
        false = replace(event, outcome=[b"never was"])
        assert not explained([*events[:place], false, *events[place + 1 :]])


# Two that overlap may come in any order; two that do not, only in the one in which they were.
def test_a_later_call_cannot_come_before_what_had_returned():
    put = Write(keys=(b"a",), name=b"", defines={b"a": b"new"})
    read = Read(keys=(b"a",))
    wrote = Event(operation=put, outcome=[b""], called=0, returned=2)
    for called, order in ((1, True), (3, False)):
        stale = Event(operation=read, outcome=[b""], called=called, returned=4)
        assert explained([wrote, stale]) is order
