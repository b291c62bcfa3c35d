"""Transactions and streams: each item that was written has its record, as after a single write."""

from tests.api.items import values
from tests.api.streams import arn_of, changes_of, streaming
from tests.api.transactions import check, delete, put, reasons, update

KEYS = [{"pk": {"S": letter}} for letter in "abcd"]


# H: the items of a transaction come one by one; what was only checked, or did not change, does not.
def test_records(dynamodb, streams, new_table):
    table = new_table(**streaming())
    for key in KEYS[1:]:
        dynamodb.put_item(TableName=table, Item={**key, "n": {"N": "1"}})
    actions = [
        put(table, KEYS[0]),
        update(table, KEYS[1], "SET n = :n", ExpressionAttributeValues=values(n={"N": "2"})),
        delete(table, KEYS[2]),
        check(table, KEYS[3], "attribute_exists(pk)"),
    ]
    for _ in range(2):  # the second time it is known
        dynamodb.transact_write_items(TransactItems=actions, ClientRequestToken="a-token")
    reasons(
        dynamodb.transact_write_items,
        put(table, {"pk": {"S": "e"}}),
        check(table, KEYS[0], "a = b"),
    )
    dynamodb.transact_write_items(TransactItems=[put(table, KEYS[0])])
    records = changes_of(streams, arn_of(dynamodb, table))[3:]
    told = {
        record["dynamodb"]["Keys"]["pk"]["S"]: (
            record["eventName"],
            record["dynamodb"].get("OldImage", {}).get("n"),
            record["dynamodb"].get("NewImage", {}).get("n"),
        )
        for record in records
    }
    one, two = {"N": "1"}, {"N": "2"}
    assert len(records) == 3
    assert told == {
        "a": ("INSERT", None, None),
        "b": ("MODIFY", one, two),
        "c": ("REMOVE", one, None),
    }
