"""Makes the records of requests, and puts them into the trail."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from hashrange.access.signatures.canonical import Scope
from hashrange.access.signatures.sigv4 import caller as caller_of
from hashrange.api.audit.events import (
    STREAM_TYPE,
    TABLE_TYPE,
    VERSION,
    Event,
    Resource,
    bounded,
    shown_body,
    time_text,
)
from hashrange.api.audit.facts import (
    error_of,
    json_of,
    of_call,
    of_management,
    safe_message,
)
from hashrange.api.audit.parameters import described
from hashrange.api.audit.principals import identity_of
from hashrange.api.dynamodb.registry import DYNAMODB
from hashrange.api.steps.operation import Caller
from hashrange.errors import DynamoError, Fault
from hashrange.limits.access import AUDIT_TEXT_CHARS_MAX
from hashrange.model.operations import OPERATION_FACTS, is_read_only
from hashrange.model.table_features import label_of
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.opened.open_table import OpenTable
from hashrange.wire.arns import Arn, parsed, stream_arn, table_arn
from hashrange.wire.exchange import Request, Response

_ERROR_STATUS: Final = 400
_DENIED: Final = "AccessDenied"
"""The error codes of denials in records. Source: measured by users, September 2026."""
_RECOVERY: Final = "UpdateContinuousBackups"
_IAM: Final = "iam.amazonaws.com"
_IAM_EXCEPTIONS: Final = frozenset(
    {
        "DeleteConflict",
        "EntityAlreadyExists",
        "InvalidInput",
        "LimitExceeded",
        "MalformedPolicyDocument",
        "NoSuchEntity",
    }
)
"""Codes of IAM that records have by the names of the API's model, which end in `Exception`."""

_is_action: Final = re.compile(r"[A-Za-z0-9]{1,64}").fullmatch


class Recorder:
    """Makes the records of one process.

    Args:
        put: takes a record and its time.
        catalog: finds the tables that requests name, among those that are cached.
        now_ms: the clock.
        event_ids: ids of records.
        identified: gives a response its request id.
        selection: the data events that are recorded.
    """

    def __init__(
        self,
        put: Callable[[Event, int], None],
        catalog: Catalog,
        *,
        now_ms: Callable[[], int],
        event_ids: Iterator[str],
        identified: Callable[[Response], Response],
        selection: "DataEvents",
    ) -> None:
        self._put = put
        self._catalog = catalog
        self._now_ms = now_ms
        self._event_ids = event_ids
        self._identified = identified
        self._selection = selection

    def record(
        self, request: Request, operation: str, caller: Caller, response: Response
    ) -> Response:
        """Record a request of DynamoDB's API; returns the response, with its request id."""
        facts = OPERATION_FACTS.get(operation)
        is_data = facts is not None and facts.is_data_event
        if is_data and not self._selection.any:
            return response
        tables = _Tables(self._catalog, caller, separate=self._selection.separate)
        if is_data:
            found = described(operation, request.body, tables.key_names)
            if not self._selection.has(map(tables.name_of, found.tables)):
                return response
        else:
            found = of_management(request.body)
        response = self._identified(response)
        elements = None
        if response.status < _ERROR_STATUS and facts is not None and facts.is_answer_recorded:
            elements = shown_body(response.body, "responseElements")
        code, message = error_of(response.status, response.body)
        if is_data:
            message = safe_message(code, message, request.body)
        resources = [each for name in found.tables for each in tables.resources(name)]
        if not is_data:
            resources = [each for each in resources if each.type == TABLE_TYPE]
        if operation == _RECOVERY and code == Fault.VALIDATION.code:
            resources = []  # measured by users, September 2026
        self._finish(
            request,
            caller,
            event_source=DYNAMODB.domain,
            event_name=operation,
            error_code=_DENIED if code == Fault.ACCESS_DENIED.code else code,
            error_message=message,
            request_parameters=bounded(found.parameters, "requestParameters"),
            response_elements=bounded(elements, "responseElements"),
            request_id=response.request_id.decode(),
            resources=tuple(resources),  # none, and the record has no such member
            api_version=DYNAMODB.version,
            management_event=not is_data,
            event_category="Data" if is_data else "Management",
        )
        return response

    def record_call(
        self,
        request: Request,
        source: str,
        caller: Caller,
        response: Response,
        *,
        unless: Container[str] = (),
    ) -> Response:
        """Record a request of another API; returns the response, with its request id.

        Args:
            request: with parameters in JSON, in CBOR or in a form.
            source: the name of the API's service, such as `iam.amazonaws.com`.
            caller: who sent it.
            response: in JSON, CBOR or XML.
            unless: operations that are not recorded.
        """
        name, parameters = of_call(request)
        if name in unless:
            return response
        name = name if _is_action(name) else "Unknown"
        response = self._identified(response)
        code, message = error_of(response.status, json_of(response.content_type, response.body))
        self._finish(
            request,
            caller,
            event_source=source,
            event_name=name,
            error_code=f"{code}Exception" if source == _IAM and code in _IAM_EXCEPTIONS else code,
            error_message=message,
            request_parameters=bounded(parameters, "requestParameters"),
            response_elements=None,
            request_id=response.request_id.decode(),
            management_event=True,
            event_category="Management",
        )
        return response

    def _finish(
        self, request: Request, caller: Caller, *, error_message: str | None, **members: Any
    ) -> None:
        """Put a record into the trail, and one for each other account whose tables it is about."""
        at_ms = self._now_ms()
        account, agent = _account_of(caller), request.headers.get(b"user-agent", b"")
        event = Event(
            event_version=VERSION,
            user_identity=identity_of(caller, _scope_of(request, caller)),
            event_time=time_text(at_ms),
            region=caller.region,
            source_ip=request.peer.address,
            user_agent=agent.decode("latin-1")[:AUDIT_TEXT_CHARS_MAX],
            event_id=next(self._event_ids),
            read_only=is_read_only(members["event_name"]),
            event_type="AwsApiCall",
            error_message=error_message and error_message[:AUDIT_TEXT_CHARS_MAX],
            recipient_account=account,
            **members,
        )
        owners = () if caller.subject is None else {each.account for each in event.resources}
        if not owners or owners == {account}:
            self._put(event, at_ms)
            return
        shared = msgspec.structs.replace(event, shared_event_id=next(self._event_ids))
        self._put(shared, at_ms)
        for owner in sorted(owners - {account}):
            theirs = next(self._event_ids)
            each = msgspec.structs.replace(shared, recipient_account=owner, event_id=theirs)
            self._put(each, at_ms)


