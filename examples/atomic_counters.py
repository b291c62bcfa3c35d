"""Atomic counters: the server adds, so that no increment is lost.

Reading a number, adding one and writing it back loses counts as soon as two clients do it at once.
An UpdateItem says what to add instead, and DynamoDB applies the updates of an item one after
another.

    item      name                  attributes
    -------   -------------------   ------------
    views     VIEWS#/pricing        total
    tickets   TICKETS#jazz-night    available
    numbers   NUMBERS#invoice       last

    what                          request
    ---------------------------   --------------------------------------------------------
    count a view                  UpdateItem  ADD total 1; a new item begins at 0
    sell one, never more          UpdateItem  SET available = available - 1 IF available >= 1
    take the next number          UpdateItem  ADD last 1, ReturnValues UPDATED_NEW

An increment is not idempotent. If the answer is lost on the way, the SDK sends the request again,
and it may count twice: good enough for views. A sale must not be counted twice: give it a key of
its own (unique_constraints.py), or a transaction with a client token. And one item takes at most
1,000 write units a second: a counter that is hotter is kept in several items and summed
(write_sharding.py).
"""

from boto3.dynamodb.conditions import Attr

from playground import in_parallel, temporary_table

KEY = ("name",)
PRICING, JAZZ, INVOICE = "VIEWS#/pricing", "TICKETS#jazz-night", "NUMBERS#invoice"


def lose_a_view(table, page):
    """The mistake, slowly: two readers see the same number, both write the same sum."""
    table.put_item(Item={"name": page, "total": 41})
    ada = table.get_item(Key={"name": page})["Item"]["total"]
    ben = table.get_item(Key={"name": page})["Item"]["total"]
    table.put_item(Item={"name": page, "total": ada + 1})
    table.put_item(Item={"name": page, "total": ben + 1})
    return counted(table, page)


def count_view(table, page):
    """One more, whatever it is now, and even if there is no item yet."""
    table.update_item(
        Key={"name": page},
        UpdateExpression="ADD #total :one",
        ExpressionAttributeNames={"#total": "total"},
        ExpressionAttributeValues={":one": 1},
    )


def counted(table, page):
    """The views of a page."""
    item = table.get_item(Key={"name": page}, ConsistentRead=True).get("Item", {"total": 0})
    return int(item["total"])


def sell(table, concert, seats=1):
    """Takes seats if so many are left; False if not. Never below zero, however many ask."""
    try:
        table.update_item(
            Key={"name": concert},
            UpdateExpression="SET available = available - :seats",
            ConditionExpression=Attr("available").gte(seats),
            ExpressionAttributeValues={":seats": seats},
        )
    except table.meta.client.exceptions.ConditionalCheckFailedException:
        return False
    return True


def next_number(table, series):
    """A number that nobody else gets; whoever takes one and then fails leaves a gap."""
    updated = table.update_item(
        Key={"name": series},
        UpdateExpression="ADD #last :one",
        ExpressionAttributeNames={"#last": "last"},
        ExpressionAttributeValues={":one": 1},
        ReturnValues="UPDATED_NEW",
    )
    return int(updated["Attributes"]["last"])


def main(table):
    """The mistake, then eight threads that do it right."""
    print("41 views and two more, read and written back:", lose_a_view(table, "VIEWS#/about"))

    def visitors(own, _):
        for _ in range(25):
            count_view(own, PRICING)

    in_parallel(table, 8, visitors)
    assert counted(table, PRICING) == 200, "views were lost"
    print("Eight threads, 25 views each:", counted(table, PRICING))

    table.put_item(Item={"name": JAZZ, "available": 100})
    sold = sum(in_parallel(table, 8, lambda own, _: sum(sell(own, JAZZ) for _ in range(20))))
    left = table.get_item(Key={"name": JAZZ}, ConsistentRead=True)["Item"]["available"]
    assert (sold, left) == (100, 0), "sold what was not there"
    print(f"160 buyers for 100 tickets: {sold} sold, {left} left")

    numbers = in_parallel(table, 4, lambda own, _: [next_number(own, INVOICE) for _ in range(10)])
    taken = sorted(number for some in numbers for number in some)
    assert taken == list(range(1, 41)), "a number was given twice, or left out"
    print(f"Invoice numbers taken by 4 threads: {taken[0]} to {taken[-1]}, each once")


if __name__ == "__main__":
    with temporary_table("counters", KEY) as counters:
        main(counters)
