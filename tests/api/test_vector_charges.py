"""What writes and reads of tables with vector indexes are charged."""

import pytest

from tests.api.refusals import refusal
from tests.api.vectors import listed, made, vector_index

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
