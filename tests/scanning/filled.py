"""Tables of the tests, and what is in them."""

import base64


def make(client, name="orders", *, sk=None, **more):
    keys = [("pk", "S", "HASH"), *([("sk", sk, "RANGE")] if sk else [])]
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": kind} for key, kind, _ in keys
        ],
        KeySchema=[{"AttributeName": key, "KeyType": role} for key, _, role in keys],
        **more,
    )


def put(client, items, name="orders"):
    for item in items:
        client.put_item(TableName=name, Item=item)


def numbered(count):
    """Items whose numbers name them, every third of them open."""
    return [
        {
            "pk": {"S": f"order-{number:04}"},
            "number": {"N": str(number)},
            "status": {"S": "OPEN" if number % 3 == 0 else "DONE"},
        }
        for number in range(count)
    ]


def items_in(client, name="orders"):
    pages = client.get_paginator("scan").paginate(TableName=name, ConsistentRead=True)
    found = [item for page in pages for item in page["Items"]]
    return sorted(found, key=lambda item: repr(sorted(item.items())))


def typed(value):
    """A value of boto3 as JSON has it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {name: typed(each) for name, each in value.items()}
    if isinstance(value, list):
        return [typed(each) for each in value]
    return value
