"""CloudTrail's LookupEvents on the port of the database, over the files of the audit log.

Source: API Reference of CloudTrail, LookupEvents; its texts are our own.
"""

import asyncio
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.audit.events import Event, decode
from hashrange.audit.named_resources import named_resources
from hashrange.audit.principals import user_name_of
from hashrange.audit.reading import END, Budget, Place, backward
from hashrange.errors import DynamoError, Fault
from hashrange.limits.audit import (
    AUDIT_LOOKUP_BYTES_MAX,
    AUDIT_LOOKUP_FILES_MAX,
    AUDIT_LOOKUPS_MAX,
    LOOKUP_EVENTS_MAX,
)
from hashrange.messages import audit as messages
from hashrange.operations.pipeline.operation import Caller
from hashrange.policies.connections import connection_keys
from hashrange.policies.decisions import Decisions, GovernedResource, denial
from hashrange.policies.variables import Context
from hashrange.server.exchange import Request, Response
from hashrange.wire.answers import encode_error
from hashrange.wire.codec import DECODE_ERRORS

JSON_1_1: Final = b"application/x-amz-json-1.1"
TARGET: Final = b"com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101"
SOURCE: Final = "cloudtrail.amazonaws.com"
DAYS: Final = 90
_DAY_MS: Final = 24 * 60 * 60 * 1000
_ACTION: Final = "cloudtrail:LookupEvents"
_OPERATION: Final = b"LookupEvents"
_VALUE_CHARS_MAX: Final = 2000
_SECONDS_MAX: Final = 2**40
_MANAGEMENT: Final = b'"eventCategory":"Management"'
"""Quotes in values are escaped, so no value contains it."""
_FLAGS: Final = frozenset({"true", "false"})
_KEYS: Final = frozenset(
    {
        "AccessKeyId",
        "EventId",
        "EventName",
        "EventSource",
        "ReadOnly",
        "ResourceName",
        "ResourceType",
        "Username",
    }
)


class Attribute(msgspec.Struct, rename="pascal"):
    """An attribute that events must have."""

    attribute_key: str | None = None
    attribute_value: str | None = None


class LookupRequest(msgspec.Struct, rename="pascal"):
    """The request of LookupEvents; times are seconds since the epoch."""

    lookup_attributes: list[Attribute] | None = None
    start_time: float | None = None
    end_time: float | None = None
    event_category: str | None = None
    max_results: int | None = None
    next_token: str | None = None


class Lookup(msgspec.Struct, frozen=True):
    """A checked request: an attribute and its value, a range of time in milliseconds, a page."""

    attribute: tuple[str, str] | None
    since_ms: int
    until_ms: int
    max_results: int
    before: Place


_decode: Final = msgspec.json.Decoder(LookupRequest).decode
_decode_place: Final = msgspec.json.Decoder(tuple[str, int, str, int]).decode
_encode: Final = msgspec.json.Encoder().encode


def check(request: LookupRequest, now_ms: int) -> Lookup:
    """Check a request. Raises DynamoError."""
    attributes = request.lookup_attributes or []
    if len(attributes) > 1:
        raise DynamoError(Fault.INVALID_LOOKUP_ATTRIBUTES, messages.one_attribute())
    attribute = None
    for each in attributes:
        key, value = each.attribute_key, each.attribute_value
        if key not in _KEYS or not value or len(value) > _VALUE_CHARS_MAX:
            raise DynamoError(Fault.INVALID_LOOKUP_ATTRIBUTES, messages.invalid_attribute())
        if key == "ReadOnly" and value not in _FLAGS:
            raise DynamoError(Fault.INVALID_LOOKUP_ATTRIBUTES, messages.invalid_attribute())
        attribute = (key, value)
    if request.event_category is not None:
        raise DynamoError(Fault.INVALID_EVENT_CATEGORY, messages.invalid_category())
    most = LOOKUP_EVENTS_MAX if request.max_results is None else request.max_results
    if not 1 <= most <= LOOKUP_EVENTS_MAX:
        raise DynamoError(Fault.INVALID_MAX_RESULTS, messages.invalid_max_results())
    since_ms = max(_ms(request.start_time, 0), now_ms - DAYS * _DAY_MS)
    until_ms = _ms(request.end_time, END[0])
    # The end is now unless it is given: a start in the future was seen to be refused.
    end = now_ms / 1000 if request.end_time is None else request.end_time
    if (request.start_time or 0) > end:
        raise DynamoError(Fault.INVALID_TIME_RANGE, messages.invalid_time_range())
    before = END
    if request.next_token is not None:
        before = _place_of(request.next_token, _digest(request))
    return Lookup(attribute, since_ms, until_ms, most, before)


