"""Attributes of generated items: devices with days of readings, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

NEVER = 4102444800


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        device, site = f"device-{number:05}", f"site-{number % 100:03}"
        kind = random.choice(("pump", "valve", "meter"))
        device_only = {"deviceId": device}
        yield "Device", {**device_only, "siteId": site, "kind": kind, "firmware": "2.1"}
        celsius, day, at = random.randint(10, 30), "2026-11-20", ""
        for minute in range(random.randint(10, 120)):
            celsius += random.choice((-1, 0, 0, 1))
            at = f"{day}T{8 + minute // 60:02}:{minute % 60:02}:00Z"
            values = {"at": at, "celsius": celsius, "bar": random.randint(2, 4)}
            yield "Reading", {**device_only, "day": day, **values, "expires": NEVER}
        yield "Latest", {**device_only, "at": at, "celsius": celsius, "bar": 3}
        readings = {"readings": 60, "low": celsius - 3, "high": celsius + 3, "sum": 60 * celsius}
        yield "Hour", {**device_only, "month": day[:7], "hour": f"{day}T08", **readings}
        if random.random() < 0.2:
            alarm = {**device_only, "raised": at, "text": "too warm", "expires": NEVER}
            yield "Alarm", {**alarm, "openSite": site} if random.random() < 0.5 else alarm
