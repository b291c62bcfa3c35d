"""Plans of Query and Scan: which keys they read, what becomes of the items, what it costs."""

import asyncio

import msgspec
import pytest

from hashrange.api.dynamodb.items.pages import check_select
from hashrange.api.dynamodb.items.query import OPERATION as QUERY
from hashrange.api.dynamodb.items.scan import OPERATION as SCAN
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item
from hashrange.model.structures.dynamodb import Query, Scan
from hashrange.model.table import KeyAttribute
from hashrange.model.wording import Wording
from hashrange.tables.items.images import image_of, stored
from hashrange.tables.keys.key_ranges import sort_range
from hashrange.tables.keys.keyspace import (
    item_key,
    items_range,
    partition_prefix,
    partition_range,
    segment_range,
)
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import KeyRange
from tests.engines.counting import CountingEngine
from tests.rows import rows
from tests.unit.api.dynamodb.contexts import context_of
from tests.unit.refusals import refusal
from tests.unit.tables.definitions import definition

TABLE = OpenTable(definition(sort=KeyAttribute("sk", "S")), {})
P, M, Z = {"S": "p"}, {"S": "m"}, {"S": "z"}
PREFIX = partition_prefix(1, P)
WHOLE = partition_range(PREFIX)
START = {"exclusive_start_key": {"pk": P, "sk": Z}}
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


@pytest.mark.parametrize(("forward", "reverse"), [(None, False), (True, False), (False, True)])
def test_query_of_a_partition(forward, reverse):
    assert query_plan(scan_index_forward=forward).keys == KeyRange(*WHOLE, reverse)


@pytest.mark.parametrize(
    ("condition", "operator", "operands"),
    [
        ("sk = :m", "=", [M]),
        ("sk > :m", ">", [M]),
        (":m > sk", "<", [M]),
        ("begins_with(sk, :m)", "begins_with", [M]),
        ("sk BETWEEN :m AND :m", "BETWEEN", [M, M]),
    ],
)
def test_query_with_a_condition_on_the_sort_key(condition, operator, operands):
    plan = query_plan(f"{condition} AND pk = :p", expression_attribute_values={":p": P, ":m": M})
    assert plan.keys == KeyRange(*sort_range(PREFIX, operator, operands))


# The starting key is left out itself: in the direction of the walk, what follows is read.
def test_query_from_a_starting_key():
    key = item_key(1, P, Z)
    assert query_plan(**START).keys == KeyRange(key + b"\x00", WHOLE[1])
    backwards = query_plan(**START, scan_index_forward=False)
    assert backwards.keys == KeyRange(WHOLE[0], key, reverse=True)


def test_scan_of_a_table():
    assert scan_plan().keys == KeyRange(*items_range(1))


@pytest.mark.parametrize(("segment", "total"), [(0, 1), (0, 3), (2, 3), (999_999, 1_000_000)])
def test_scan_of_a_segment(segment, total):
    plan = scan_plan(segment=segment, total_segments=total)
    assert plan.keys == KeyRange(*segment_range(1, segment, total))


def test_scan_from_a_starting_key():
    key = item_key(1, P, Z)
    assert scan_plan(**START).keys == KeyRange(key + b"\x00", items_range(1)[1])


# A key of one of two segments goes on there, and is refused in the other.
def test_scan_of_a_segment_from_a_starting_key():
    key = item_key(1, P, Z)
    home = int(key >= segment_range(1, 1, 2)[0])
    plan = scan_plan(**START, segment=home, total_segments=2)
    assert plan.keys == KeyRange(key + b"\x00", segment_range(1, home, 2)[1])
    with pytest.raises(DynamoError, match="with correct Segment"):
        scan_plan(**START, segment=1 - home, total_segments=2)


# Strong reads cost twice, and only a true ConsistentRead asks for one.
@pytest.mark.parametrize(("sent", "consistent"), [(None, False), (False, False), (True, True)])
def test_consistent(sent, consistent):
    assert query_plan(consistent_read=sent).source.consistent is consistent
    assert scan_plan(consistent_read=sent).source.consistent is consistent


@rows(
    ("select", "projection", "index"),
    [
        (None, None, False),
        (None, "a", False),
        ("ALL_ATTRIBUTES", None, False),
        ("COUNT", None, False),
        ("SPECIFIC_ATTRIBUTES", "a", False),
        ("ALL_PROJECTED_ATTRIBUTES", None, True),
    ],
)
@rows("wording", Wording)
def test_select_that_agrees(select, projection, index, wording):
    request = Query(
        select=select,
        projection_expression=projection,
        index_name="an-index" if index else None,
    )
    assert refusal(check_select, request, wording) is None


# The current layer puts its refusals into an envelope.
def test_select_that_does_not_agree():
    text = "Cannot specify the ProjectionExpression when choosing to get only the Count"
    for wording, told in [
        (Wording.OLDER, text),
        (Wording.CURRENT, f"1 validation error detected: {text}"),
    ]:
        request = Query(select="COUNT", projection_expression="a")
        assert refusal(check_select, request, wording) == told


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