def _ms(seconds: float | None, default: int) -> int:
    if seconds is None:
        return default
    if not 0 <= seconds <= _SECONDS_MAX:  # nor NaN
        raise DynamoError(Fault.INVALID_TIME_RANGE, messages.invalid_time_range())
    return int(seconds * 1000)


def _digest(request: LookupRequest) -> str:
    """What a token is only good for: the same parameters."""
    same = msgspec.structs.replace(request, next_token=None, max_results=None)
    return blake2b(_encode(same), digest_size=8).hexdigest()


def _token_of(place: Place, digest: str) -> str:
    return _encode((digest, *place)).hex()


def _place_of(token: str, digest: str) -> Place:
    try:
        given, at, chain, sequence = _decode_place(bytes.fromhex(token))
    except (ValueError, msgspec.MsgspecError) as error:
        raise DynamoError(Fault.INVALID_NEXT_TOKEN, messages.invalid_next_token()) from error
    if given != digest:
        raise DynamoError(Fault.INVALID_NEXT_TOKEN, messages.invalid_next_token())
    return (at, chain, sequence)


class Page(msgspec.Struct, frozen=True):
    """The events of a page, and where the next one begins; None if there is none."""

    events: list[tuple[Event, bytes]]
    after: Place | None


def page_of(directory: Path, lookup: Lookup, has: Callable[[Event], bool]) -> Page:
    """A page of management events, newest first; it may be short, or empty, and have a next one.

    Raises OSError.
    """
    budget = Budget(AUDIT_LOOKUP_BYTES_MAX)
    events: list[tuple[Event, bytes]] = []
    found = backward(
        directory,
        lookup.before,
        lookup.since_ms,
        budget=budget,
        files_max=AUDIT_LOOKUP_FILES_MAX,
    )
    for each in found:
        if _MANAGEMENT in each.line and each.place[0] <= lookup.until_ms:
            event = _event_of(each.line)
            if event is not None and has(event) and _matches(event, lookup.attribute):
                events.append((event, each.line))
        if len(events) == lookup.max_results or budget.left <= 0:
            return Page(events, each.place)
    return Page(events, None)


def _event_of(line: bytes) -> Event | None:
    try:
        return decode(line)
    except DECODE_ERRORS:
        return None


def _matches(event: Event, attribute: tuple[str, str] | None) -> bool:
    if attribute is None:
        return True
    key, value = attribute
    return value in set(_values(event, key))


def _values(event: Event, key: str) -> Iterator[str | None]:
    match key:
        case "EventId":
            yield event.event_id
        case "EventName":
            yield event.event_name
        case "EventSource":
            yield event.event_source
        case "ReadOnly":
            yield str(event.read_only).lower()
        case "AccessKeyId":
            yield str(event.user_identity.get("accessKeyId", ""))
        case "Username":
            yield user_name_of(event.user_identity)
        case "ResourceType":
            yield from (kind for kind, _ in named_resources(event))
        case _:
            names = [name for _, name in named_resources(event)]
            yield from names
            # Of a table its ARN is one of its names here.
            yield from (each.arn for each in event.resources if names)


