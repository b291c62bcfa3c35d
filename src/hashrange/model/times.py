"""Times as texts."""

from datetime import UTC, datetime
from typing import Final

_FIRST_S: Final = -62_135_596_800
_LAST_S: Final = 253_402_300_799
"""The first and the last second of the years 1 to 9999, which texts can name."""


def iso_time(ms: float) -> str:
    """Milliseconds since the epoch in ISO 8601, to the second; the nearest time that has a text."""
    return _iso(ms // 1000, "seconds")


def iso_time_ms(ms: int) -> str:
    """The same to the millisecond."""
    return _iso(ms / 1000, "milliseconds")


def _iso(seconds: float, timespec: str) -> str:
    seconds = min(max(seconds, _FIRST_S), _LAST_S)
    date = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return date.isoformat(timespec=timespec) + "Z"
