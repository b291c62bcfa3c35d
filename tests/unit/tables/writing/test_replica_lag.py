"""Reads of the last moments show the states that were there then, and nothing else."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.storage.engine import Changes
from hashrange.tables.writing.replica_lag import (
    LaggedEngine,
    OldValues,
    RecordingEngine,
    is_of_item,
)

LAG_MS = 10
KEYS = [
    b"\x00\x00\x00\x01" + space + name
    for space in (b"\x01", b"\x02")
    for name in (b"a", b"b", b"c")
]
OTHER = b"\x00\x00\x00\x01\x03a"
ALL = (b"", b"\xff" * 8)

keys = st.sampled_from(KEYS)
values = st.binary(min_size=1, max_size=3)
changes = st.dictionaries(keys, st.none() | values, min_size=1, max_size=4)
steps = st.lists(
    st.tuples(st.integers(0, 4), changes, st.lists(keys, unique=True, max_size=2)),
    min_size=1,
    max_size=12,
)


class History:
    """Writes at moments, and the states that there were at each."""

    def __init__(self, **bounds):
        self.now_ms = 0
        self.engine = DictEngine()
        self.old = OldValues(LAG_MS, lambda: self.now_ms, **bounds)
        self.recording = RecordingEngine(self.engine, self.old)
        self.states = {0: {}}
        self.passed = [(0, {})]
        """States with their moments; a moment with several writes has several."""

    def write(self, changed, read=()):
        puts = {key: value for key, value in changed.items() if value is not None}
        deletes = [key for key, value in changed.items() if value is None]
        done = Changes(answer=None, puts=puts, deletes=deletes)
        asyncio.run(self.recording.write(list(read), lambda _: done))
        self.states[self.now_ms] = dict(self.engine.pairs)
        self.passed.append((self.now_ms, self.states[self.now_ms]))

    def later(self, ms):
        for moment in range(self.now_ms + 1, self.now_ms + ms + 1):
            self.states[moment] = dict(self.engine.pairs)
            self.passed.append((moment, self.states[moment]))
        self.now_ms += ms

    def seen(self, at_ms):
        return LaggedEngine(self.engine, self.old, at_ms)


# Of a moment with several writes the last state shows.
@given(steps, st.data())
def test_reads_and_pages_of_a_moment(history, data):
    past = History()
    for ms, changed, read in history:
        past.later(ms)
        past.write(changed, read)
    at_ms = data.draw(st.integers(max(0, past.now_ms - LAG_MS), past.now_ms))
    state = past.states[at_ms]
    seen = past.seen(at_ms)
    assert asyncio.run(seen.read(KEYS)) == [state.get(key) for key in KEYS]
    reverse = data.draw(st.booleans())
    limit, bytes_max = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    start, end = sorted(data.draw(st.tuples(st.sampled_from([*ALL, *KEYS]), st.sampled_from(KEYS))))
    page = {"limit": limit, "bytes_max": bytes_max, "reverse": reverse}
    expected = asyncio.run(DictEngine(dict(state)).scan(start, end, **page))
    assert asyncio.run(seen.scan(start, end, **page)) == expected


# With bounds states become newer than they might be, but never such as never were.
@given(steps, st.data())
def test_what_is_forgotten_is_seen_as_it_was_later(history, data):
    past = History(values_max=2, bytes_max=20)
    for ms, changed, read in history:
        past.later(ms)
        past.write(changed, read)
        assert len(past.old) <= 2
    at_ms = data.draw(st.integers(max(0, past.now_ms - LAG_MS), past.now_ms))
    after = [state for moment, state in past.passed if moment >= at_ms]
    for key, value in zip(KEYS, asyncio.run(past.seen(at_ms).read(KEYS)), strict=True):
        assert value in [state.get(key) for state in after]


def test_values_are_forgotten_after_the_lag():
    past = History()
    past.later(1)
    past.write({KEYS[0]: b"1"})
    past.later(LAG_MS)
    past.write({KEYS[1]: b"1"})
    assert len(past.old) == 1


def test_only_items_and_entries_are_remembered():
    past = History()
    past.write({OTHER: b"1", b"\x00\x00\x00\x00\x01name": b"2"})
    assert len(past.old) == 0
    assert [is_of_item(key) for key in (*KEYS, OTHER, b"\x00\x00\x00\x00\x01n")] == [True] * 6 + [
        False
    ] * 2


# What the decision names may change before the write: then it is read again.
def test_a_decision_that_names_other_keys_when_it_is_run_again():
    past = History()
    past.write({KEYS[1]: b"old"})
    past.later(1)
    runs = []

    def decide(_values):
        runs.append(len(runs))
        key = KEYS[0] if len(runs) == 1 else KEYS[1]
        return Changes(answer=key, puts={key: b"new"})

    assert asyncio.run(past.recording.write([], decide)) == KEYS[1]
    assert asyncio.run(past.seen(0).read([KEYS[1]])) == [b"old"]


def test_an_error_of_the_decision_reaches_the_caller_and_notes_nothing():
    past = History()

    def refuse(_values):
        raise KeyError

    with pytest.raises(KeyError):
        asyncio.run(past.recording.write(KEYS[:1], refuse))
    assert len(past.old) == 0
