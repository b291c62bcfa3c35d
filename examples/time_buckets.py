"""Time series in buckets: the partition key holds a period, the sort key the time.

A greenhouse has sensors that report for years. With the sensor alone as the partition key its
readings would be one collection without end, always written at its newest edge, and the only way
to be rid of the old ones would be to look for them. With the month in the key each collection is
finished some day: it can be archived or dropped as a whole, and its size is known beforehand.

    item       series               at                      attributes
    --------   ------------------   ---------------------   --------------
    reading    G1-NORTH#2026-03     2026-03-02T06:00:00Z    tenths_celsius

    access pattern                     request
    --------------------------------   --------------------------------------------------
    readings between two times         one Query for each month that the range touches
    the latest reading                 Query backwards, Limit 1; an empty month: the one before
    drop a month                       Query for its keys, BatchWriteItem to delete them

How long a bucket: so that the usual question touches one or two, and that what is written to one
at a time stays far below 1,000 write units a second. Days for a busy meter, months for this one,
years for a door. Times are ISO 8601 in UTC, all in the same form: then they sort as text.

If every reading lives equally long, Time to Live (an attribute with the second of its end) deletes
them one by one, and costs no write units. Buckets say the rest: where to look.
"""

import itertools
from datetime import UTC, datetime, timedelta

from boto3.dynamodb.conditions import Key

from playground import temporary_table

KEY = ("series", "at")


def series(sensor, time):
    """The partition key of the bucket that a time falls into."""
    return f"{sensor}#{time:%Y-%m}"


def stamp(time):
    """The sort key: one form for all, or they would not sort."""
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


def months(start, end):
    """The first day of each month from one time to another."""
    month = start.replace(day=1, hour=0, minute=0, second=0)
    while month <= end:
        yield month
        month = (month + timedelta(days=32)).replace(day=1)


def record(batch, sensor, time, tenths):
    """A reading, in tenths of a degree."""
    batch.put_item(
        Item={"series": series(sensor, time), "at": stamp(time), "tenths_celsius": tenths}
    )


def readings(table, sensor, start, end):
    """Readings from start to end, in order: bucket after bucket."""
    for month in months(start, end):
        between = Key("at").between(stamp(start), stamp(end))
        found = table.query(
            KeyConditionExpression=Key("series").eq(series(sensor, month)) & between
        )
        yield from found["Items"]


def latest(table, sensor, now, months_max=12):
    """The newest reading, or None if there was none for so many months."""
    buckets = list(months(now - timedelta(days=31 * months_max), now))
    for month in reversed(buckets[-months_max:]):
        found = table.query(
            KeyConditionExpression=Key("series").eq(series(sensor, month)),
            ScanIndexForward=False,
            Limit=1,
        )
        if found["Items"]:
            return found["Items"][0]
    return None


def drop(table, sensor, month):
    """Deletes a bucket; gives the number of readings that were in it."""
    found = table.query(
        KeyConditionExpression=Key("series").eq(series(sensor, month)),
        ProjectionExpression="#series, #at",
        ExpressionAttributeNames={"#series": "series", "#at": "at"},
    )
    with table.batch_writer() as batch:
        for key in found["Items"]:
            batch.delete_item(Key=key)
    return len(found["Items"])


def main(table):
    """A sensor that reported every six hours, until it fell silent in March."""
    first, last = datetime(2026, 1, 20, tzinfo=UTC), datetime(2026, 3, 9, 18, tzinfo=UTC)
    with table.batch_writer() as batch:
        for step in itertools.count():
            time = first + step * timedelta(hours=6)
            if time > last:
                break
            record(batch, "G1-NORTH", time, tenths=(140, 155, 228, 190)[time.hour // 6])
    print(f"{step} readings")

    start, end = datetime(2026, 1, 31, 12, tzinfo=UTC), datetime(2026, 2, 1, 6, tzinfo=UTC)
    print("Over the end of January:")
    for item in readings(table, "G1-NORTH", start, end):
        print(f"  {item['series']}  {item['at']}  {item['tenths_celsius'] / 10} °C")
    now = datetime(2026, 5, 15, tzinfo=UTC)
    print("The latest, asked for in May:", latest(table, "G1-NORTH", now)["at"])
    print("Dropped with January:", drop(table, "G1-NORTH", first), "readings")
    print("Left in the table:", table.scan(Select="COUNT")["Count"])


if __name__ == "__main__":
    with temporary_table("greenhouse", KEY) as greenhouse:
        main(greenhouse)
