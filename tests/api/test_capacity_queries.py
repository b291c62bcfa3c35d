"""ConsumedCapacity of Query, Scan and the batches, exact to the unit. Source of all: G.1, G.2."""

import pytest

from tests.api.items import answer, padding, values
from tests.api.querying import delete, put
from tests.api.walks import fill, walk, within

# Partitions of one table: the sizes of their items in bytes.
SIZES = {
    "none": [],
    "one byte more": [4097],
    "a unit": [4096],
    "shared": [1000] * 4,
    "shared, one more": [1000] * 5,
    "many": [100] * 100,
    "large": [400 * 1024] * 3,
}


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    """A table with those partitions: its name."""
    name = new_table(sk="S")
    for pk, sizes in SIZES.items():
        for number, size in enumerate(sizes):
            sk = f"{number:03}"
            item = {"pk": {"S": pk}, "sk": {"S": sk}}
            used = len(f"pk{pk}sk{sk}a")
            fill(dynamodb, name, [{**item, "a": padding(size - used)}])
    return name


@pytest.fixture
def units(dynamodb, table):
    """The units that a query of the partition `pk` costs."""

    def told(pk, **request):
        request = {"TableName": table, "ReturnConsumedCapacity": "TOTAL", **within(pk, **request)}
        return dynamodb.query(**request)["ConsumedCapacity"]["CapacityUnits"]

    return told


@pytest.fixture
def items_of(pk):
    """Items of the test's own keys that have these sizes, in a table without sort key."""

    def made(*sizes):
        keys = [f"{pk}{number:02}" for number in range(len(sizes))]
        return [
            {"pk": {"S": key}, "a": padding(size - len(f"pk{key}a"))}
            for key, size in zip(keys, sizes, strict=True)
        ]

    return made


# The bytes of a page are added up before they are rounded: many small items share a unit. Nothing
# costs as much as the smallest item.
@pytest.mark.parametrize(
    ("pk", "cost"),
    [
        ("none", 1),
        ("one byte more", 2),
        ("a unit", 1),
        ("shared", 1),
        ("shared, one more", 2),
        ("many", 3),
        ("large", 300),
    ],
)
def test_query_costs_the_bytes_of_the_page(units, pk, cost):
    assert units(pk, ConsistentRead=True) == cost
    assert units(pk) == units(pk, ConsistentRead=False) == cost / 2
    assert units(pk, ScanIndexForward=False, ConsistentRead=True) == cost


# What is answered makes no difference, but what is evaluated.
@pytest.mark.parametrize(
    "more",
    [
        {"ProjectionExpression": "pk"},
        {"Select": "COUNT"},
        {"FilterExpression": "attribute_not_exists(a)"},
    ],
)
def test_query_costs_what_is_evaluated(units, more):
    assert units("many", ConsistentRead=True, **more) == 3


# A limit and a key condition are what makes a query cheaper.
@pytest.mark.parametrize(("limit", "cost"), [(1, 1), (40, 1), (41, 2), (81, 2), (82, 3), (200, 3)])
def test_query_costs_no_more_than_its_limit(units, limit, cost):
    assert units("many", Limit=limit, ConsistentRead=True) == cost


# Items outside of the key condition are not read. 409,600 bytes are 100 units.
def test_query_costs_the_items_of_its_key_condition(dynamodb, table):
    told = dynamodb.query(
        TableName=table,
        KeyConditionExpression="pk = :pk AND sk > :sk",
        ExpressionAttributeValues=values(pk={"S": "large"}, sk={"S": "001"}),
        ReturnConsumedCapacity="TOTAL",
    )
    assert told["ConsumedCapacity"] == {"TableName": table, "CapacityUnits": 50.0}


