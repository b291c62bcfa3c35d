"""CloudTrail's LookupEvents on the port of the database, over the files of the audit log.

Source: API Reference of CloudTrail, LookupEvents; its texts are our own.
"""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from hashrange.access.policies.decisions import GovernedResource
from hashrange.api.audit.events import TABLE_TYPE, Event, decode
from hashrange.api.audit.principals import user_name_of
from hashrange.api.audit.reading import END, Budget, Place, backward
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Requirement
from hashrange.errors import DynamoError, Fault
from hashrange.limits.access import (
    AUDIT_LOOKUP_BYTES_MAX,
    AUDIT_LOOKUP_FILES_MAX,
    AUDIT_LOOKUPS_MAX,
    LOOKUP_EVENTS_MAX,
)
from hashrange.messages import access as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.cloudtrail import (
    LookupEvent,
    LookupEvents,
    LookupEventsAnswer,
    LookupResource,
)
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import Service, ServiceOperation, by_name


def named_resources(event: Event) -> Iterator[tuple[str, str]]:
    """The types and names of the resources that LookupEvents shows."""
    facts = OPERATION_FACTS.get(event.event_name)
    members = None if facts is None else facts.lookup_members
    if members is None:
        for each in event.resources:
            yield each.type, each.arn.partition("/")[2]
        return
    parameters = event.request_parameters
    if isinstance(parameters, dict):
        names = [parameters.get(member) for member in members]
        yield from ((TABLE_TYPE, name) for name in names if isinstance(name, str))


DAYS: Final = 90
_DAY_MS: Final = 24 * 60 * 60 * 1000
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


class Lookup(msgspec.Struct, frozen=True):
    """A checked request: an attribute and its value, a range of time in milliseconds, a page."""

    attribute: tuple[str, str] | None
    since_ms: int
    until_ms: int
    max_results: int
    before: Place


_decode_place: Final = msgspec.json.Decoder(tuple[str, int, str, int]).decode
_encode: Final = msgspec.json.Encoder().encode


def check(request: LookupEvents, now_ms: int) -> Lookup:
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


def _digest(request: LookupEvents) -> str:
    """A digest of the parameters to which a token is bound."""
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


def page_of(directory: Path, lookup: Lookup, has: Callable[[Event], bool], bytes_max: int) -> Page:
    """A page of management events, newest first; it may be short, or empty, and have a next one.

    Raises OSError.
    """
    budget = Budget(bytes_max)
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


def _shown(event: Event, line: bytes) -> LookupEvent:
    """An event as LookupEvents shows it."""
    access_key = event.user_identity.get("accessKeyId")
    return LookupEvent(
        event_id=event.event_id,
        event_name=event.event_name,
        read_only=str(event.read_only).lower(),
        access_key_id=None if access_key is None else str(access_key),
        event_time=_seconds_of(event),
        event_source=event.event_source,
        username=user_name_of(event.user_identity),
        resources=[LookupResource(*each) for each in named_resources(event)],
        cloud_trail_event=line.decode(),
    )


def _seconds_of(event: Event) -> float:
    assert event.link is not None, "it was read from a file"
    return event.link.at // 1000


class CloudTrail:
    """The backend of CloudTrail, with all files of a directory: see `service_api.Backend`.

    Args:
        directory: of the audit log.
        now_ms: the clock.
        separate: each account and region has tables of its own.
        lookup_bytes_max: read for one request.
    """

    def __init__(
        self,
        directory: Path,
        now_ms: Callable[[], int],
        *,
        separate: bool,
        lookup_bytes_max: int = AUDIT_LOOKUP_BYTES_MAX,
    ) -> None:
        self._directory = directory
        self._lookup_bytes_max = lookup_bytes_max
        self._now_ms = now_ms
        self._separate = separate
        self._running = 0

    def context(self, caller: Caller) -> "_Context":
        """The files, as a caller sees them."""
        return _Context(self, caller)

    async def requirements(
        self, action: str, _typed: LookupEvents, caller: Caller, _context: "_Context"
    ) -> list[Requirement]:
        """The operation, which has no resource."""
        return [Requirement(action, GovernedResource("*", caller.account))]

    async def look_up(self, request: LookupEvents, caller: Caller) -> LookupEventsAnswer:
        """LookupEvents. Raises DynamoError, OSError."""
        lookup = check(request, self._now_ms())
        if self._running >= AUDIT_LOOKUPS_MAX:
            raise DynamoError(Fault.THROTTLED, messages.too_many_lookups())
        self._running += 1
        try:
            loop = asyncio.get_running_loop()
            page = await loop.run_in_executor(
                None, page_of, self._directory, lookup, self._sees(caller), self._lookup_bytes_max
            )
        finally:
            self._running -= 1
        token = None if page.after is None else _token_of(page.after, _digest(request))
        return LookupEventsAnswer([_shown(*each) for each in page.events], token)

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


class _Context(msgspec.Struct, frozen=True):
    """The files, and who looks at them."""

    files: CloudTrail
    caller: Caller


def _any(_event: Event) -> bool:
    return True


async def _look_up(request: LookupEvents, context: _Context) -> LookupEventsAnswer:
    return await context.files.look_up(request, context.caller)


_OPERATIONS: Final = by_name(ServiceOperation(request=LookupEvents, run=_look_up))

CLOUDTRAIL: Final = Service(
    name="cloudtrail",
    version="2013-11-01",
    protocols=(JsonProtocol(target=b"com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101"),),
    operations=lambda: _OPERATIONS,
    denied=partial(DynamoError, Fault.FORBIDDEN),
)
