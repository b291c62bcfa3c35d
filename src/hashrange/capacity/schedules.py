"""Times of scheduled actions of auto scaling: `at(…)`, `rate(…)` and `cron(…)`.

Source: Application Auto Scaling User Guide, "Schedule recurring scaling actions using cron
expressions"; API model, PutScheduledAction.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from hashrange.optional_packages import imported

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

CRONITER: Final = "croniter>=6"
"""The package as an argument of pip."""
_FORM: Final = re.compile(r"(at|rate|cron)\(([^()]{1,256})\)")
_RATE: Final = re.compile(r"([1-9][0-9]{0,8})\s?(minute|hour|day)s?", re.ASCII)
_AT: Final = re.compile(r"[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}")
_RATE_MS: Final[Mapping[str, int]] = {
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
}
_DAYS: Final = "SUN MON TUE WED THU FRI SAT"
_MONTHS: Final = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"


class _Field(msgspec.Struct, frozen=True):
    """A field of cron expressions, in capitals: its numbers, their names, and what else it is."""

    least: int
    most: int
    names: str = ""
    also: re.Pattern[str] = re.compile("(?!)")

    def is_valid(self, text: str) -> bool:
        """Whether a field is written as the guide has it: `*`, or numbers, ranges and steps."""
        return all(map(self._is_part, text.split(",")))

    def _is_part(self, part: str) -> bool:
        values, slash, step = part.partition("/")
        if slash and not (step.isascii() and step.isdecimal() and 0 < int(step) <= self.most):
            return False
        first, dash, last = values.partition("-")
        is_range = self._is_value(first) and (not dash or self._is_value(last))
        return values == "*" or is_range or self.also.fullmatch(part) is not None

    def _is_value(self, text: str) -> bool:
        if text.isascii() and text.isdecimal() and len(text) <= len(str(self.most)):
            return self.least <= int(text) <= self.most
        return bool(text) and text in self.names.split()


_CRON: Final = (
    _Field(0, 59),
    _Field(0, 23),
    _Field(1, 31, also=re.compile(r"L|([1-9]|[12][0-9]|3[01])W")),
    _Field(1, 12, names=_MONTHS),
    _Field(1, 7, names=_DAYS, also=re.compile(rf"L|([1-7]|{_DAYS.replace(' ', '|')})(L|#[1-5])")),
    _Field(1970, 2199),
)
_CRON_END_MS: Final = 7_258_118_400_000
"""The begin of the year 2200, which no cron expression has."""
_DAY, _WEEKDAY = 2, 4
"""One of these fields is `?`, and no other."""
_DAY_NAME: Final = re.compile(rf"({_DAYS.replace(' ', '|')})(?=L|#)")
_DAY_NUMBER: Final = re.compile(r"(?<![#/\w])([1-7])(L?)(?=$|[-,#/])")


class ScheduleError(ValueError):
    """The expression or the time zone is invalid."""


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule; times are in milliseconds.

    Attributes:
        expression: `at(2027-01-31T08:00:00)`, `rate(5 minutes)`, `cron(0 8 ? * MON-FRI *)`.
        timezone: IANA name of the time zone for `at` and `cron`.
        created_ms: the beginning of a rate that has no start time.
    """

    expression: str
    timezone: str = "UTC"
    created_ms: int = 0
    start_ms: int | None = None
    end_ms: int | None = None


def check_expression(expression: str) -> None:
    """Refuse an expression that the service does not take. Raises ScheduleError.

    Not part of `next_run_ms`: earlier versions took more, and have stored it. Of the day of the
    month and the day of the week one is `?`. Source: Application Auto Scaling User Guide, "Schedule
    recurring scaling actions using cron expressions".
    """
    found = _FORM.fullmatch(expression)
    if found is None:
        return  # `next_run_ms` reports it
    if found[1] == "at" and _AT.fullmatch(found[2]) is None:
        raise ScheduleError(f"invalid time: {found[2]}")
    if found[1] != "cron":
        return
    fields = found[2].upper().split()
    unset = [number for number, field in enumerate(fields) if field == "?"]
    if len(fields) == len(_CRON) and unset not in ([_DAY], [_WEEKDAY]):
        raise ScheduleError(f"one of day-of-month and day-of-week must be ?: {expression}")
    for field, text in zip(_CRON, fields, strict=False):
        if text != "?" and not field.is_valid(text):
            raise ScheduleError(f"invalid cron expression: {expression}")


