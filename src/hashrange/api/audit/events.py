"""Records in CloudTrail's format, from facts of requests. Pure.

Source: CloudTrail User Guide, "CloudTrail record contents for management, data, and network
activity events"; Developer Guide, "Understanding DynamoDB log file entries" (2026).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.api.audit.principals import Identity
from hashrange.limits.access import AUDIT_MEMBER_BYTES_MAX
from hashrange.model.times import iso_time, nearest_ms
from hashrange.wire.codec import DECODE_ERRORS

VERSION: Final = "1.11"
TABLE_TYPE: Final = "AWS::DynamoDB::Table"
STREAM_TYPE: Final = "AWS::DynamoDB::Stream"

Category: TypeAlias = Literal["Management", "Data"]

_TIMES: Final = frozenset(
    {
        "ExportFromTime",
        "ExportTime",
        "ExportToTime",
        "TimeRangeLowerBound",
        "TimeRangeUpperBound",
    }
)
"""Members of DynamoDB's requests that are times, beside those whose names end in `DateTime`."""
_SCALARS: Final = (str, int, float, bool, type(None))


class Resource(msgspec.Struct, frozen=True, rename={"account": "accountId", "arn": "ARN"}):
    """A resource that a request names."""

    account: str
    type: str
    arn: str


class Link(msgspec.Struct, frozen=True):
    """The place of a record in its chain.

    Attributes:
        chain: the id of the chain.
        sequence: from 1 on.
        at: milliseconds since the epoch; never less than in the record before.
        previous: the hash of the record before; of the first one, zeros.
    """

    chain: str
    sequence: int
    at: int
    previous: str


_RENAMED: Final = {
    "event_version": "eventVersion",
    "user_identity": "userIdentity",
    "event_time": "eventTime",
    "event_source": "eventSource",
    "event_name": "eventName",
    "region": "awsRegion",
    "source_ip": "sourceIPAddress",
    "user_agent": "userAgent",
    "error_code": "errorCode",
    "error_message": "errorMessage",
    "request_parameters": "requestParameters",
    "response_elements": "responseElements",
    "additional_event_data": "additionalEventData",
    "request_id": "requestID",
    "event_id": "eventID",
    "read_only": "readOnly",
    "event_type": "eventType",
    "api_version": "apiVersion",
    "management_event": "managementEvent",
    "recipient_account": "recipientAccountId",
    "shared_event_id": "sharedEventID",
    "event_category": "eventCategory",
    "link": "hashrange",
}


class Event(msgspec.Struct, frozen=True, kw_only=True, rename=_RENAMED, omit_defaults=True):
    """A record, with its members in CloudTrail's order; `link` is there once it was written."""

    event_version: str
    user_identity: Identity
    event_time: str
    event_source: str
    event_name: str
    region: str
    source_ip: str
    user_agent: str
    error_code: str | None = None
    error_message: str | None = None
    request_parameters: object
    response_elements: object
    additional_event_data: object = None
    request_id: str
    event_id: str
    read_only: bool
    resources: Sequence[Resource] = ()
    event_type: str
    api_version: str | None = None
    management_event: bool
    recipient_account: str
    shared_event_id: str | None = None
    event_category: Category
    link: Link | None = None

    @property
    def principal(self) -> str:
        """The ARN of the principal; of a caller who was not verified, the access key."""
        identity = self.user_identity
        found = identity.get("arn") or identity.get("principalId") or identity.get("invokedBy")
        return str(found or "")


def time_text(ms: int) -> str:
    """The time in the form of `eventTime`."""
    return _second_text(ms // 1000)


@lru_cache(maxsize=4)
def _second_text(seconds: int) -> str:
    return iso_time(seconds * 1000)


def shown(value: object, name: str = "") -> object:
    """A JSON value as in the records of management events.

    Members begin in lower case, and times are texts to the second.
    """
    if isinstance(value, dict):
        return {_lowered(each): shown(inner, each) for each, inner in value.items()}
    if isinstance(value, list):
        return [shown(each) for each in value]
    assert isinstance(value, _SCALARS), "decoded JSON"
    if _is_time(name) and isinstance(value, int | float) and not isinstance(value, bool):
        return iso_time(nearest_ms(value))
    return value


def _lowered(name: str) -> str:
    return name[:1].lower() + name[1:]


def _is_time(name: str) -> bool:
    return name.endswith("DateTime") or name in _TIMES


def shown_body(body: bytes, member: str) -> object:
    """A body as `shown` has it; None for an empty or malformed one, `omitted` for a large one."""
    if len(body) > AUDIT_MEMBER_BYTES_MAX:
        return omitted(len(body), member)
    try:
        value = msgspec.json.decode(body)
        return shown(value) or None
    except DECODE_ERRORS:
        return None


def bounded(value: object, member: str) -> object:
    """A member of a record; one that is too large is replaced by its size, as on AWS."""
    if value is None:
        return None
    size = len(_encode(value))
    return value if size <= AUDIT_MEMBER_BYTES_MAX else omitted(size, member)


def omitted(size: int, member: str) -> object:
    """The placeholder in a record for a member that is too large."""
    return {"omitted": True, "originalSize": size, "reason": f"{member}TooLarge"}


_encode: Final = msgspec.json.Encoder().encode
encoded: Final = _encode
"""Encode a record: the line without its link and its end."""
decode: Final = msgspec.json.Decoder(Event).decode
"""Decode a line. Raises msgspec.MsgspecError."""
