"""Times as texts."""

from datetime import UTC, datetime
from typing import Final

_MS: Final = 1000
_FIRST_S: Final = -62_135_596_800
_LAST_S: Final = 253_402_300_799
"""The first and the last second of the years 1 to 9999, which texts can name."""


def iso_time(ms: float) -> str:
    """Milliseconds since the epoch in ISO 8601, to the second; the nearest time that has a text."""
    return _iso(ms // 1000, "seconds")


def iso_time_ms(ms: int) -> str:
    """The same to the millisecond."""
    return _iso(ms / 1000, "milliseconds")


def iso_instant(ms: int) -> str:
    """The same to the millisecond, or to the second if that is the same time."""
    return iso_time_ms(ms) if ms % _MS else iso_time(ms)


def nearest_ms(seconds: float) -> int:
    """Seconds since the epoch in milliseconds; the nearest time that has a text."""
    return round(min(max(seconds, _FIRST_S), _LAST_S) * _MS)


def _iso(seconds: float, timespec: str) -> str:
    seconds = min(max(seconds, _FIRST_S), _LAST_S)
    date = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return date.isoformat(timespec=timespec) + "Z"
