"""What writes do to entries, and what that costs: by the larger image, twice where it moves."""

import uuid

import pytest

from tests.api.indexes import attributes, index_of, projected, schema

KB = 1024


@pytest.fixture(scope="module")
def table(dynamodb):
    """A table with indexes that hold keys, something, and everything, of items that have `g`."""
    name = f"index-writes-{uuid.uuid4()}"
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=attributes(pk="S", sk="S", g="S", n="N"),
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[
            index_of("keys", "g", **projected("KEYS_ONLY")),
            index_of("some", "g", sort=("n",), **projected("INCLUDE", "kept")),
        ],
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("n",))],
    )
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.fixture
def updated(dynamodb, table, pk):
    """Updates the one item of a test; gives the cost of the table and of each index."""

    def update(expression, **values):
        more = {"ExpressionAttributeValues": {f":{name}": each for name, each in values.items()}}
        answer = dynamodb.update_item(
            TableName=table,
            Key={"pk": {"S": pk}, "sk": {"S": "s"}},
            UpdateExpression=expression,
            ReturnConsumedCapacity="INDEXES",
            **(more if values else {}),
        )
        return units(answer["ConsumedCapacity"])

    return update


def units(consumed):
    """The arms of a ConsumedCapacity, which must add up."""
    arms = {"table": consumed["Table"]["CapacityUnits"]}
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for name, arm in consumed.get(member, {}).items():
            arms[name] = arm["CapacityUnits"]
    assert consumed["CapacityUnits"] == sum(arms.values())
    return arms


def text(kilobytes):
    return {"S": "x" * (kilobytes * KB)}


# One item from its first entry to its last. Source: Developer Guide, "Provisioned throughput
# considerations for global secondary indexes".
def test_what_each_step_of_an_item_costs(updated):
    # Without keys of indexes there are no entries.
    assert updated("SET spare = :o", o={"S": "o"}) == {"table": 1.0}
    # An entry is made where all keys are there.
    assert updated("SET g = :g", g={"S": "g"}) == {"table": 1.0, "keys": 1.0}
    made = updated("SET n = :n, kept = :k", n={"N": "1"}, k=text(1))
    assert made == {"table": 2.0, "some": 2.0, "local": 2.0}
    # What an index does not project, it does not pay for.
    assert updated("SET spare = :o", o=text(2)) == {"table": 4.0, "local": 4.0}
    # The larger of both images counts.
    assert updated("SET kept = :k", k={"S": "k"}) == {"table": 4.0, "some": 2.0, "local": 4.0}
    # What does not change costs the table alone.
    assert updated("SET kept = :k", k={"S": "k"}) == {"table": 3.0}
    # An entry that moves is deleted and put.
    assert updated("SET n = :n", n={"N": "2"}) == {"table": 3.0, "some": 2.0, "local": 6.0}
    moved = updated("SET g = :g", g={"S": "other"})
    assert moved == {"table": 3.0, "keys": 2.0, "some": 2.0, "local": 3.0}
    # One that goes is deleted.
    assert updated("REMOVE g") == {"table": 3.0, "keys": 1.0, "some": 1.0, "local": 3.0}
    assert updated("REMOVE n") == {"table": 3.0, "local": 3.0}
    assert updated("REMOVE spare") == {"table": 3.0}


def test_what_a_delete_costs_in_indexes(dynamodb, table, pk):
    item = {"pk": {"S": pk}, "sk": {"S": "s"}, "g": {"S": "g"}, "n": {"N": "1"}, "other": text(2)}
    request = {"TableName": table, "ReturnConsumedCapacity": "INDEXES"}
    put = units(dynamodb.put_item(Item=item, **request)["ConsumedCapacity"])
    assert put == {"table": 3.0, "keys": 1.0, "some": 1.0, "local": 3.0}
    key = {"pk": item["pk"], "sk": item["sk"]}
    for expected in (put, {"table": 1.0}):
        deleted = dynamodb.delete_item(Key=key, **request)
        assert units(deleted["ConsumedCapacity"]) == expected


# A batch adds up what its writes cost in each index.
def test_what_a_batch_costs_in_indexes(dynamodb, table, pk):
    items = [
        {"pk": {"S": pk}, "sk": {"S": str(number)}, "g": {"S": pk}, "n": {"N": "1"}}
        for number in range(3)
    ]
    puts = [{"PutRequest": {"Item": item}} for item in items]
    keys = [{"pk": item["pk"], "sk": item["sk"]} for item in items]
    deletes = [{"DeleteRequest": {"Key": key}} for key in keys]
    for requests in (puts, deletes):
        answer = dynamodb.batch_write_item(
            RequestItems={table: requests}, ReturnConsumedCapacity="INDEXES"
        )
        (consumed,) = answer["ConsumedCapacity"]
        assert units(consumed) == {"table": 3.0, "keys": 3.0, "some": 3.0, "local": 3.0}


# A refused write leaves entries as they were, and costs them nothing.
def test_a_failed_condition_changes_no_entry(dynamodb, table, pk):
    item = {"pk": {"S": pk}, "sk": {"S": "s"}, "g": {"S": pk}}
    dynamodb.put_item(TableName=table, Item=item)
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        dynamodb.put_item(
            TableName=table,
            Item={**item, "g": {"S": "other"}},
            ConditionExpression="attribute_not_exists(pk)",
        )
    found = dynamodb.query(
        TableName=table,
        IndexName="keys",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": {"S": pk}},
    )
    assert found["Items"] == [item]