def next_run_ms(schedule: Schedule, after_ms: int) -> int | None:
    """The first run after a time; None if there is none.

    Raises:
        ScheduleError: the expression or the time zone is invalid.
        MissingPackageError: the expression is a cron expression and croniter is not installed.
    """
    found = _FORM.fullmatch(schedule.expression)
    if found is None:
        raise ScheduleError(f"invalid schedule: {schedule.expression}")
    kind, text = found.groups()
    from_ms = after_ms
    if schedule.start_ms is not None:
        # The start time itself can be a run.
        from_ms = max(from_ms, schedule.start_ms - 1)
    if kind == "rate":
        run_ms: int | None = _next_of_rate(text, schedule, from_ms)
    elif kind == "at":
        run_ms = _at(text, zone_of(schedule.timezone))
        run_ms = None if run_ms <= from_ms else run_ms
    else:
        run_ms = _next_of_cron(text, zone_of(schedule.timezone), from_ms)
    if run_ms is not None and schedule.end_ms is not None and run_ms > schedule.end_ms:
        return None
    return run_ms


def _next_of_rate(text: str, schedule: Schedule, after_ms: int) -> int:
    found = _RATE.fullmatch(text)
    if found is None:
        raise ScheduleError(f"invalid rate: {text}")
    period_ms = int(found[1]) * _RATE_MS[found[2]]
    first_ms = schedule.created_ms if schedule.start_ms is None else schedule.start_ms - period_ms
    periods = (after_ms - first_ms) // period_ms + 1
    return first_ms + max(1, periods) * period_ms


def _at(text: str, zone: "ZoneInfo") -> int:
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=zone)
    except ValueError as error:
        raise ScheduleError(f"invalid time: {text}") from error
    return _ms(moment)


def _next_of_cron(text: str, zone: "ZoneInfo", after_ms: int) -> int | None:
    fields = text.upper().split()
    if len(fields) != len(_CRON):
        raise ScheduleError(f"a cron expression has {len(_CRON)} fields: {text}")
    minute, hour, day, month, weekday, year = (field.replace("?", "*") for field in fields)
    croniter = imported("croniter", CRONITER, "cron(…) needs croniter")
    # AWS numbers the days of the week from 1 (Sunday), croniter from 0 and with L as a prefix.
    weekday = "SAT" if weekday == "L" else _DAY_NAME.sub(_number_of_day, weekday)
    weekday = _DAY_NUMBER.sub(_croniter_day, weekday)
    if after_ms + 1 >= _CRON_END_MS:
        return None
    begin = datetime.fromtimestamp(after_ms / 1000, UTC).astimezone(zone)
    try:
        runs = croniter.croniter(f"{minute} {hour} {day} {month} {weekday} 0 {year}", begin)
        return _ms(runs.get_next(datetime))
    except croniter.CroniterBadDateError:
        return None
    except (croniter.CroniterError, ValueError) as error:
        raise ScheduleError(f"invalid cron expression: {text}") from error


def _number_of_day(found: re.Match[str]) -> str:
    return str(_DAYS.split().index(found[1]) + 1)


def _croniter_day(found: re.Match[str]) -> str:
    return f"{found[2]}{int(found[1]) - 1}"


def zone_of(name: str) -> "ZoneInfo":
    """The time zone of an IANA name. Raises ScheduleError."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - few starts need it

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ScheduleError(f"invalid time zone: {name}") from error


def _ms(moment: datetime) -> int:
    return (moment - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)
