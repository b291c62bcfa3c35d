"""What the Python client of DAX sees of a server; run by pytest. Its argument is the endpoint."""

import json
import sys

from amazondax import AmazonDaxClient
from botocore.exceptions import ClientError

client = AmazonDaxClient(endpoint_url=sys.argv[1], region_name="us-east-1")

KINDS = {
    "pk": {"S": "kinds"},
    "s": {"S": "ü"},
    "n": {"N": "-12345678901234567890.5"},
    "b": {"B": b"\x00\xff"},
    "t": {"BOOL": True},
    "z": {"NULL": True},
    "l": {"L": [{"N": "1"}, {"M": {"x": {"S": "deep"}, "y": {"L": []}}}, {"S": ""}]},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": [b"a", b"b"]},
}


def refusal(call, **members):
    """The name and the text of the error of a call."""
    try:
        call(**members)
    except ClientError as error:
        return [error.response["Error"]["Code"], error.response["Error"]["Message"]]
    return None


def items():
    """Single items."""
    key = {"pk": {"S": "kinds"}}
    client.put_item(TableName="flat", Item=KINDS)
    got = client.get_item(TableName="flat", Key=key)["Item"]
    missing = client.get_item(TableName="flat", Key={"pk": {"S": "none"}})
    part = client.get_item(
        TableName="flat",
        Key=key,
        ProjectionExpression="#s, l[1].x, l[2]",
        ExpressionAttributeNames={"#s": "s"},
    )["Item"]
    updated = client.update_item(
        TableName="flat",
        Key=key,
        UpdateExpression="SET o = :o, c = if_not_exists(c, :one) + :one REMOVE ss ADD v :one",
        ConditionExpression=(
            "attribute_exists(pk) AND (n < :one OR size(l) > :one) AND NOT t = :one"
        ),
        ExpressionAttributeValues={":o": {"M": {"q": {"N": "7.50"}}}, ":one": {"N": "1"}},
        ReturnValues="UPDATED_NEW",
    )["Attributes"]
    nested = client.update_item(
        TableName="flat",
        Key=key,
        UpdateExpression="SET o.q = :i",
        ExpressionAttributeValues={":i": {"N": "9"}},
        ReturnValues="UPDATED_NEW",
    )["Attributes"]
    old = client.delete_item(TableName="flat", Key=key, ReturnValues="ALL_OLD")["Attributes"]
    return {
        "same": got == KINDS,
        "missing": "Item" not in missing,
        "part": [part["s"]["S"], part["l"]["L"][0]["M"]["x"]["S"], part["l"]["L"][1]["S"]],
        "updated": [updated["o"]["M"]["q"]["N"], updated["c"]["N"], updated["v"]["N"]],
        "nested": [sorted(nested), nested["o"]["M"]["q"]["N"]],
        "old": [old["pk"]["S"], old["v"]["N"], "ss" in old],
    }


def pages():
    """Query and Scan; the table has ten items of one partition."""
    between = client.query(
        TableName="sorted",
        KeyConditionExpression="pk = :p AND sk BETWEEN :low AND :high",
        FilterExpression="v IN (:a, :b)",
        ExpressionAttributeValues={
            ":p": {"S": "p"},
            ":low": {"N": "2"},
            ":high": {"N": "7.5"},
            ":a": {"N": "3"},
            ":b": {"N": "5"},
        },
        ScanIndexForward=False,
        ReturnConsumedCapacity="TOTAL",
    )
    found, start = [], {}
    while True:
        page = client.query(
            TableName="sorted",
            IndexName="by-g",
            KeyConditionExpression="g = :g",
            ExpressionAttributeValues={":g": {"S": "even"}},
            ProjectionExpression="sk",
            Limit=2,
            **start,
        )
        found.append([item["sk"]["N"] for item in page["Items"]])
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    scanned, start = [], {}
    while True:
        page = client.scan(TableName="sorted", Limit=4, **start)
        scanned.append(page["Count"])
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    counted = client.scan(TableName="sorted", Select="COUNT")
    return {
        "between": [item["sk"]["N"] for item in between["Items"]],
        "counts": [between["Count"], between["ScannedCount"]],
        "units": between["ConsumedCapacity"]["CapacityUnits"],
        "index": found,
        "scan": scanned,
        "count": counted["Count"],
    }


