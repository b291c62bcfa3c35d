"""ConsumedCapacity and ItemCollectionMetrics of transactions. Source of all: G.1, G.2."""

import pytest

from tests.api.indexes import index_of, projected
from tests.api.items import padding
from tests.api.transactions import check, delete, get, put, reasons, update
from tests.copied_pages import fresh


@pytest.fixture
def sized(dynamodb, simple, pk):
    """Puts an item of so many bytes under a key of its own, and gives the item."""

    def made(size, *, stored=True):
        key = {"pk": {"S": f"{pk}-{size:07}"}}
        item = {**key, "a": padding(size - len(f"pk{key['pk']['S']}a"))}
        if stored:
            dynamodb.put_item(TableName=simple, Item=item)
        return item

    return made


def key_of(item):
    return {"pk": item["pk"]}


def consumed(table, kind, units, **more):
    return {"TableName": table, "CapacityUnits": units, f"{kind}CapacityUnits": units, **more}


# Twice what each write would cost alone; a check costs as a write.
def test_writes(dynamodb, simple, composite, pk, sized):
    small, middle, large = sized(1024), sized(1025), sized(3000)
    row = {"pk": {"S": pk}, "sk": {"S": "a"}}
    actions = [
        put(simple, sized(2000, stored=False)),  # 2
        delete(simple, key_of(large)),  # 3
        check(simple, key_of(middle), "attribute_exists(pk)"),  # 2
        update(simple, key_of(small), "SET b = pk"),  # 2
        put(composite, row),
        check(composite, {**row, "sk": {"S": "b"}}, "attribute_not_exists(pk)"),
    ]
    total = dynamodb.transact_write_items(TransactItems=actions, ReturnConsumedCapacity="TOTAL")
    assert total["ConsumedCapacity"] == [
        consumed(simple, "Write", 18.0),
        consumed(composite, "Write", 4.0),
    ]
    again = [check(simple, key_of(middle), "attribute_exists(pk)")]
    split = dynamodb.transact_write_items(TransactItems=again, ReturnConsumedCapacity="INDEXES")
    table = {"CapacityUnits": 4.0, "WriteCapacityUnits": 4.0}
    assert split["ConsumedCapacity"] == [consumed(simple, "Write", 4.0, Table=table)]


# Not asked for, not told.
@pytest.mark.parametrize("asked", [{}, {"ReturnConsumedCapacity": "NONE"}])
def test_not_asked_for(dynamodb, simple, sized, asked):
    item = sized(100)
    assert "ConsumedCapacity" not in dynamodb.transact_write_items(
        TransactItems=[put(simple, item)], **asked
    )
    assert "ConsumedCapacity" not in dynamodb.transact_get_items(
        TransactItems=[get(simple, key_of(item))], **asked
    )


# A table is told as it was named, and in the order of first use.
def test_names(dynamodb, simple, composite, pk):
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    actions = [
        put(composite, {"pk": {"S": pk}, "sk": {"S": "a"}}),
        put(arn, {"pk": {"S": pk}}),
        put(simple, {"pk": {"S": pk + "-"}}),
    ]
    told = dynamodb.transact_write_items(TransactItems=actions, ReturnConsumedCapacity="TOTAL")
    assert [each["TableName"] for each in told["ConsumedCapacity"]] == [composite, arn, simple]


# Reads of 4 KB, twice; nothing costs as much as something small.
def test_reads(dynamodb, simple, composite, pk, sized):
    gets = [
        get(simple, key_of(sized(4096))),
        get(simple, key_of(sized(4097))),
        get(composite, {"pk": {"S": pk}, "sk": {"S": "a"}}),
        get(simple, {"pk": {"S": pk}}),
    ]
    told = dynamodb.transact_get_items(TransactItems=gets, ReturnConsumedCapacity="TOTAL")
    assert told["ConsumedCapacity"] == [
        consumed(simple, "Read", 8.0),
        consumed(composite, "Read", 2.0),
    ]


# The arms of indexes are paid once.
def test_indexes(dynamodb, new_table):
    table = new_table(
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "g")],
        GlobalSecondaryIndexes=[index_of("by-g", "g", **projected("KEYS_ONLY"))],
    )
    actions = [put(table, {"pk": {"S": n}, "g": {"S": "x"}, "a": padding(1500)}) for n in "ab"]
    told = dynamodb.transact_write_items(TransactItems=actions, ReturnConsumedCapacity="INDEXES")
    table_units = {"CapacityUnits": 8.0, "WriteCapacityUnits": 8.0}
    index_units = {"CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}
    assert told["ConsumedCapacity"] == [
        consumed(
            table, "Write", 10.0, Table=table_units, GlobalSecondaryIndexes={"by-g": index_units}
        )
    ]


# A transaction that is cancelled costs all the same, which metrics alone can tell: twice the items
# that are there, not those that would have been. Source: CloudWatch's figures, September 2026.
def test_cancelled(dynamodb, endpoint, new_table):
    table = new_table()
    for name, size in (("large", 2500), ("shrinks", 4500), ("grows", 100)):
        dynamodb.put_item(TableName=table, Item={"pk": {"S": name}, "a": padding(size)})
    before = units(endpoint, table)
    reasons(
        dynamodb.transact_write_items,
        check(table, {"pk": {"S": "large"}}, "attribute_not_exists(pk)"),
        put(table, {"pk": {"S": "new"}, "a": padding(1500)}),
        put(table, {"pk": {"S": "shrinks"}}),
        put(table, {"pk": {"S": "grows"}, "a": padding(9000)}),
        ReturnConsumedCapacity="TOTAL",
    )
    assert units(endpoint, table) - before == 2 * (3 + 1 + 5 + 1)


def units(endpoint, table):
    """Write units that transactions have consumed on a table."""
    lines = fresh(f"{endpoint}/metrics").splitlines()
    return sum(
        float(line.split()[-1])
        for line in lines
        if line.startswith("hashrange_consumed_write_units_total{")
        and f'"{table}"' in line
        and '"TransactWriteItems"' in line
    )


# G.6: each collection once, by its table; a check writes nothing into one.
def test_item_collections(dynamodb, new_table):
    schema = [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "l", "KeyType": "RANGE"},
    ]
    table = new_table(
        sk="S",
        AttributeDefinitions=[
            {"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", "l")
        ],
        LocalSecondaryIndexes=[
            {"IndexName": "by-l", "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
        ],
    )
    row = {"pk": {"S": "a"}, "sk": {"S": "1"}}
    actions = [
        put(table, row),
        put(table, {**row, "sk": {"S": "2"}}),
        put(table, {**row, "pk": {"S": "b"}}),
        check(table, {**row, "pk": {"S": "c"}}, "attribute_not_exists(pk)"),
    ]
    told = dynamodb.transact_write_items(TransactItems=actions, ReturnItemCollectionMetrics="SIZE")
    assert told["ItemCollectionMetrics"] == {
        table: [
            {"ItemCollectionKey": {"pk": {"S": pk}}, "SizeEstimateRangeGB": [0.0, 1.0]}
            for pk in "ab"
        ]
    }
