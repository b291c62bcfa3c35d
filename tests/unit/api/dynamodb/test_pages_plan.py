"""Plans of Query and Scan: which keys they read, what becomes of the items, what it costs."""

import asyncio

import msgspec
import pytest

from hashrange.api.dynamodb.items.query import OPERATION as QUERY
from hashrange.api.dynamodb.items.scan import OPERATION as SCAN
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.canonical import canonical_item
from hashrange.model.structures.dynamodb import Query, Scan
from hashrange.model.table import KeyAttribute
from hashrange.model.wording import Wording
from hashrange.tables.items.images import image_of, stored
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from tests.engines.counting import CountingEngine
from tests.unit.api.dynamodb.contexts import context_of
from tests.unit.tables.definitions import definition

TABLE = OpenTable(definition(sort=KeyAttribute("sk", "S")), {})
P = {"S": "p"}
ITEM_BYTES = 111
"""Of the items of `items_of`."""


def plan_of(operation, request):
    return operation.fit(operation.check(request), TABLE)


def query_plan(condition="pk = :p", **members):
    members = {"expression_attribute_values": {":p": P}, **members}
    request = Query(table_name="a-table", key_condition_expression=condition, **members)
    return plan_of(QUERY, request)


def scan_plan(**members):
    return plan_of(SCAN, Scan(table_name="a-table", **members))


def items_of(count):
    """An engine with so many items of the partition `p`, which counts what is read from it."""
    pairs = {}
    for number in range(count):
        item = {"pk": P, "sk": {"S": f"{number:05}"}, "a": {"S": "x" * 100}}
        sized = canonical_item(item, Wording.CURRENT)
        key = key_of_item(TABLE, sized.item)
        pairs[key] = stored(image_of(sized.item, sized.bytes), key)
    return CountingEngine(DictEngine(pairs))


def outcome_of(operation, plan, engine):
    return asyncio.run(operation.run(plan, context_of(engine)))


# The cost of a query does not grow with its partition: it reads what it evaluates.
@pytest.mark.parametrize("count", [1, 100, 20_000])
@pytest.mark.parametrize("forward", [True, False])
def test_query_of_one_item_reads_one(count, forward):
    engine = items_of(count)
    plan = query_plan(limit=1, scan_index_forward=forward)
    outcome = outcome_of(QUERY, plan, engine)
    assert (outcome.answer.count, outcome.answer.scanned_count) == (1, 1)
    assert (engine.scans, engine.pairs) == (1, 1)


# A query by its whole key reads one item, and so does the rest of a walk that has one left.
def test_query_by_the_whole_key_reads_one():
    engine = items_of(1000)
    values = {":p": P, ":m": {"S": "00500"}}
    plan = query_plan("pk = :p AND sk = :m", expression_attribute_values=values)
    assert outcome_of(QUERY, plan, engine).answer.count == 1
    start = {"pk": P, "sk": {"S": "00998"}}
    plan = query_plan(exclusive_start_key=start)
    assert outcome_of(QUERY, plan, engine).answer.count == 1
    assert (engine.scans, engine.pairs) == (2, 2)


# A page of small items reads a page, not the table.
def test_scan_reads_one_page():
    engine = items_of(20_000)
    outcome = outcome_of(SCAN, scan_plan(), engine)
    evaluated = outcome.answer.scanned_count
    assert engine.pairs == evaluated
    assert evaluated == -(-1024 * 1024 // ITEM_BYTES)


# Whole items are spliced into the answer as they are stored, and never parsed.
def test_whole_items_are_not_parsed():
    engine = items_of(3)
    for operation, plan in ((QUERY, query_plan()), (SCAN, scan_plan())):
        answer = outcome_of(operation, plan, engine).answer
        assert type(answer.items) is msgspec.Raw
        assert len(msgspec.json.decode(answer.items)) == 3


# The same with a filter: it looks at the item, and what passes is spliced.
def test_filtered_items_are_spliced():
    plan = scan_plan(filter_expression="a <> sk")
    answer = outcome_of(SCAN, plan, items_of(3)).answer
    assert type(answer.items) is msgspec.Raw
    assert len(msgspec.json.decode(answer.items)) == 3


# Capacity is told by what was evaluated, and for the name that the client used.
def test_units_are_those_of_the_page():
    plan = query_plan(filter_expression="attribute_exists(b)", return_consumed_capacity="TOTAL")
    outcome = outcome_of(QUERY, plan, items_of(100))
    assert outcome.answer.count == 0
    assert (outcome.read_units, outcome.write_units) == (1.5, 0.0)
    assert outcome.answer.consumed_capacity.capacity_units == 1.5
