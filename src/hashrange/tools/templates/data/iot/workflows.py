"""Workflows of more than one plain request: storing, reading over days, hours, and the archive."""

import json
from datetime import date, timedelta
from typing import Any

from dynamo import Item, get_all, put_all, show
from patterns import (
    TABLE,
    devices_of_a_site,
    hours_of_a_month,
    latest_item,
    reading_item,
    readings_of_a_period,
    store_an_hour,
)

EXPIRY = "dynamodb.amazonaws.com"
"""The principal of deletions by time to live, in records of the stream."""


def store(db: Any, device_id: str, readings: list[Item], expires: int) -> bool:
    """Put readings of a device, in any order; whether one of them is the latest.

    Args:
        db: the client.
        device_id: the device.
        readings: `at` in ISO 8601, `celsius` and `bar` of each.
        expires: the second after which they are archived.
    """
    put_all(
        db,
        TABLE,
        [
            reading_item(
                {"deviceId": device_id, "day": each["at"][:10], "expires": expires, **each}
            )
            for each in readings
        ],
    )
    newest = max(readings, key=lambda each: each["at"])
    try:
        db.put_item(
            TableName=TABLE,
            Item=latest_item({"deviceId": device_id, **newest}),
            ConditionExpression="attribute_not_exists(#at) OR #at < :at",
            ExpressionAttributeNames={"#at": "at"},
            ExpressionAttributeValues={":at": newest["at"]},
        )
    except db.exceptions.ConditionalCheckFailedException:
        return False
    return True


def readings_between(db: Any, device_id: str, begin: str, end: str) -> list[Item]:
    """The readings of some days, a Query for each."""
    day, last = date.fromisoformat(begin[:10]), date.fromisoformat(end[:10])
    found: list[Item] = []
    while day <= last:
        found += readings_of_a_period(db, device_id, day.isoformat(), begin, end)
        day += timedelta(days=1)
    return found


def roll_up(db: Any, device_id: str, hour: str) -> bool:
    """Put what remains of an hour, as `2026-11-20T10`; False if it has no readings."""
    found = readings_of_a_period(db, device_id, hour[:10], hour, f"{hour}:59:59Z")
    if not found:
        return False
    values = [each["celsius"] for each in found]
    summary = {"readings": len(found), "low": min(values), "high": max(values), "sum": sum(values)}
    store_an_hour(db, {"deviceId": device_id, "month": hour[:7], "hour": hour, **summary})
    return True


def dashboard(db: Any, site_id: str) -> list[Item]:
    """The latest readings of all devices of a site, by device."""
    devices = [each["deviceId"] for each in devices_of_a_site(db, site_id)]
    keys = [{"pk": f"DEVICE#{each}", "sk": "LATEST"} for each in devices]
    return sorted(get_all(db, TABLE, keys), key=lambda each: each["pk"])


def archived(records: list[Item]) -> list[str]:
    """Lines of JSON for the archive: the readings among records that time to live has deleted.

    Args:
        records: of the stream, as a trigger or GetRecords gives them.
    """
    lines = []
    for record in records:
        expired = record.get("userIdentity", {}).get("principalId") == EXPIRY
        image = record["dynamodb"].get("OldImage", {})
        if expired and "day" in image:
            plain = {name: next(iter(value.values())) for name, value in image.items()}
            lines.append(json.dumps(plain))
    return lines


def demo(db: Any) -> None:
    """Run each workflow once."""
    readings = [
        {"at": "2026-11-20T23:59:55Z", "celsius": 18, "bar": 3},
        {"at": "2026-11-21T00:00:05Z", "celsius": 17, "bar": 3},
    ]
    show("Store readings", store(db, "d1", readings, 4102444800))
    show("Store them again", store(db, "d1", readings, 4102444800))
    found = readings_between(db, "d1", "2026-11-20T23:00:00Z", "2026-11-21T01:00:00Z")
    show("Readings around midnight", found)
    show("Roll an hour up", roll_up(db, "d1", "2026-11-20T10"))
    show("Hours", hours_of_a_month(db, "d1", "2026-11"))
    show("Dashboard", dashboard(db, "north"))
