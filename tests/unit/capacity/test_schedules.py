"""When scheduled actions run."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.capacity.schedules import Schedule, ScheduleError, check_expression, next_run_ms
from hashrange.optional_packages import MissingPackageError
from tests.rows import rows

DAY_MS = 86_400_000


def ms(text):
    moment = datetime.fromisoformat(text)
    return (moment - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)


def runs(expression, after, count=1, **options):
    schedule = Schedule(expression=expression, **options)
    found, now_ms = [], ms(after)
    for _ in range(count):
        now_ms = next_run_ms(schedule, now_ms)
        if now_ms is None:
            break
        found.append(datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M"))
    return found


MONDAY = "2027-01-04T00:00:00+00:00"


# Monday is 2: days are counted from Sunday, which is 1.
@rows(
    ("expression", "found"),
    [
        ("cron(0 8 ? * MON-FRI *)", ["2027-01-04T08:00", "2027-01-05T08:00"]),
        ("cron(0 8 ? * 2-6 *)", ["2027-01-04T08:00", "2027-01-05T08:00"]),
        ("cron(30 20 ? * 7,1 *)", ["2027-01-09T20:30", "2027-01-10T20:30"]),
        ("cron(0/15 12 * * ? *)", ["2027-01-04T12:00", "2027-01-04T12:15"]),
        ("cron(0 0 1 1,7 ? *)", ["2027-07-01T00:00", "2028-01-01T00:00"]),
        ("cron(0 0 L * ? *)", ["2027-01-31T00:00", "2027-02-28T00:00"]),
        ("cron(0 9 ? * 2#1 *)", ["2027-01-04T09:00", "2027-02-01T09:00"]),
        ("cron(0 9 ? * 6L *)", ["2027-01-29T09:00", "2027-02-26T09:00"]),
        ("cron(0 9 4 1 ? 2027)", ["2027-01-04T09:00"]),
        ("cron(0 9 4 1 ? 2020)", []),
        ("rate(5 minutes)", ["2027-01-04T00:05", "2027-01-04T00:10"]),
        ("cron(0 9 ? * FRIL *)", ["2027-01-29T09:00", "2027-02-26T09:00"]),
        ("cron(0 9 ? * MON#2 *)", ["2027-01-11T09:00", "2027-02-08T09:00"]),
        ("cron(0 9 ? * fril *)", ["2027-01-29T09:00", "2027-02-26T09:00"]),
        ("cron(0 9 ? jan mon *)", ["2027-01-04T09:00", "2027-01-11T09:00"]),
        ("cron(0 9 ? * L *)", ["2027-01-09T09:00", "2027-01-16T09:00"]),
        ("cron(0 9 9W * ? *)", ["2027-01-08T09:00", "2027-02-09T09:00"]),
        ("cron(5-10/5 0 5 JAN-FEB ? 2027)", ["2027-01-05T00:05", "2027-01-05T00:10"]),
        ("rate(1 day)", ["2027-01-05T00:00", "2027-01-06T00:00"]),
        ("rate(2days)", ["2027-01-06T00:00", "2027-01-08T00:00"]),
        ("rate(5minutes)", ["2027-01-04T00:05", "2027-01-04T00:10"]),
        ("rate(1hour)", ["2027-01-04T01:00", "2027-01-04T02:00"]),
        ("at(2027-02-01T08:30:00)", ["2027-02-01T08:30"]),
        ("at(2026-02-01T08:30:00)", []),
    ],
)
def test_runs(expression, found):
    check_expression(expression)
    assert runs(expression, MONDAY, 2, created_ms=ms(MONDAY)) == found


# An hour of the local time is another one of UTC after the clocks have changed.
def test_local_times_follow_the_clocks():
    zone = {"timezone": "Europe/Berlin"}
    assert runs("cron(0 8 * * ? *)", "2027-03-26T12:00:00+00:00", 3, **zone) == [
        "2027-03-27T07:00",
        "2027-03-28T06:00",
        "2027-03-29T06:00",
    ]
    assert runs("at(2027-07-01T08:00:00)", MONDAY, **zone) == ["2027-07-01T06:00"]


def test_start_and_end():
    bounds = {
        "start_ms": ms("2027-01-05T08:00:00+00:00"),
        "end_ms": ms("2027-01-06T08:00:00+00:00"),
    }
    days = ["2027-01-05T08:00", "2027-01-06T08:00"]
    assert runs("cron(0 8 * * ? *)", MONDAY, 5, **bounds) == days
    assert runs("rate(1 day)", MONDAY, 5, **bounds) == days


@rows("start", ["2200-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"])
def test_no_cron_expression_runs_after_its_years(start):
    assert not runs("cron(0 8 * * ? *)", MONDAY, start_ms=ms(start), timezone="Pacific/Apia")


@given(st.integers(0, 10 * DAY_MS), st.integers(1, 600))
def test_a_rate_is_counted_from_its_beginning(after_ms, period):
    schedule = Schedule(expression=f"rate({period} minutes)", created_ms=DAY_MS)
    run_ms = next_run_ms(schedule, after_ms)
    assert run_ms > after_ms
    assert run_ms > DAY_MS
    assert (run_ms - DAY_MS) % (period * 60_000) == 0
    assert run_ms - max(after_ms, DAY_MS) <= period * 60_000


@rows(
    "expression",
    [
        "",
        "daily",
        "rate(0 minutes)",
        "rate(5)",
        "at(tomorrow)",
        "cron(0 8 * * *)",
        "cron(a b c d e f)",
        # One of the days is ?, and nothing else is.
        "cron(0 16 * * MON-FRI *)",
        "cron(0 8 1 * MON *)",
        "cron(0 8 * * * *)",
        "cron(0 8 ? * ? *)",
        "cron(? 8 * * ? *)",
        "cron(0 8 * ? ? *)",
        "cron(0 8 ? * MON ?)",
        # Numbers that a field does not have.
        "cron(60 8 * * ? *)",
        "cron(0 24 * * ? *)",
        "cron(0 8 0 * ? *)",
        "cron(0 8 32 * ? *)",
        "cron(0 8 * 0 ? *)",
        "cron(0 8 * 13 ? *)",
        "cron(0 8 ? * 0 *)",
        "cron(0 8 ? * 8 *)",
        "cron(0 8 ? * 0-4 *)",
        "cron(0 8 * * ? 1969)",
        "cron(0 8 * * ? 2200)",
        "cron(0 8 * FOO ? *)",
        "cron(0 8 ? * FOO *)",
        "cron(0/0 8 * * ? *)",
        "cron(*/x 8 * * ? *)",
        "cron(*/\u0663 8 * * ? *)",
        "cron(0, 8 * * ? *)",
        "cron(0-5-6 8 * * ? *)",
        "cron(L 8 * * ? *)",
        "cron(0 8 L#1 * ? *)",
        "cron(0 8 32W * ? *)",
        "cron(0 8 ? * 2#6 *)",
        "cron(0 8 ? * 8L *)",
        "cron(\u0660 8 * * ? *)",
        "rate(5  minutes)",
        "rate(-5 minutes)",
        "rate(5 seconds)",
        "rate(1.5 hours)",
        "rate(minutes)",
        "at(2027-1-5T1:2:3)",
        "at(2027-02-30T00:00:00)",
        "at(2027-02-01 00:00:00)",
        "at(2027-02-01T00:00:00Z)",
        "cron(61 8 * * ? *)",
    ],
)
def test_what_is_no_schedule(expression):
    with pytest.raises(ScheduleError):  # noqa: PT012 - one of the two, which are called together
        check_expression(expression)
        next_run_ms(Schedule(expression=expression), 0)


# Earlier versions stored them, and they go on as before.
@rows(
    ("expression", "found"),
    [
        ("cron(0 8 * * MON-FRI *)", ["2027-01-04T08:00", "2027-01-05T08:00"]),
        ("cron(0 8 * * * *)", ["2027-01-04T08:00", "2027-01-05T08:00"]),
    ],
)
def test_stored_schedules_that_are_refused_now(expression, found):
    assert runs(expression, MONDAY, 2) == found


@pytest.mark.parametrize("name", ["Mars/Base", "", "../etc/passwd"])
def test_what_is_no_time_zone(name):
    with pytest.raises(ScheduleError, match="invalid time zone"):
        next_run_ms(Schedule(expression="at(2027-02-01T08:30:00)", timezone=name), 0)


def test_without_croniter_the_text_says_how_to_install_it(without):
    without("croniter")
    with pytest.raises(MissingPackageError, match="croniter>=6"):
        next_run_ms(Schedule(expression="cron(0 8 * * ? *)"), 0)
