"""Dates in texts, in the two forms that the service has."""

import pytest

from hashrange.messages.tables.dates import in_full, in_short


# 12 o'clock begins each half of the day; hours have no leading zero. Captures of the service.
@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "Thursday, January 1, 1970 at 12:00:00 AM"),
        (1_791_501_648_000, "Thursday, October 8, 2026 at 11:20:48 PM"),
        (1_791_505_294_999, "Friday, October 9, 2026 at 12:21:34 AM"),
        (1_767_268_800_000, "Thursday, January 1, 2026 at 12:00:00 PM"),
        (1_553_418_448_000, "Sunday, March 24, 2019 at 9:07:28 AM"),
    ],
)
def test_in_full(ms, text):
    assert in_full(ms) == f"{text} Coordinated Universal Time"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (1_550_891_265_000, "Sat Feb 23 03:07:45 UTC 2019"),
        (1_546_436_217_999, "Wed Jan 02 13:36:57 UTC 2019"),
    ],
)
def test_in_short(ms, text):
    assert in_short(ms) == text
