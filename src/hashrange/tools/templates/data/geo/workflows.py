"""Workflows of more than one plain request: searches around a point, and vehicles that move."""

from collections.abc import Iterator
from decimal import Decimal
from math import asin, ceil, cos, radians, sin, sqrt
from typing import Any

from dynamo import Item, show
from patterns import (
    TABLE,
    free_vehicles_of_a_cell,
    places_of_a_cell,
    put_a_place,
    take_a_vehicle,
)

SIGNS = "0123456789bcdefghjkmnpqrstuvwxyz"
PLACE_SIGNS, FREE_SIGNS = 5, 6
METERS_PER_DEGREE = 111_320
CELLS_MAX = 100


def geohash(lat: float, lon: float, signs: int) -> str:
    """The geohash of a point: its bits are halves of longitude and latitude in turn."""
    ranges = [[-180.0, 180.0], [-90.0, 90.0]]
    number = 0
    for bit in range(5 * signs):
        bounds, value = ranges[bit % 2], lat if bit % 2 else lon
        middle = (bounds[0] + bounds[1]) / 2
        upper = value >= middle
        bounds[0 if upper else 1] = middle
        number = number * 2 + upper
    return "".join(SIGNS[number >> 5 * each & 31] for each in reversed(range(signs)))


def cells_around(lat: float, lon: float, meters: float, signs: int) -> list[str]:
    """The cells that the square around a circle touches. Raises ValueError: more than 100."""
    height, width = 180 / 2 ** (5 * signs // 2), 360 / 2 ** ceil(5 * signs / 2)
    north = meters / METERS_PER_DEGREE
    east = north / max(cos(radians(lat)), 0.01)
    rows, columns = ceil(2 * north / height) + 1, ceil(2 * east / width) + 1
    if rows * columns > CELLS_MAX:
        raise ValueError(f"{rows * columns} cells of {signs} signs: take shorter ones")
    return sorted(
        {
            geohash(each, (other + 180) % 360 - 180, signs)
            for each in _steps(lat - north, lat + north, height)
            for other in _steps(lon - east, lon + east, width)
        }
    )


def _steps(begin: float, end: float, step: float) -> Iterator[float]:
    """Values from begin to end that leave out no step."""
    while begin < end:
        yield begin
        begin += step
    yield end


def distance(lat: float, lon: float, item: Item) -> float:
    """Meters on a sphere between a point and an item."""
    other_lat, other_lon = float(item["lat"]), float(item["lon"])
    half = sin(radians(other_lat - lat) / 2) ** 2
    half += cos(radians(lat)) * cos(radians(other_lat)) * sin(radians(other_lon - lon) / 2) ** 2
    return 2 * 6_371_000 * asin(sqrt(half))


def _nearest(lat: float, lon: float, meters: float, found: list[Item]) -> list[Item]:
    near = [(distance(lat, lon, each), each) for each in found]
    return [each for far, each in sorted(near, key=lambda pair: pair[0]) if far <= meters]


def places_near(db: Any, lat: float, lon: float, meters: float) -> list[Item]:
    """The places within a distance, the nearest first."""
    cells = cells_around(lat, lon, meters, PLACE_SIGNS)
    found = [each for cell in cells for each in places_of_a_cell(db, cell, cell, f"{cell}~")]
    return _nearest(lat, lon, meters, found)


def free_near(db: Any, lat: float, lon: float, meters: float) -> list[Item]:
    """The free vehicles within a distance, the nearest first."""
    cells = cells_around(lat, lon, meters, FREE_SIGNS)
    found = [each for cell in cells for each in free_vehicles_of_a_cell(db, cell)]
    return _nearest(lat, lon, meters, found)


def place(db: Any, place_id: str, name: str, lat: float, lon: float) -> None:
    """Put a place with its cell."""
    code = geohash(lat, lon, 9)
    at = {"lat": Decimal(str(lat)), "lon": Decimal(str(lon))}
    head = {"placeId": place_id, "name": name}
    put_a_place(db, {**head, **at, "cell": code[:PLACE_SIGNS], "geohash": code})


def report(db: Any, vehicle: Item, *, free: bool) -> bool:
    """Note a position; False if a later one is known.

    Args:
        db: the client.
        vehicle: `vehicleId`, `lat`, `lon`, `seen` in seconds, and `expires`.
        free: whether the vehicle can be taken.
    """
    values = {f":{name}": vehicle[name] for name in ("lat", "lon", "seen", "expires")}
    values |= {":lat": Decimal(str(vehicle["lat"])), ":lon": Decimal(str(vehicle["lon"]))}
    update = "SET lat = :lat, lon = :lon, seen = :seen, expires = :expires, vehicleId = :id"
    values[":id"] = vehicle["vehicleId"]
    if free:
        values[":cell"] = geohash(vehicle["lat"], vehicle["lon"], FREE_SIGNS)
    try:
        db.update_item(
            TableName=TABLE,
            Key={"pk": f"VEHICLE#{vehicle['vehicleId']}"},
            UpdateExpression=update + (", freeCell = :cell" if free else " REMOVE freeCell"),
            ConditionExpression="attribute_not_exists(seen) OR seen < :seen",
            ExpressionAttributeValues=values,
        )
    except db.exceptions.ConditionalCheckFailedException:
        return False
    return True


def take_nearest(db: Any, lat: float, lon: float, meters: float) -> str | None:
    """Take the nearest vehicle that is free; None if there is none."""
    for each in free_near(db, lat, lon, meters):
        try:
            take_a_vehicle(db, each["vehicleId"])
        except db.exceptions.ConditionalCheckFailedException:
            continue  # somebody was faster
        return each["vehicleId"]
    return None


def demo(db: Any) -> None:
    """Run each workflow once."""
    lat, lon = 52.5163, 13.3777
    show("Geohash", geohash(lat, lon, 9))
    show("Places within a kilometre", places_near(db, lat, lon, 1000))
    later = {"vehicleId": "v1", "lat": 52.53, "lon": 13.41, "seen": 3, "expires": 4102444800}
    show("Move", report(db, later, free=True))
    show("Move to an older position", report(db, {**later, "seen": 2}, free=True))
    show("Take the nearest", take_nearest(db, lat, lon, 1000) or "none")
    show("Take another", take_nearest(db, lat, lon, 1000) or "none")
