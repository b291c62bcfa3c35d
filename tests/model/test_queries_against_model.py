"""Random items and random queries, scans and walks through boto3, against sorted Python lists.

A page is a few hundred bytes here, so that several of them fit into few items.
"""

from decimal import Decimal
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.settings.settings import Settings
from tests.api.conftest import client_of
from tests.api.indexes import schema
from tests.api.items import answer
from tests.api.querying import OFF_RANGE, ON_KEY, ONE_ROW
from tests.api.refusals import VALIDATION, refusal
from tests.api.walks import fill, walk, walked
from tests.model.item_model import fragments, from_wire, holds, item_size, same, to_wire
from tests.model.item_requests import PATHS, Placeholders, attributes, condition_text, path_text
from tests.model.item_requests import conditions as filters
from tests.served import ServerThread

PAGE_BYTES = 400
PAGES_MAX = 100
KINDS = "SNB"
KEY_PATH = ("pk",)
numbers_of_partitions = count(1)

# Values that are beginnings of each other, cross the groups in which keys are stored, and are
# ordered otherwise by characters of UTF-16, as text, or as signed bytes.
SORT_KEYS = {
    "S": st.text("\x00a\x7f\x80é\uffff\U00010000", min_size=1, max_size=10),
    "N": st.sampled_from(
        ["0", "1", "-1", "1.5", "2", "-2", "10", "-10", "9.99", "100", "0.001", "1e125", "-1e-130"]
    ).map(Decimal)
    | st.decimals(-1000, 1000, places=3),
    "B": st.lists(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]), min_size=1, max_size=10).map(bytes),
}
PARTITIONS = {"S": "p{}".format, "N": Decimal, "B": lambda number: number.to_bytes(3, "big")}
OPERATORS = {
    "=": lambda key, low, high: key == low,
    "<": lambda key, low, high: key < low,
    "<=": lambda key, low, high: key <= low,
    ">": lambda key, low, high: key > low,
    ">=": lambda key, low, high: key >= low,
    "BETWEEN": lambda key, low, high: low <= key <= high,
    "begins_with": lambda key, low, high: key.startswith(low),
}


def comparable(key):
    """A sort key as it is ordered: text by its UTF-8 bytes."""
    return key.encode() if isinstance(key, str) else key


def _views():
    """What is asked of the items of a page."""
    return {
        "limit": st.none() | st.integers(1, 6),
        "filter": st.none() | filters,
        "projection": st.just([]) | st.lists(st.sampled_from(PATHS), max_size=3, unique=True),
        "count": st.booleans(),
        "consistent": st.booleans(),
    }


def _queries(kind, keys):
    operators = sorted(set(OPERATORS) - ({"begins_with"} if kind == "N" else set()))
    bounds = st.lists(keys, min_size=2, max_size=2).map(
        lambda pair: tuple(sorted(pair, key=comparable))
    )
    return st.fixed_dictionaries(
        {
            "condition": st.none() | st.tuples(st.sampled_from(operators), bounds),
            "forward": st.booleans(),
            "start": st.none() | keys,
            **_views(),
        }
    )


@st.composite
def partitions(draw):
    """The type of a sort key, items by sort key, and queries for them."""
    kind = draw(st.sampled_from(KINDS))
    keys = draw(st.lists(SORT_KEYS[kind], unique_by=comparable, max_size=12))
    items = {key: draw(attributes) for key in keys}
    # Keys of items and others, in conditions and as starting keys.
    some = SORT_KEYS[kind] | st.sampled_from(keys) if keys else SORT_KEYS[kind]
    return kind, items, draw(st.lists(_queries(kind, some), min_size=1, max_size=4))


@st.composite
def tables(draw):
    """The types of a table's keys, items by key, and scans of them."""
    kinds = draw(st.sampled_from(KINDS)), draw(st.sampled_from(KINDS))
    places = st.tuples(st.integers(1, 5), SORT_KEYS[kinds[1]])
    keys = draw(st.lists(places, unique_by=lambda key: (key[0], comparable(key[1])), max_size=14))
    items = {(PARTITIONS[kinds[0]](number), sort): draw(attributes) for number, sort in keys}
    scans = st.fixed_dictionaries({"segments": st.none() | st.integers(1, 4), **_views()})
    return kinds, items, draw(st.lists(scans, min_size=1, max_size=3))


