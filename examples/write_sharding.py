"""Write sharding: distributes the writes to one hot partition key over several keys.

A shop keeps its orders by day, to list a day in the order of time. On the day of the great sale
every order goes to one partition key. DynamoDB gives a partition at most 1,000 write units a
second, and keys that only grow all land at the end of the same one: it cannot be split ahead of
them. So the day is written as eight keys, 20261127#0 to 20261127#7, and read as one.

    item     day             order
    ------   -------------   ---------------------
    order    20261127#3      20261127T080000.137-4

    access pattern                     request
    --------------------------------   ---------------------------------------------
    place an order                     PutItem, to the shard of its number
    order by its number                GetItem: the number says the day and the shard
    orders of a day between two times  8 Query in parallel, merged

The shard is calculated from the order's number, not drawn at random. Both spread the writes, but
only what can be calculated again lets one order be read by one GetItem. The number begins with
the time, so each shard is in order, and merging eight sorted lists gives the day in order.

The price stands in the last row: a read of the day is eight requests. Take as many shards as the
peak of writes asks for, no more; and changing their number later moves every order.
"""

import heapq
import itertools
import zlib
from collections import Counter

from boto3.dynamodb.conditions import Attr, Key

from playground import in_parallel, temporary_table

KEY = ("day", "order")
SHARDS = 8
"""Room for about 8,000 orders of up to 1 KB a second."""


def key_of(order):
    """The key of an order, from its number alone."""
    shard = zlib.crc32(order.encode()) % SHARDS
    return {"day": f"{order[:8]}#{shard}", "order": order}


def place(table, order, total):
    """Puts a new order; an order that is there already is a mistake."""
    table.put_item(
        Item=key_of(order) | {"total": total}, ConditionExpression=Attr("order").not_exists()
    )


def order_by_number(table, order):
    """One order, one GetItem, or None."""
    return table.get_item(Key=key_of(order)).get("Item")


def orders_between(table, day, start, end):
    """Orders of a day between two times such as 080000 and 083000, in order of time."""

    def one_shard(own, shard):
        low, high = f"{day}T{start}", f"{day}T{end}"
        condition = Key("day").eq(f"{day}#{shard}") & Key("order").between(low, high)
        request = {"KeyConditionExpression": condition}
        items = []
        while True:
            page = own.query(**request)
            items += page["Items"]
            if "LastEvaluatedKey" not in page:
                return items
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    shards = in_parallel(table, SHARDS, one_shard)
    return list(heapq.merge(*shards, key=lambda item: item["order"]))


def number(till, count):
    """The number of the next order at a till; a shop would have them made by a ULID."""
    seconds, thousandths = divmod(count * 1370 + till * 7, 1000)
    minutes, seconds = divmod(seconds, 60)
    return f"20261127T08{minutes:02}{seconds:02}.{thousandths:03}-{till}"


def main(table):
    """Eight tills sell for half a minute, all at once."""

    def till(own, this):
        numbers = [number(this, count) for count in range(25)]
        for count, order in enumerate(numbers):
            place(own, order, total=19 + 7 * count % 40)
        return numbers

    sold = sorted(itertools.chain.from_iterable(in_parallel(table, 8, till)))
    found = [item["order"] for item in orders_between(table, "20261127", "080000", "090000")]
    assert found == sold, "an order was lost, or is out of order"
    print(f"{len(sold)} orders written by 8 threads, {len(found)} read back, in order of time")
    spread = Counter(key_of(order)["day"] for order in sold)
    print("Orders in each shard:", [spread[f"20261127#{shard}"] for shard in range(SHARDS)])
    print("One of them, by one GetItem:", order_by_number(table, sold[100]))
    early = orders_between(table, "20261127", "080000", "080005")
    print(f"{len(early)} orders in the first five seconds")


if __name__ == "__main__":
    with temporary_table("sale", KEY) as sale:
        main(sale)
