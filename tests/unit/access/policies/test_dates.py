"""Dates of conditions."""

from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.policies.operators import seconds_of
from tests.rows import rows


@rows(
    ("text", "seconds"),
    [
        ("0", "0"),
        ("1577836800", "1577836800"),
        ("1577836800.5", "1577836800.5"),
        ("2020", "1577836800"),
        ("2020-01", "1577836800"),
        ("2020-01-01", "1577836800"),
        ("2020-01-01T00:00Z", "1577836800"),
        ("2020-01-01T00:00:00Z", "1577836800"),
        ("2020-01-01t00:00:00z", "1577836800"),
        ("2020-01-01T00:00:00.25Z", "1577836800.25"),
        ("2020-01-01T02:00:00+02:00", "1577836800"),
        ("2019-12-31T22:30:00-0130", "1577836800"),
        ("1969-12-31T23:59:59Z", "-1"),
        # What IAM was seen to take beyond the W3C's forms.
        ("2020-01-01t2:00:00.5+02", "1577836800.5"),
        ("1970T", "0"),
        ("01T", "-62135596800"),
        ("-292275054", "-292275054"),
        ("9223372036854775807", "9223372036854775807"),
    ],
)
def test_forms(text, seconds):
    assert seconds_of(text) == Decimal(seconds)


@rows(
    "text",
    [
        "", "now", "2020-13", "2020-02-30", "2020-01-01T25:00Z", "2020-1-1", "--1", "1e5", "0000",
        "2020-01-01T00:00:00+99:00", "٢٠٢٠", "9" * 40, "234-13",
        "2016-12-13t2:00:00.593194+1", "2016-12-13t2:00:00.1999999999+10:59", "9223372036854775808",
    ],
)  # fmt: skip
def test_what_is_no_date(text):
    assert seconds_of(text) is None


@given(st.datetimes(timezones=st.just(UTC)))
def test_dates_of_python(at):
    text = at.isoformat().replace("+00:00", "Z")
    since = at - datetime(1970, 1, 1, tzinfo=UTC)
    assert (
        seconds_of(text)
        == Decimal(since.days * 86400 + since.seconds) + Decimal(since.microseconds) / 10**6
    )
