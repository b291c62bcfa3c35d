"""Dates as the service prints them in texts: Java's forms, always in English and in UTC."""

from datetime import UTC, datetime
from typing import Final

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_HALVES: Final = ("AM", "PM")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def in_full(ms: int) -> str:
    """`Friday, October 9, 2026 at 1:21:34 AM Coordinated Universal Time`, of ms since the epoch."""
    at = datetime.fromtimestamp(ms // 1000, UTC)
    day, month = _DAYS[at.weekday()], _MONTHS[at.month - 1]
    half, hour = divmod(at.hour, 12)
    time = f"{hour or 12}:{at.minute:02}:{at.second:02} {_HALVES[half]}"
    return f"{day}, {month} {at.day}, {at.year} at {time} Coordinated Universal Time"


def in_short(ms: int) -> str:
    """`Sat Feb 23 03:07:45 UTC 2019`, of ms since the epoch."""
    at = datetime.fromtimestamp(ms // 1000, UTC)
    day, month = _DAYS[at.weekday()][:3], _MONTHS[at.month - 1][:3]
    time = f"{at.hour:02}:{at.minute:02}:{at.second:02}"
    return f"{day} {month} {at.day:02} {time} UTC {at.year}"
