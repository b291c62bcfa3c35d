"""Dates of conditions: the W3C forms of ISO 8601, and seconds since 1970. Pure."""

import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Final

_is_epoch: Final = re.compile(r"[+-]?[0-9]{1,19}(?:\.[0-9]{1,9})?").fullmatch
_is_date: Final = re.compile(
    r"([0-9]{1,4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?"
    r"(?:T(?:([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?"
    r"(?:Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?",
    re.IGNORECASE,
).fullmatch
_YEAR_CHARS: Final = 4
_EPOCH_MAX: Final = 2**63 - 1


def seconds_of(text: str) -> Decimal | None:
    """Seconds since 1970 of a date; None if it is none. Four digits are a year.

    Source: W3C, "Date and Time Formats"; IAM User Guide, "Date condition operators"; what IAM was
    seen to take and refuse beyond: an hour of one digit, an offset without minutes, a year with a
    bare T, negative seconds, and none above 64 bits.
    """
    if _is_epoch(text) and not (len(text) == _YEAR_CHARS and text.isdecimal()):
        epoch = Decimal(text)
        return epoch if epoch <= _EPOCH_MAX else None
    found = _is_date(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    fraction, sign, hours, minutes = found.groups()[6:]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        zone = timezone(-offset if sign == "-" else offset) if sign else UTC
        at = datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None
    whole = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return Decimal(whole) + Decimal(f"0.{fraction or 0}")
