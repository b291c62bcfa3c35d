"""Plans that replace items change what other plans with the same items change."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.errors import DynamoError
from hashrange.storage.engine import Changes, DelegableDecision, StaleFenceError
from hashrange.tables.items.images import Image
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_decisions import decide_delegated
from hashrange.tables.writing.write_plans import Decision
from hashrange.tables.writing.writer import write_item, write_items
from tests.unit.tables.definitions import definition

FENCE = {b"fence": b"1"}
ONE, TWO = (OpenTable(definition(number=number), FENCE) for number in (1, 2))
KEYS = [table.item_count_key[:4] + b"\x01" + name for table in (ONE, TWO) for name in (b"a", b"b")]
IMAGES = [None, Image(10, b"{}"), Image(100, b'{"a":{"S":"x"}}'), Image(100, b'{"a":{"S":"y"}}')]


@dataclass(frozen=True)
class Plan:
    """Puts or deletes an item; whether it says that it replaces it makes no difference."""

    replaces: bool
    key: bytes
    after: Image | None
    table: OpenTable = ONE
    who: Any = None
    origin: None = None

    def decide(self, _before):
        return Decision(self.after, None)

    def to_outcome(self, done):
        return ("outcome", done)


class Clock:
    def __init__(self):
        self.ms = 1000

    def now_ms(self):
        return self.ms


class AskingElsewhere(DictEngine):
    """Lets another process decide what it can, as the engine of a worker does."""

    async def write(self, keys, decide, *, fences={}):  # noqa: B006 - as the engine
        assert isinstance(decide, DelegableDecision)
        arguments = decide.arguments()

        def elsewhere(values) -> Changes[Any]:
            return decide_delegated(list(keys), list(arguments), values)

        numbers = await super().write(keys, elsewhere, fences=fences)
        return decide.answer_from(numbers)


def plan_of(key, after, *, replaces=True):
    return Plan(replaces, key, after, ONE if key[:4] == ONE.item_count_key[:4] else TWO)


steps = st.tuples(
    st.integers(-5, 5), st.dictionaries(st.sampled_from(KEYS), st.sampled_from(IMAGES), min_size=1)
)


# Also where the clock is set back, where items stay as they are, and where there are none.
@pytest.mark.parametrize("engine_type", [DictEngine, AskingElsewhere])
@given(st.lists(steps, max_size=8))
def test_plans_that_replace_change_what_others_change(engine_type, steps):
    async def run():
        clock = Clock()
        usual = Store(DictEngine(dict(FENCE)), clock)
        replacing = Store(engine_type(dict(FENCE)), clock)
        for moved, writes in steps:
            clock.ms += moved
            others = [plan_of(key, after, replaces=False) for key, after in writes.items()]
            plans = [plan_of(key, after) for key, after in writes.items()]
            if len(plans) == 1:
                expected = await write_item(others[0], _Holder(usual))
                assert await write_item(plans[0], _Holder(replacing)) == expected
            else:
                expected = await write_items(usual, others)
                assert await write_items(replacing, plans) == expected
            assert nonzero(replacing.engine.pairs) == nonzero(usual.engine.pairs)

    asyncio.run(run())


def nonzero(pairs):
    """All pairs but counters of nothing, which may be stored or absent."""
    return {key: value for key, value in pairs.items() if value != bytes(8)}


@dataclass
class _Holder:
    store: Store


def test_an_item_in_flight_is_refused():
    store = Store(DictEngine(dict(FENCE)), Clock())
    plan = plan_of(KEYS[0], IMAGES[1])
    store.in_flight[plan.key] = 1
    with pytest.raises(DynamoError, match="Transaction is ongoing"):
        write_item(plan, _Holder(store))


@pytest.mark.parametrize("engine_type", [DictEngine, AskingElsewhere])
def test_a_table_that_has_changed_is_stale(engine_type):
    store = Store(engine_type({b"fence": b"2"}), Clock())
    with pytest.raises(StaleFenceError):
        asyncio.run(write_item(plan_of(KEYS[0], IMAGES[1]), _Holder(store)))
    with pytest.raises(StaleFenceError):
        asyncio.run(write_items(store, [plan_of(key, None) for key in KEYS]))
    assert store.engine.pairs == {b"fence": b"2"}
