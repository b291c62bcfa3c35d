"""Places and vehicles: what is near, and who gets it."""

import pytest

import patterns
import workflows

LAT, LON = 52.5163, 13.3777


def names(found):
    return [each["placeId"] for each in found]


# The example of Wikipedia, and points at the borders of the world.
@pytest.mark.parametrize(
    ("lat", "lon", "code"),
    [(57.64911, 10.40744, "u4pruydqq"), (-90, -180, "000000000"), (0, 0, "s00000000")],
)
def test_geohash(lat, lon, code):
    assert workflows.geohash(lat, lon, 9) == code


def test_a_circle_is_covered_also_at_borders():
    assert workflows.cells_around(LAT, LON, 10, 5) == ["u33db"]
    assert len(workflows.cells_around(0, 0, 100, 5)) == 4
    assert len(workflows.cells_around(10.0, 180.0, 100, 5)) == 2
    with pytest.raises(ValueError, match="shorter"):
        workflows.cells_around(LAT, LON, 100_000, 6)


def test_places_are_found_by_distance(db):
    workflows.place(db, "zoo", "Zoo", 52.5079, 13.3378)
    assert names(workflows.places_near(db, LAT, LON, 500)) == ["gate", "dome"]
    assert names(workflows.places_near(db, LAT, LON, 4000)) == ["gate", "dome", "zoo"]


def test_an_older_position_is_refused(db):
    new = {"vehicleId": "v9", "lat": LAT, "lon": LON, "seen": 5, "expires": 4102444800}
    assert workflows.report(db, new, free=True)
    assert not workflows.report(db, {**new, "seen": 4, "lat": 0}, free=True)
    assert "v9" in [each["vehicleId"] for each in workflows.free_near(db, LAT, LON, 50)]
    assert workflows.report(db, {**new, "seen": 6}, free=False)
    assert workflows.free_near(db, LAT, LON, 20) == []


def test_a_vehicle_is_taken_once(db):
    assert workflows.take_nearest(db, LAT, LON, 2000) == "v1"
    assert workflows.take_nearest(db, LAT, LON, 2000) == "v2"
    assert workflows.take_nearest(db, LAT, LON, 2000) is None
    with pytest.raises(db.exceptions.ConditionalCheckFailedException):
        patterns.take_a_vehicle(db, "v1")