@pytest.fixture(scope="module")
def client():
    """A client of a server whose pages are short, with a table for each type of sort key."""
    thread = ServerThread(Settings(port=0, memory=True), page_bytes_max=PAGE_BYTES)
    made = client_of(thread.endpoint)
    for kind in KINDS:
        create(made, f"sorted-{kind}", "S", kind)
    yield made
    thread.close()


def create(client, name, partition, sort):
    types = {"pk": partition, "sk": sort}
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": kind} for key, kind in types.items()
        ],
        KeySchema=schema("pk", sort=("sk",)),
    )


def wire(item):
    return {name: to_wire(value) for name, value in item.items()}


def plain(item):
    return {name: from_wire(value) for name, value in item.items()}


def key_of(item):
    return {name: item[name] for name in ("pk", "sk")}


def page_of(items, view):
    """One page of what is left of a walk, as a server should answer it; and the rest."""
    evaluated = []
    for item in items:
        evaluated.append(item)
        if len(evaluated) == view["limit"] or sum(map(item_size, evaluated)) >= PAGE_BYTES:
            ended = True
            break
    else:
        ended = False
    listed = [item for item in evaluated if view["filter"] is None or holds(view["filter"], item)]
    units = max(1, -(-sum(map(item_size, evaluated)) // 4096))
    told = {
        "Count": len(listed),
        "ScannedCount": len(evaluated),
        "LastEvaluatedKey": key_of(evaluated[-1]) if ended else None,
        "Units": units if view["consistent"] else units / 2,
    }
    if not view["count"]:
        paths = view["projection"]
        told["Items"] = [fragments(item, paths) for item in listed] if paths else listed
    return told, items[len(evaluated) :]


def request_of(view, used):
    """The members of a request that say what is asked of its items."""
    members = {"ReturnConsumedCapacity": "TOTAL", "ConsistentRead": view["consistent"]}
    if view["limit"] is not None:
        members["Limit"] = view["limit"]
    if view["filter"] is not None:
        members["FilterExpression"] = condition_text(view["filter"], used)
    if view["count"]:
        members["Select"] = "COUNT"
    elif view["projection"]:
        members["ProjectionExpression"] = ", ".join(map(path_text, view["projection"]))
    if used.values:
        members["ExpressionAttributeValues"] = used.values
    return members


def told_by(call, request):
    """A server's answer in the words of the model."""
    response = answer(call, **request)
    told = {name: response[name] for name in ("Count", "ScannedCount")}
    last = response.get("LastEvaluatedKey")
    told["LastEvaluatedKey"] = None if last is None else plain(last)
    told["Units"] = response["ConsumedCapacity"]["CapacityUnits"]
    if "Items" in response:
        told["Items"] = [plain(item) for item in response["Items"]]
    return told


def assert_walk(call, request, items, view, *, pages_max=PAGES_MAX):
    """Page by page the server answers what the model does, until both are at their ends."""
    rest = items
    for page in range(1, pages_max + 1):
        expected, rest = page_of(rest, view)
        told = told_by(call, request)
        listed = told.pop("Items", []), expected.pop("Items", [])
        assert told == expected
        assert len(listed[0]) == len(listed[1])
        assert all(map(same, *listed)), listed
        if told["LastEvaluatedKey"] is None or page == pages_max:
            assert rest == []
            return
        request = {**request, "ExclusiveStartKey": wire(told["LastEvaluatedKey"])}


def meets(condition, key):
    if condition is None:
        return True
    operator, bounds = condition
    return OPERATORS[operator](comparable(key), *map(comparable, bounds))


def key_condition(query, used):
    """A key condition as an expression."""
    text = f"pk = {used.add(query['partition'])}"
    if query["condition"] is None:
        return text
    operator, (low, high) = query["condition"]
    match operator:
        case "BETWEEN":
            return f"{text} AND sk BETWEEN {used.add(low)} AND {used.add(high)}"
        case "begins_with":
            return f"begins_with(sk, {used.add(low)}) AND {text}"
        case _:
            return f"{text} AND sk {operator} {used.add(low)}"


def names_key(condition):
    """Whether a filter looks at the partition key, which those of queries must not."""
    return condition == KEY_PATH or (
        isinstance(condition, tuple) and any(map(names_key, condition))
    )


def refused(query):
    """What a query is refused for; None if it is not."""
    condition, start = query["condition"], query["start"]
    if start is not None and not meets(condition, start):
        return OFF_RANGE
    if start is not None and condition is not None and condition[0] == "=":
        return ONE_ROW
    return f"{ON_KEY}pk" if names_key(query["filter"]) else None


def selected(items, query):
    """The items that a query walks through, in their order."""
    start, forward = query["start"], query["forward"]
    found = [item for item in items if meets(query["condition"], item["sk"])]
    found.sort(key=lambda item: comparable(item["sk"]), reverse=not forward)
    if start is None:
        return found
    after = comparable(start)
    return [
        item
        for item in found
        if (comparable(item["sk"]) > after if forward else comparable(item["sk"]) < after)
    ]


# Queries of one partition among many: all items that are selected, in order, page by page.
@given(partitions())
def test_queries(client, drawn):
    kind, items, queries = drawn
    table, partition = f"sorted-{kind}", f"p{next(numbers_of_partitions)}"
    stored = [{"pk": partition, "sk": key, **more} for key, more in items.items()]
    fill(client, table, map(wire, stored))
    for drawn_query in queries:
        query = {**drawn_query, "partition": partition}
        used = Placeholders()
        request = {
            "TableName": table,
            "KeyConditionExpression": key_condition(query, used),
            "ScanIndexForward": query["forward"],
            **request_of(query, used),
        }
        if query["start"] is not None:
            request["ExclusiveStartKey"] = wire({"pk": partition, "sk": query["start"]})
        text = refused(query)
        if text is not None:
            assert refusal(client.query, **request) == (VALIDATION, text)
        else:
            # A query of one item has no second page: its limit ends none, and if one item fills
            # a page, which happens with pages as short as these alone, nobody may go on after it.
            condition = query["condition"]
            of_one = condition is not None and condition[0] == "="
            view = {**query, "limit": None} if of_one else query
            pages_max = 1 if of_one else PAGES_MAX
            assert_walk(client.query, request, selected(stored, query), view, pages_max=pages_max)


def in_scan_order(client, table, items):
    """The items in the order of a scan, which only the server knows; each of them once."""
    keys = [key_of(item) for item in items]
    told = map(plain, walked(client.scan, TableName=table))
    order = [keys.index(key_of(item)) for item in told]
    assert sorted(order) == list(range(len(items)))
    ordered = [items[index] for index in order]
    # Each partition is in one piece, in the order of its sort key.
    runs = list(dict.fromkeys(item["pk"] for item in ordered))
    by_partition = sorted(
        ordered, key=lambda item: (runs.index(item["pk"]), comparable(item["sk"]))
    )
    assert ordered == by_partition
    return ordered


# Scans of a table of its own: every item once, whole or in segments, page by page.
@given(tables())
def test_scans(client, drawn):
    kinds, items, scans = drawn
    table = f"scanned-{next(numbers_of_partitions)}"
    create(client, table, *kinds)
    stored = [{"pk": pk, "sk": sk, **more} for (pk, sk), more in items.items()]
    fill(client, table, map(wire, stored))
    ordered = in_scan_order(client, table, stored)
    for view in scans:
        request = {"TableName": table, **request_of(view, Placeholders())}
        if view["segments"] is None:
            assert_walk(client.scan, request, ordered, view)
            continue
        rest = ordered
        for segment in range(view["segments"]):
            part = {"Segment": segment, "TotalSegments": view["segments"]}
            counted = walk(client.scan, TableName=table, **part, Select="COUNT")
            share = sum(page["Count"] for page in counted)
            assert_walk(client.scan, {**request, **part}, rest[:share], view)
            rest = rest[share:]
        assert rest == []
    client.delete_table(TableName=table)
