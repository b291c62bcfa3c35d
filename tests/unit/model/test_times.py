"""Times as texts: those of all numbers that clients send."""

import pytest

from hashrange.model.times import iso_time, iso_time_ms


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


# Source: quoted by users from the service, October 2026.
def test_milliseconds_have_three_digits():
    assert iso_time_ms(1_791_587_580_402) == "2026-10-09T23:13:00.402Z"
    assert iso_time_ms(1_791_587_580_007) == "2026-10-09T23:13:00.007Z"
