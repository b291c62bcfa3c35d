"""Times as texts: those of all numbers that clients send."""

import pytest

from hashrange.model.times import iso_time


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_795_381_853_689, "2026-11-22T21:10:53Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (1e300, "9999-12-31T23:59:59Z"),
        (-1e300, "0001-01-01T00:00:00Z"),
    ],
)
def test_the_nearest_time_that_has_a_text(ms, text):
    assert iso_time(ms) == text