# A full page costs a little more than 1 MB, because of the item that crosses; each page is rounded
# by itself.
def test_scan_costs_page_by_page(dynamodb, table):
    pages = walk(
        dynamodb.scan, TableName=table, ConsistentRead=True, ReturnConsumedCapacity="TOTAL"
    )
    sizes = [
        sum(SIZES[item["pk"]["S"]][int(item["sk"]["S"])] for item in page["Items"])
        for page in pages
    ]
    told = [page["ConsumedCapacity"]["CapacityUnits"] for page in pages]
    assert told == [max(1, -(-size // 4096)) for size in sizes]
    assert sum(sizes) == sum(map(sum, SIZES.values()))


# An empty table costs as much as the smallest item, and so does an empty segment.
@pytest.mark.parametrize("segment", [{}, {"Segment": 1, "TotalSegments": 2}])
def test_scan_of_nothing(dynamodb, new_table, segment):
    request = {"TableName": new_table(), "ReturnConsumedCapacity": "TOTAL", **segment}
    assert dynamodb.scan(**request)["ConsumedCapacity"]["CapacityUnits"] == 0.5
    request["ConsistentRead"] = True
    assert dynamodb.scan(**request)["ConsumedCapacity"]["CapacityUnits"] == 1.0


# TOTAL has the sum, INDEXES the table beside it, NONE and nothing have nothing.
@pytest.mark.parametrize("operation", ["query", "scan"])
def test_shapes(dynamodb, new_table, operation):
    table = new_table()
    request = {"TableName": table, **(within("x") if operation == "query" else {})}
    call = getattr(dynamodb, operation)
    total = {"TableName": table, "CapacityUnits": 0.5}
    whole = {**total, "Table": {"CapacityUnits": 0.5}}
    for detail, told in [("TOTAL", total), ("INDEXES", whole), ("NONE", None)]:
        answered = answer(call, **request, ReturnConsumedCapacity=detail)
        assert answered.get("ConsumedCapacity") == told
    assert "ConsumedCapacity" not in call(**request)


# The table is named as the client named it.
@pytest.mark.parametrize("operation", ["query", "scan"])
def test_table_is_named_as_it_was(dynamodb, new_table, operation):
    arn = dynamodb.describe_table(TableName=new_table())["Table"]["TableArn"]
    request = {"TableName": arn, **(within("x") if operation == "query" else {})}
    told = getattr(dynamodb, operation)(**request, ReturnConsumedCapacity="TOTAL")
    assert told["ConsumedCapacity"] == {"TableName": arn, "CapacityUnits": 0.5}


# A batch is rounded item by item, not as a page is; a missing item costs as the smallest.
@pytest.mark.parametrize(
    ("sizes", "missing", "cost"),
    [([100], 0, 1), ([100] * 4, 0, 4), ([4096, 4097], 0, 3), ([100], 3, 4), ([400 * 1024], 1, 101)],
)
def test_batch_get_costs_each_item(dynamodb, simple, pk, items_of, sizes, missing, cost):
    items = items_of(*sizes)
    fill(dynamodb, simple, items)
    keys = [{"pk": item["pk"]} for item in items]
    keys += [{"pk": {"S": f"{pk}-{number}"}} for number in range(missing)]
    for consistent, factor in [(True, 1), (False, 0.5), (None, 0.5)]:
        request = {"Keys": keys, "ConsistentRead": consistent, "ProjectionExpression": "pk"}
        told = dynamodb.batch_get_item(
            RequestItems={simple: request}, ReturnConsumedCapacity="TOTAL"
        )
        assert told["ConsumedCapacity"] == [{"TableName": simple, "CapacityUnits": cost * factor}]


# Each table has a row and a ConsistentRead of its own.
def test_batch_get_tells_each_table(dynamodb, simple, composite, pk):
    told = dynamodb.batch_get_item(
        RequestItems={
            simple: {"Keys": [{"pk": {"S": pk}}], "ConsistentRead": True},
            composite: {"Keys": [{"pk": {"S": pk}, "sk": {"S": key}} for key in "ab"]},
        },
        ReturnConsumedCapacity="INDEXES",
    )
    rows = {row.pop("TableName"): row for row in told["ConsumedCapacity"]}
    assert rows == {
        table: {"CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}}
        for table in (simple, composite)
    }


# A write costs the larger of both images, rounded up to 1 KB each; a delete of nothing one unit.
@pytest.mark.parametrize(
    ("before", "after", "cost"),
    [
        (None, 100, 1),
        (None, 1024, 1),
        (None, 1025, 2),
        (5000, 100, 5),
        (100, 5000, 5),
        (5000, None, 5),
        (None, None, 1),
        (None, 400 * 1024, 400),
    ],
)
def test_batch_write_costs_the_larger_image(dynamodb, simple, items_of, before, after, cost):
    if before:
        dynamodb.put_item(TableName=simple, Item=items_of(before)[0])
    (item,) = items_of(after or 100)
    write = put(item) if after else delete({"pk": item["pk"]})
    told = dynamodb.batch_write_item(RequestItems={simple: [write]}, ReturnConsumedCapacity="TOTAL")
    assert told["ConsumedCapacity"] == [{"TableName": simple, "CapacityUnits": float(cost)}]


# Each table has a row, with the sum over its writes, each rounded by itself.
def test_batch_write_tells_each_table(dynamodb, simple, composite, pk, items_of):
    told = dynamodb.batch_write_item(
        RequestItems={
            simple: [put(item) for item in items_of(100, 1024, 1025, 2049)],
            composite: [delete({"pk": {"S": pk}, "sk": {"S": key}}) for key in "abc"],
        },
        ReturnConsumedCapacity="INDEXES",
    )
    rows = {row.pop("TableName"): row for row in told["ConsumedCapacity"]}
    assert rows == {
        simple: {"CapacityUnits": 7.0, "Table": {"CapacityUnits": 7.0}},
        composite: {"CapacityUnits": 3.0, "Table": {"CapacityUnits": 3.0}},
    }


# Nobody asked, so nothing is told.
@pytest.mark.parametrize("detail", ["NONE", None])
def test_batches_tell_nothing_unasked(dynamodb, simple, items_of, detail):
    (item,) = items_of(100)
    asked = {"ReturnConsumedCapacity": detail} if detail else {}
    written = dynamodb.batch_write_item(RequestItems={simple: [put(item)]}, **asked)
    read = dynamodb.batch_get_item(RequestItems={simple: {"Keys": [{"pk": item["pk"]}]}}, **asked)
    assert "ConsumedCapacity" not in written
    assert "ConsumedCapacity" not in read
