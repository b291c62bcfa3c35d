"""Attributes of generated items: places and vehicles around cities, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

from workflows import geohash

CITIES = ((52.52, 13.40), (48.86, 2.35), (51.51, -0.13), (40.71, -74.01), (35.68, 139.69))
NEVER = 4102444800


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        lat, lon = random.choice(CITIES)
        lat, lon = round(random.gauss(lat, 0.03), 5), round(random.gauss(lon, 0.05), 5)
        at = {"lat": lat, "lon": lon}
        if random.random() < 0.8:
            code = geohash(lat, lon, 9)
            place = {"placeId": f"place-{number:07}", "name": f"Place {number}", **at}
            yield "Place", {**place, "cell": code[:5], "geohash": code}
        else:
            vehicle = {"vehicleId": f"vehicle-{number:07}", **at, "seen": 1, "expires": NEVER}
            free = {"freeCell": geohash(lat, lon, 6)} if random.random() < 0.6 else {}
            yield "Vehicle", {**vehicle, **free}