class DataEvents(msgspec.Struct, frozen=True, kw_only=True):
    """Which data events are recorded.

    Attributes:
        tables: names of tables; None for all.
        separate: each account and region has tables of its own.
    """

    tables: frozenset[str] | None = frozenset()
    separate: bool = False

    @property
    def any(self) -> bool:
        """Whether any is."""
        return self.tables is None or bool(self.tables)

    def has(self, names: Iterable[str]) -> bool:
        """Whether the event of a request on these tables is."""
        return self.tables is None or not self.tables.isdisjoint(names)


class _Tables:
    """The tables that a request names, as its caller sees them."""

    def __init__(self, catalog: Catalog, caller: Caller, *, separate: bool) -> None:
        view = catalog.within(caller.account, caller.region) if separate else catalog
        self._cached = view.cached
        self._caller = caller

    def name_of(self, table: str) -> str:
        """The name of a table that was named by its name or its ARN."""
        if not table.startswith("arn:"):
            return table
        arn = parsed(table)
        return table if arn is None else arn.table

    def _find(self, table: str) -> OpenTable | None:
        return self._cached(self.name_of(table))

    def key_names(self, table: str) -> Sequence[str]:
        """The names of a table's key attributes; empty for a table that is not there."""
        found = self._find(table)
        return () if found is None else found.key_names

    def resources(self, table: str) -> Iterator[Resource]:
        """A table and, if it has one, its stream."""
        opened = self._find(table)
        if opened is not None:
            definition = opened.table
            yield Resource(definition.account, TABLE_TYPE, definition.arn)
            if definition.stream is not None:
                label = label_of(definition.stream.created_ms)
                stream = stream_arn(definition.arn, label)
                yield Resource(definition.account, STREAM_TYPE, stream)
            return
        arn = parsed(table) if table.startswith("arn:") else None
        caller = self._caller
        named = arn or Arn(caller.region, caller.account, table[:AUDIT_TEXT_CHARS_MAX])
        text = table_arn(region=named.region, account=named.account, table=named.table)
        yield Resource(named.account, TABLE_TYPE, text)


def _scope_of(request: Request, caller: Caller) -> Scope | None:
    if caller.subject is not None:
        return None
    try:
        return caller_of(request.headers, request.query).scope
    except DynamoError:
        return None


def _account_of(caller: Caller) -> str:
    if caller.subject is None:
        return caller.account
    return caller.subject.principal.account or caller.account


def gap_event(dropped: int, *, region: str, event_id: str, now_ms: int) -> Event:
    """The record that says how many records are missing in its place."""
    return Event(
        event_version=VERSION,
        user_identity={"type": "AWSService", "invokedBy": "hashrange"},
        event_time=time_text(now_ms),
        event_source="hashrange",
        event_name=GAP,
        region=region,
        source_ip="hashrange",
        user_agent="hashrange",
        request_parameters=None,
        response_elements=None,
        additional_event_data={"droppedRecords": dropped},
        request_id="",
        event_id=event_id,
        read_only=False,
        event_type="AwsServiceEvent",
        management_event=True,
        recipient_account="",
        event_category="Management",
    )


GAP: Final = "RecordsDropped"
"""The event name of records of gaps."""
