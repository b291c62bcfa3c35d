"""What writes and reads of tables with vector indexes are charged."""

import uuid

import pytest

from tests.api.backups import backed_up, restored
from tests.api.refusals import refusal
from tests.api.vectors import listed, made, search_schema, vector_index
from tests.pace import until

WIDE = "12345678901234567890123456789012345678"
"""As an element of a list it has 20 bytes, in a vector of an index 4."""
FIXED_BYTES = len("pkaaembpad") + 3 * 4
"""Of the items of these tests, besides their padding."""


# Measured: the entry's size, with 4 bytes a dimension, at least 1,024; only where it changes.
def test_writes_are_charged_by_the_change_of_the_entry(dynamodb):
    keys = {"ProjectionType": "KEYS_ONLY"}
    name = made(dynamodb, vector_index("all"), vector_index("keys", Projection=keys))

    def charged(**attributes):
        item = {"pk": {"S": "ab"}, "emb": listed(1, 0, 0), **attributes}
        answer = dynamodb.put_item(TableName=name, Item=item, ReturnConsumedCapacity="INDEXES")
        capacity = answer["ConsumedCapacity"]
        return {
            index: each["VectorWriteRequestBytes"]
            for index, each in capacity.get("VectorIndexes", {}).items()
        }

    assert charged(note={"S": "x"}) == {"all": 1024.0, "keys": 1024.0}
    assert charged(note={"S": "y"}) == {"all": 1024.0}
    assert charged(note={"S": "y"}) == {}
    assert charged(blob={"S": "x" * 1500}) == {"all": 2 + 2 + 3 + 12 + 4 + 1500.0}
    total = dynamodb.put_item(
        TableName=name,
        Item={"pk": {"S": "t"}, "emb": listed(0, 0, 1)},
        ReturnConsumedCapacity="TOTAL",
    )
    assert total["ConsumedCapacity"] == {"TableName": name, "CapacityUnits": 1.0}
    dynamodb.delete_table(TableName=name)


# Measured: 38 digits are 20 bytes in a list, and 4 in a vector of an index.
def test_a_vector_of_an_index_is_charged_at_four_bytes_a_dimension(dynamodb):
    table = made(dynamodb, vector_index())
    for size, units in ((1024, 1.0), (1025, 2.0)):
        item = {
            "pk": {"S": "aa"},
            "emb": listed(WIDE, WIDE, WIDE),
            "pad": {"S": "x" * (size - FIXED_BYTES)},
        }
        for _ in range(2):
            answer = dynamodb.put_item(TableName=table, Item=item, ReturnConsumedCapacity="TOTAL")
            assert answer["ConsumedCapacity"]["CapacityUnits"] == units
    dynamodb.delete_table(TableName=table)


# Measured in October 2026: reads are charged as writes are; 0.5 units up to 4 KB.
def test_reads_charge_a_vector_of_an_index_at_four_bytes_a_dimension(dynamodb):
    table = made(dynamodb, vector_index())
    key = {"pk": {"S": "aa"}}
    for size, units in ((4096, 0.5), (4097, 1.0)):
        item = {**key, "emb": listed(WIDE, WIDE, WIDE), "pad": {"S": "x" * (size - FIXED_BYTES)}}
        dynamodb.put_item(TableName=table, Item=item)
        get = {"TableName": table, "Key": key, "ReturnConsumedCapacity": "TOTAL"}
        scan = {"TableName": table, "ReturnConsumedCapacity": "TOTAL"}
        batch = {"RequestItems": {table: {"Keys": [key]}}, "ReturnConsumedCapacity": "TOTAL"}
        both = [{"Get": {"TableName": table, "Key": key}}]
        condition = {
            "KeyConditionExpression": "pk = :k",
            "ExpressionAttributeValues": {":k": {"S": "aa"}},
        }
        statement = {
            "Statement": f"SELECT * FROM \"{table}\" WHERE pk = 'aa'",
            "ReturnConsumedCapacity": "TOTAL",
        }
        one, many = {"Statement": statement["Statement"]}, {"ReturnConsumedCapacity": "TOTAL"}
        answers = [
            dynamodb.get_item(**get),
            dynamodb.query(**scan, **condition),
            dynamodb.scan(**scan),
            dynamodb.execute_statement(**statement),
            dynamodb.batch_get_item(**batch),
            dynamodb.batch_execute_statement(Statements=[one], **many),
            dynamodb.transact_get_items(TransactItems=both, **many),
        ]
        found = [answer["ConsumedCapacity"] for answer in answers]
        charged = [each[0] if isinstance(each, list) else each for each in found]
        assert [each["CapacityUnits"] for each in charged] == [units] * 6 + [4 * units]
    dynamodb.delete_table(TableName=table)


# Measured: an element of a list is one byte and the number, the list three.
def test_the_largest_item_has_its_vector_as_a_list(dynamodb):
    table = made(dynamodb, vector_index())
    stored_bytes = FIXED_BYTES - 3 * 4 + 3 + 3 * (1 + 20)
    item = {"pk": {"S": "aa"}, "emb": listed(WIDE, WIDE, WIDE)}
    padding = "x" * (400 * 1024 - stored_bytes)
    dynamodb.put_item(TableName=table, Item={**item, "pad": {"S": padding}})
    code, text = refusal(
        dynamodb.put_item, TableName=table, Item={**item, "pad": {"S": f"{padding}x"}}
    )
    assert code == "ValidationException"
    assert text == "Item size has exceeded the maximum allowed size"
    dynamodb.delete_table(TableName=table)


