"""The context of the routes of the console, their requests and answers."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from hashrange.access.identities.roster import Roster
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer
from hashrange.console.calls import Calls, OtherEndpoints
from hashrange.console.server_state import ServerView
from hashrange.console.sessions import Session, Sessions
from hashrange.errors import invalid
from hashrange.limits.server import CONSOLE_REQUEST_BYTES_MAX
from hashrange.messages import server as messages
from hashrange.observe.snapshot import JobState
from hashrange.server.callers import Authenticate
from hashrange.server.capacity_view import CapacityView
from hashrange.server.endpoint import Recorder
from hashrange.server.failed_signatures import FailedSignatures
from hashrange.server.monitor import UnitRateKeeper
from hashrange.storage.engine import Engine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.wire.answers import JSON, encode
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.exchange import Request, Response

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """The context of the routes.

    Attributes:
        calls: performs requests of the APIs.
        authenticate: the caller of a signed request.
        pipeline: plans statements.
        engine: has the tables and the jobs, for the lists of namespaces and jobs.
        live_jobs: reads how far the jobs of this server have come.
        server: reads the state of the server.
        catalog: the whole catalog.
        others: performs requests on other endpoints.
        facts: of the server, as its pages show them.
        keeper: has the counts of the server, and its last hour.
        capacity: has the partitions of tables.
        now_ms: the clock.
        authorizer: decides what a caller may ask of routes that are no operation.
        read_only: requests that write are refused.
        separate: each account and region has tables of its own.
        sessions: None if signatures are not verified, so nobody signs in.
        failures: delays answers to failed sign-ins; None without sessions.
        recorder: makes the audit log; None for no log.
        simulating: held by a simulation; they share the processor with requests.
        inspect_command: the command that inspects a model, which its standard input has.
        inspecting: held while it runs; one process is enough.
        roster: all identities; None if signatures are not verified, or the identities are not here.
        actions: reads all actions of the server, as policies name them.
    """

    calls: Calls
    authenticate: Authenticate
    pipeline: Pipeline
    catalog: Catalog
    engine: Engine
    live_jobs: Callable[[], Awaitable[Sequence[JobState]]]
    server: ServerView
    others: OtherEndpoints
    facts: Mapping[str, object]
    keeper: UnitRateKeeper
    capacity: CapacityView
    now_ms: Callable[[], int]
    authorizer: Authorizer
    read_only: bool = False
    separate: bool = False
    sessions: Sessions | None = None
    failures: FailedSignatures | None = None
    recorder: Recorder | None = field(default=None)
    simulating: asyncio.Lock = field(default_factory=asyncio.Lock)
    inspect_command: Sequence[str] = ()
    inspecting: asyncio.Lock = field(default_factory=asyncio.Lock)
    roster: Callable[[], Roster] | None = None
    actions: Callable[[], AbstractSet[str]] = frozenset

    def caller(self, request: Request, session: Session | None) -> Caller:
        """The caller that a session stands for. Raises DynamoError: its key is not valid."""
        return self.authenticate(self.calls.signed(request, session), None).caller


def decoded(request: Request, kind: type[R], bytes_max: int = CONSOLE_REQUEST_BYTES_MAX) -> R:
    """The body of a request. Raises DynamoError."""
    if len(request.body) > bytes_max:
        raise invalid(messages.unreadable_request("it is too long"), bare=True)
    try:
        return msgspec.json.decode(request.body, type=kind)
    except DECODE_ERRORS as error:
        raise invalid(messages.unreadable_request(str(error)), bare=True) from error


def json_response(found: object) -> Response:
    """An answer of a route."""
    return Response(200, encode(found), JSON)
