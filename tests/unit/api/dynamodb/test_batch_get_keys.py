"""The keys of BatchGetItem, and which of its items have room."""

import asyncio
import itertools

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashrange.api.dynamodb.items import batch_get_item
from hashrange.api.dynamodb.items.batch_get_item import check
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.capacity.units import read_units, units_of_reads
from hashrange.errors import DynamoError
from hashrange.limits.requests import BATCH_GET_BYTES_MAX
from hashrange.model.structures.dynamodb import BatchGetItem, KeysAndAttributes
from hashrange.tables.items.images import Image, stored
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.api.dynamodb.contexts import context_of
from tests.unit.tables.definitions import definition

values = st.sampled_from([{"S": "x"}, {"S": "y"}, {"S": ""}, {"N": "1"}, {"N": "1.0"}, {"N": "?"}])
odd = st.sampled_from([{}, {"S": "x", "N": "1"}, {"B": "?"}])
keys = st.dictionaries(st.sampled_from(["p", "k", "", "x" * 70_000]), values | odd, max_size=2)
texts = st.fixed_dictionaries({"p": st.text(max_size=2).map(lambda text: {"S": text})})


def told(several, keys_max):
    """The keys, or why they are refused."""
    try:
        return batch_get_item.checked_keys(KeysAndAttributes(keys=several), keys_max)
    except DynamoError as error:
        return error.fault, error.message, error.bare


# One that is looked at by itself says the same as all of them together.
@example([{"p": {"S": "x"}}, {"p": {"S": "x"}}], 2)
@example([{"p": {"S": "x"}}, {"p": {"S": "x"}}], 1)
@example([{"p": {"S": "x"}}, {"p": {"S": "y"}}], 1)
@example([{"p": {"S": "x"}, "k": {"S": "y"}}, {"k": {"S": "y"}, "p": {"S": "x"}}], 2)
@example([{"p": {}, "k": {"S": "x", "N": "1"}}], 2)
@given(st.lists(keys | texts, min_size=1, max_size=4), st.integers(0, 4))
def test_all_keys_at_once(several, keys_max):
    at_once = told(several, keys_max)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_get_item, "are_texts", lambda _: False)
        assert told(several, keys_max) == at_once


# Of two tables together no more than 100.
@pytest.mark.parametrize(("first", "second"), [(1, 99), (99, 1), (100, 1), (1, 100), (101, 1)])
def test_keys_of_all_tables_are_counted(first, second):
    def part(count):
        return KeysAndAttributes(keys=[{"p": {"S": str(number)}} for number in range(count)])

    request = BatchGetItem(request_items={"one": part(first), "two": part(second)})
    if first + second <= 100:
        assert [len(checked.keys) for checked in check(request).parts] == [first, second]
        return
    with pytest.raises(DynamoError):
        check(request)


@pytest.mark.parametrize(
    ("sizes", "room", "taken"),
    [
        ([], 0, []),
        ([0, 0], 0, [True, True]),
        ([5, 6], 11, [True, True]),
        ([5, 6], 10, [True, False]),
        ([5, 6, 5, 1], 10, [True, False, True, False]),
    ],
)
def test_each_item_that_has_room_is_answered(sizes, room, taken):
    assert batch_get_item.taken_in_turn(sizes, room) == taken


@given(st.lists(st.integers(0, 409_600), max_size=5), st.booleans())
def test_units_of_several_are_those_of_each(sizes, consistent):
    each = [read_units(size, consistent=consistent) for size in sizes]
    assert units_of_reads(sizes, consistent=consistent) == sum(each)


# What the first table's items took is not there for the second's.
def test_room_is_that_of_all_tables():
    tables = [OpenTable(definition(number=number), {}) for number in (1, 2)]
    request_items = {
        name: KeysAndAttributes(keys=[{"pk": {"S": "a"}}, {"pk": {"S": "b"}}])
        for name in ("one", "two")
    }
    plan = batch_get_item.fit(check(BatchGetItem(request_items=request_items)), *tables)
    large = stored(Image(BATCH_GET_BYTES_MAX // 3, b'{"a":{"S":"b"}}'), b"")
    engine = DictEngine(dict.fromkeys(itertools.chain(*plan.keys), large))
    answer = asyncio.run(batch_get_item.run(plan, context_of(engine))).answer
    found = [len(msgspec.json.decode(items)) for items in answer.responses.values()]
    assert found == [2, 1]
    assert answer.unprocessed_keys == {"two": KeysAndAttributes(keys=[{"pk": {"S": "b"}}])}