def _shown(event: Event, line: bytes) -> dict[str, Any]:
    """An event as LookupEvents shows it, without what is absent."""
    resources = [
        {"ResourceType": kind, "ResourceName": name} for kind, name in named_resources(event)
    ]
    shown = {
        "EventId": event.event_id,
        "EventName": event.event_name,
        "ReadOnly": str(event.read_only).lower(),
        "AccessKeyId": event.user_identity.get("accessKeyId"),
        "EventTime": _seconds_of(event),
        "EventSource": event.event_source,
        "Username": user_name_of(event.user_identity),
        "Resources": resources,
        "CloudTrailEvent": line.decode(),
    }
    return {name: value for name, value in shown.items() if value is not None}


def _seconds_of(event: Event) -> float:
    assert event.link is not None, "it was read from a file"
    return event.link.at // 1000


class CloudTrail:
    """The API: LookupEvents, over all files of the directory.

    Args:
        directory: of the audit log.
        now_ms: the clock.
        separate: each account and region has tables of its own.
    """

    def __init__(self, directory: Path, now_ms: Callable[[], int], *, separate: bool) -> None:
        self._directory = directory
        self._now_ms = now_ms
        self._separate = separate
        self._decisions = Decisions()
        self._running = 0

    async def respond(self, request: Request, caller: Caller) -> Response:
        """Answer a request of an authenticated caller; refusals are answers too."""
        try:
            return Response(200, _encode(await self._answer(request, caller)), JSON_1_1)
        except DynamoError as error:
            return self.refuse(error)

    def refuse(self, error: DynamoError) -> Response:
        """The answer to a request that is refused."""
        return Response(error.fault.status, encode_error(error), JSON_1_1)

    async def _answer(self, request: Request, caller: Caller) -> dict[str, object]:
        if request.headers[b"x-amz-target"].rpartition(b".")[2] != _OPERATION:
            raise DynamoError(Fault.UNKNOWN_OPERATION)
        try:
            asked = _decode(request.body or b"{}")
        except DECODE_ERRORS as error:
            raise DynamoError(Fault.SERIALIZATION) from error
        self._allow(caller)
        lookup = check(asked, self._now_ms())
        if self._running >= AUDIT_LOOKUPS_MAX:
            raise DynamoError(Fault.THROTTLED, messages.too_many_lookups())
        self._running += 1
        try:
            loop = asyncio.get_running_loop()
            page = await loop.run_in_executor(
                None, page_of, self._directory, lookup, self._sees(caller)
            )
        finally:
            self._running -= 1
        answer: dict[str, object] = {"Events": [_shown(*each) for each in page.events]}
        if page.after is not None:
            answer["NextToken"] = _token_of(page.after, _digest(asked))
        return answer

    def _allow(self, caller: Caller) -> None:
        """Raise AccessDeniedException unless the policies of the caller allow it."""
        subject = caller.subject
        if subject is None:
            return
        resource = GovernedResource("*", subject.principal.account)
        decision = self._decisions.decide(subject, _ACTION, resource, self._context(caller))
        if not decision.allowed:
            text = denial(decision, subject, _ACTION, resource, tells_all=False)
            raise DynamoError(Fault.FORBIDDEN, text)

    def _context(self, caller: Caller) -> Context:
        """The condition keys of a request."""
        connection = caller.connection
        if connection is None:
            return {}
        return connection_keys(
            region=caller.region,
            source_ip=connection.source_ip,
            is_secure=connection.is_secure,
            user_agent=connection.user_agent,
            now_ms=self._now_ms(),
        )

    def _sees(self, caller: Caller) -> Callable[[Event], bool]:
        """Which events a caller is shown: those of its account and region, where there are such."""
        account = None if caller.subject is None else caller.subject.principal.account
        if account is None and not self._separate:
            return _any
        account = account or caller.account

        def sees(event: Event) -> bool:
            is_theirs = event.recipient_account == account
            return is_theirs and (not self._separate or event.region == caller.region)

        return sees


def _any(_event: Event) -> bool:
    return True
