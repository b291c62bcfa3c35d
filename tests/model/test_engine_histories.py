"""Random histories of every engine against the obvious one.

One caller: hypothesis draws operations, and each answer must be that of the dict. Many callers:
seeded random operations on few keys at the same time, and some serial order must explain them.
"""

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from hashrange.assembly.engines.trials.dict_engine import (
    DictEngine,
    Operation,
    Read,
    Scan,
    Write,
    outcome,
    outcome_at_once,
)
from hashrange.assembly.engines.trials.histories import (
    COUNTERS,
    LOGS,
    RECORDS,
    Event,
    concurrent_callers,
    history,
    is_serializable,
    one_caller,
)
from hashrange.storage.engine import NO_FENCES, Fences
from tests.effort import effort
from tests.engines.openers import DURABLE, NAMES, subject_of
from tests.strategies import byte_keys, byte_values, key_bounds

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
        try:
            self._open()
        except BaseException:
            self._stack.close()  # hypothesis calls `teardown` only for a machine that was made
            raise

    def _open(self) -> None:
        self._opened = subject_of(self._name, self._directory)
        self._opened.__enter__()

    def teardown(self) -> None:
        with self._stack:
            self._opened.__exit__(None, None, None)

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
    def reopen(self) -> None:
        if self._name in DURABLE:
            self._opened.reopen()

    @invariant()
    def holds_the_same(self) -> None:
        assert self._opened.scan() == sorted(self._model.pairs.items())


# What the profile asks for may take longer than any other test may.
long = pytest.mark.timeout(120 + 2 * settings().max_examples)


# Each example opens an engine, and each step looks at all of it: on a disk that takes some times as
# long as in memory, on PostgreSQL twenty times.
@long
@pytest.mark.parametrize("name", NAMES)
def test_one_caller_gets_the_answers_of_a_dict(name: str):
    examples = settings().max_examples
    if name.startswith("postgres"):
        examples = effort(5, examples // 5)
    elif name in DURABLE:
        examples = effort(6, examples)
    else:
        examples = effort(8, examples)
    run_state_machine_as_test(
        lambda: EngineAgainstDict(name),
        settings=settings(max_examples=examples, stateful_step_count=effort(30, 50)),
    )


# Many callers


@long
@pytest.mark.parametrize("name", NAMES)
def test_overlapping_operations_have_a_serial_order(name: str, tmp_path: Path):
    with subject_of(name, tmp_path) as subject:
        for seed in range(effort(15, 100)):
            subject.use_empty_subspace()
            concurrent_callers(subject, seed)


# What `verify-engine` asks, without hypothesis.
@long
@pytest.mark.parametrize("name", NAMES)
def test_one_caller_of_a_seed_gets_the_answers_of_a_dict(name: str, tmp_path: Path):
    with subject_of(name, tmp_path) as subject:
        for seed in range(5):
            subject.use_empty_subspace()
            one_caller(subject, seed)


# An oracle must be able to fail: one outcome that never was, and no order explains the history.
def test_a_history_with_a_false_outcome_has_no_serial_order(tmp_path: Path):
    with subject_of("dict", tmp_path) as opened:
        events = history(opened, seed=1)
    assert is_serializable(events)
    for place, event in enumerate(events):
        false = replace(event, outcome=[b"never was"])
        assert not is_serializable([*events[:place], false, *events[place + 1 :]])


# Two that overlap may come in any order; two that do not, only in the one in which they were.
def test_a_later_call_cannot_come_before_what_had_returned():
    put = Write(keys=(b"a",), name=b"", defines={b"a": b"new"})
    read = Read(keys=(b"a",))
    wrote = Event(operation=put, outcome=[b""], called=0, returned=2)
    for called, order in ((1, True), (3, False)):
        stale = Event(operation=read, outcome=[b""], called=called, returned=4)
        assert is_serializable([wrote, stale]) is order
