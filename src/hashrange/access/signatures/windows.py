"""When signatures are valid: fifteen minutes around their time, or as long as a presigned one says.

Source: Amazon S3 API reference, "Authenticating requests: using query parameters", for presigned
requests; captures of DynamoDB for the texts about other requests.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from hashrange.access.signatures.canonical import Identity, query_parameters
from hashrange.errors import DynamoError, Fault
from hashrange.limits.access import PRESIGNED_SECONDS_MAX, SIGNATURE_SKEW_SECONDS_MAX
from hashrange.messages import access as messages

_FORMAT: Final = "%Y%m%dT%H%M%SZ"
_MS_PER_S: Final = 1000
_SECONDS_PER_MINUTE: Final = 60
_EXPIRES: Final = "X-Amz-Expires"
_DIGITS_MAX: Final = 9


class Window(msgspec.Struct, frozen=True):
    """When a signature is valid, both ends included.

    Attributes:
        time: of signing, as sent.
        from_ms: milliseconds since the epoch.
        until_ms: milliseconds since the epoch.
        seconds: how long it is valid after its time.
    """

    time: str
    from_ms: int
    until_ms: int
    seconds: int

    def check(self, now_ms: int) -> None:
        """Raise DynamoError unless the signature is valid now."""
        if now_ms < self.from_ms:
            latest = _text(now_ms, SIGNATURE_SKEW_SECONDS_MAX)
            skew = _minutes(SIGNATURE_SKEW_SECONDS_MAX)
            text = messages.not_yet_current(self.time, latest, _text(now_ms), skew)
            raise DynamoError(Fault.INVALID_SIGNATURE, text)
        if now_ms > self.until_ms:
            earliest = _text(now_ms, -self.seconds)
            lifetime = _minutes(self.seconds)
            text = messages.expired(self.time, earliest, _text(now_ms), lifetime)
            raise DynamoError(Fault.INVALID_SIGNATURE, text)


def window_of(identity: Identity, query: bytes) -> Window:
    """The window of a signature.

    Args:
        identity: whose time has the form YYYYMMDD'T'HHMMSS'Z'.
        query: the query string, which has the lifetime of a presigned request.

    Raises:
        DynamoError: the time is not a time, or the lifetime is malformed.
    """
    time = identity.time
    parts = (time[:4], time[4:6], time[6:8], time[9:11], time[11:13], time[13:15])
    try:
        # strptime takes four times as long.
        year, month, day, hour, minute, second = map(int, parts)
        signed = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError as error:
        text = messages.date_format(time)
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, text) from error
    signed_ms = int(signed.timestamp()) * _MS_PER_S
    seconds = _lifetime(query) if identity.in_query else SIGNATURE_SKEW_SECONDS_MAX
    return Window(
        time=time,
        from_ms=signed_ms - SIGNATURE_SKEW_SECONDS_MAX * _MS_PER_S,
        until_ms=signed_ms + seconds * _MS_PER_S,
        seconds=seconds,
    )


def _lifetime(query: bytes) -> int:
    """Seconds for which a presigned request is valid; as of other requests if it says nothing."""
    parameters = query_parameters(query)
    text = parameters.get(_EXPIRES)
    if text is None:
        return SIGNATURE_SKEW_SECONDS_MAX
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, messages.expires_no_number())
    if digits != text:
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, messages.expires_negative())
    if len(digits) > _DIGITS_MAX or int(digits) > PRESIGNED_SECONDS_MAX:
        text = messages.expires_too_long(PRESIGNED_SECONDS_MAX)
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, text)
    return int(digits)


def _minutes(seconds: int) -> str:
    minutes, rest = divmod(seconds, _SECONDS_PER_MINUTE)
    return f"{seconds} sec" if rest else f"{minutes} min"


def _text(now_ms: int, more_seconds: int = 0) -> str:
    now = datetime.fromtimestamp(now_ms // _MS_PER_S, UTC) + timedelta(seconds=more_seconds)
    return now.strftime(_FORMAT)