# A page ends with the item that brings what is charged to 1 MB: vectors as lists are larger, or
# smaller, than at 4 bytes a dimension.
@pytest.mark.parametrize(
    ("dimensions", "number", "items", "counts"),
    [(1000, WIDE, 100, [100]), (4096, "1", 80, [64, 16])],
)
def test_pages_count_vectors_at_four_bytes_a_dimension(dynamodb, dimensions, number, items, counts):
    table = made(dynamodb, vector_index(Dimensions=dimensions))
    vector = listed(*[number] * dimensions)
    for first in range(0, items, 20):
        puts = [
            {"PutRequest": {"Item": {"pk": {"S": str(each)}, "emb": vector}}}
            for each in range(first, first + 20)
        ]
        dynamodb.batch_write_item(RequestItems={table: puts})
    scan = {"TableName": table, "ProjectionExpression": "pk"}
    pages = dynamodb.get_paginator("scan").paginate(**scan)
    assert [page["Count"] for page in pages] == counts
    statement = f'SELECT pk FROM "{table}"'
    answer = dynamodb.execute_statement(Statement=statement)
    assert len(answer["Items"]) == counts[0]
    dynamodb.delete_table(TableName=table)


def table_bytes(dynamodb, table):
    return dynamodb.describe_table(TableName=table)["Table"]["TableSizeBytes"]


# Measured: a vector of an index has 4 bytes a dimension, here 12 in place of 66; other lists, and
# vectors that no index has, are lists.
def test_the_size_of_a_table_has_vectors_at_four_bytes_a_dimension(dynamodb):
    wide = listed(WIDE, WIDE, WIDE)
    one, two = vector_index("one"), vector_index("two", **search_schema(by="kind"))
    table = made(dynamodb, one, two, kind="S")

    def put(key, **attributes):
        dynamodb.put_item(TableName=table, Item={"pk": {"S": key}, **attributes})

    sizes = []
    for attributes in (
        {"emb": wide, "kind": {"S": "x"}},
        {"emb": wide},
        {"emb": listed(1, 0, 0)},
        {"other": wide},
        {},
    ):
        put("a", **attributes)
        sizes.append(table_bytes(dynamodb, table))
    vector, key = 3 + 12, 3
    assert sizes == [key + vector + 5, key + vector, key + vector, key + 5 + 66, key]
    put("a", emb=wide)
    put("b", emb=wide, kind={"S": "y"})
    set_kind = {
        "UpdateExpression": "SET kind = :k",
        "ExpressionAttributeValues": {":k": {"S": "x"}},
    }
    dynamodb.update_item(TableName=table, Key={"pk": {"S": "a"}}, **set_kind)
    assert table_bytes(dynamodb, table) == 2 * (key + vector + 5)
    dynamodb.delete_item(TableName=table, Key={"pk": {"S": "a"}})
    assert table_bytes(dynamodb, table) == key + vector + 5
    dynamodb.delete_table(TableName=table)


# An index that is created brings 4 bytes a dimension, and the last that is deleted takes them away;
# copies and backups have the size of their indexes.
def test_the_size_follows_the_vector_indexes(dynamodb):
    table = made(dynamodb)
    wide = listed(WIDE, WIDE, WIDE)
    for key in "abc":
        dynamodb.put_item(TableName=table, Item={"pk": {"S": key}, "emb": wide})
    listed_bytes, vector_bytes = 3 * (3 + 3 + 66), 3 * (3 + 3 + 12)
    assert table_bytes(dynamodb, table) == listed_bytes
    for name in ("one", "two"):
        create = [{"Create": vector_index(name)}]
        dynamodb.update_table(TableName=table, VectorIndexUpdates=create)
        until(lambda: is_active(dynamodb, table))
        assert table_bytes(dynamodb, table) == vector_bytes
    arn = backed_up(dynamodb, table)
    backup = dynamodb.describe_backup(BackupArn=arn)["BackupDescription"]
    assert backup["SourceTableDetails"]["TableSizeBytes"] == vector_bytes
    for override, size in (({}, vector_bytes), ({"VectorIndexOverride": []}, listed_bytes)):
        target = f"r-{uuid.uuid4()}"
        dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=arn, **override)
        assert restored(dynamodb, target)["TableSizeBytes"] == size
        dynamodb.delete_table(TableName=target)
    dynamodb.delete_backup(BackupArn=arn)
    for name, size in (("one", vector_bytes), ("two", listed_bytes)):
        delete = [{"Delete": {"IndexName": name}}]
        dynamodb.update_table(TableName=table, VectorIndexUpdates=delete)
        assert table_bytes(dynamodb, table) == size
        until(lambda: is_active(dynamodb, table))
        assert table_bytes(dynamodb, table) == size
    dynamodb.delete_table(TableName=table)


def is_active(dynamodb, table):
    shown = dynamodb.describe_table(TableName=table)["Table"]
    indexes = shown.get("VectorIndexes", [])
    return {shown["TableStatus"], *[each["IndexStatus"] for each in indexes]} == {"ACTIVE"}