def batches():
    """BatchWriteItem and BatchGetItem."""
    writes = [
        {"PutRequest": {"Item": {"pk": {"S": f"b{number}"}, "v": {"N": str(number)}}}}
        for number in range(25)
    ]
    written = client.batch_write_item(RequestItems={"flat": writes})
    delete = {"DeleteRequest": {"Key": {"pk": {"S": "b0"}}}}
    client.batch_write_item(RequestItems={"flat": [delete]})
    keys = [{"pk": {"S": f"b{number}"}} for number in range(25)]
    got = client.batch_get_item(
        RequestItems={
            "flat": {"Keys": keys, "ProjectionExpression": "v"},
            "sorted": {"Keys": [{"pk": {"S": "p"}, "sk": {"N": "1"}}], "ConsistentRead": True},
        }
    )
    flat, from_sorted = got["Responses"]["flat"], got["Responses"]["sorted"]
    return {
        "unprocessed": len(written["UnprocessedItems"]) + len(got["UnprocessedKeys"]),
        "sum": sum(int(item["v"]["N"]) for item in flat),
        "found": [len(flat), [item["g"]["S"] for item in from_sorted]],
    }


def transactions():
    """TransactWriteItems and TransactGetItems."""
    put = {"TableName": "flat", "Item": {"pk": {"S": "t1"}, "v": {"N": "1"}}}
    check = {
        "TableName": "sorted",
        "Key": {"pk": {"S": "p"}, "sk": {"N": "1"}},
        "ConditionExpression": "attribute_exists(pk)",
    }
    update = {
        "TableName": "flat",
        "Key": {"pk": {"S": "t2"}},
        "UpdateExpression": "SET v = :v",
        "ExpressionAttributeValues": {":v": {"N": "2"}},
    }
    delete = {"TableName": "flat", "Key": {"pk": {"S": "t3"}}}
    client.transact_write_items(
        TransactItems=[
            {"Put": put},
            {"ConditionCheck": check},
            {"Update": update},
            {"Delete": delete},
        ]
    )
    gets = [
        {"Get": {"TableName": "flat", "Key": {"pk": {"S": name}}}} for name in ("t1", "t2", "t3")
    ]
    got = client.transact_get_items(TransactItems=gets)["Responses"]
    again = {**put, "ConditionExpression": "attribute_not_exists(pk)"}
    cancelled = None
    try:
        client.transact_write_items(TransactItems=[{"Put": again}, {"Delete": delete}])
    except ClientError as error:
        cancelled = error
    # The client has the reasons as they were sent: three parts for each action.
    reasons = None if cancelled is None else list(cancelled.cancellation_reasons[::3])
    return {
        "got": [item["Item"]["v"]["N"] if "Item" in item else None for item in got],
        "reasons": reasons,
    }


def refusals():
    """Errors, by their names and texts."""
    condition = {"ConditionExpression": "attribute_not_exists(pk)"}
    item = {"pk": {"S": "p"}, "sk": {"N": "1"}}
    return {
        "condition": refusal(client.put_item, TableName="sorted", Item=item, **condition),
        "table": refusal(client.get_item, TableName="nothing", Key={"pk": {"S": "a"}})[0],
        "update": refusal(
            client.update_item,
            TableName="flat",
            Key={"pk": {"S": "a"}},
            UpdateExpression="SET pk = :v",
            ExpressionAttributeValues={":v": {"S": "b"}},
        ),
    }


STEPS = (items, pages, batches, transactions, refusals)
sys.stdout.write(json.dumps({step.__name__: step() for step in STEPS}))
client.close()
