"""The routes of the console's pages: what only this server knows, and the way to its APIs."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.console import operator_routes
from hashrange.console.calls import ENDPOINT_HEADER, refusal_of_write
from hashrange.console.context import Console, json_response
from hashrange.console.designs import design
from hashrange.console.sessions import Session
from hashrange.console.site import console_mode
from hashrange.console.table_routes import capacity, history, stream, units
from hashrange.errors import DynamoError, invalid
from hashrange.limits.server import CONSOLE_SIGN_IN_BYTES_MAX
from hashrange.messages import server as messages
from hashrange.model.namespaces import namespace_prefix
from hashrange.model.structures.dynamodb import ExecuteStatement
from hashrange.server.routes import GET, POST, Audience, Route
from hashrange.settings.settings import Settings
from hashrange.tables.catalog.catalog import pages_of_tables
from hashrange.tables.jobs.jobs import jobs
from hashrange.wire.answers import JSON, encode
from hashrange.wire.codec import DECODE_ERRORS, Decoder
from hashrange.wire.exchange import Request, Response

_SIGN_IN: Final = "signin.amazonaws.com"
_TARGET: Final = b"SignIn.ConsoleLogin"
"""The name of a sign-in in the audit log, as CloudTrail has it."""
_KEPT: Final[tuple[bytes, ...]] = (b"host", b"user-agent")
_plan_decoder: Final = Decoder(ExecuteStatement)


Perform: TypeAlias = Callable[[Console, Request, Session | None], Awaitable[Response]]


class _SignIn(msgspec.Struct, frozen=True, rename="camel"):
    access_key: str
    secret_key: str
    session_token: str | None = None


async def _aws(console: Console, request: Request, session: Session | None) -> Response:
    """A request of an API, in the form of its SDKs."""
    if console.read_only and (refusal := refusal_of_write(request)) is not None:
        raise refusal
    name = request.headers.get(ENDPOINT_HEADER)
    if name is None:
        return await console.calls.perform(request, session)
    caller = console.caller(request, session)
    return await console.others.perform(name.decode("latin-1"), request, caller)


async def _plan(console: Console, request: Request, session: Session | None) -> Response:
    """How the statement of an ExecuteStatement would be run."""
    from hashrange.console.plans import NAME, ROWS  # noqa: PLC0415 - all of PartiQL

    typed = _plan_decoder.decode(request.body)
    perform = console.pipeline.performer(NAME, console.caller(request, session), ROWS)
    return json_response(await perform(typed))


async def _session(console: Console, request: Request, _session: Session | None) -> Response:
    """The server's facts, and who is signed in."""
    principal: dict[str, object] | None = None
    if console.sessions is not None:
        try:
            caller = console.caller(request, console.sessions.read(request))
        except DynamoError:
            return json_response({**console.facts, "principal": None})
        assert caller.subject is not None, "signatures are verified"
        principal = {"arn": caller.subject.principal.arn, "account": caller.account}
    return json_response({**console.facts, "principal": principal})


async def _sign_in(console: Console, request: Request, _session: Session | None) -> Response:
    """Begin a session with an access key."""
    if console.sessions is None or console.failures is None:
        return json_response({})
    if len(request.body) > CONSOLE_SIGN_IN_BYTES_MAX:
        raise invalid(messages.sign_in_members(), bare=True)
    try:
        given = msgspec.json.decode(request.body, type=_SignIn)
    except DECODE_ERRORS as error:
        raise invalid(messages.sign_in_members(), bare=True) from error
    headers: dict[bytes, bytes] = {
        name: request.headers[name] for name in _KEPT if name in request.headers
    }
    headers[b"x-amz-target"] = _TARGET
    attempt = Request(b"POST", b"/", b"", headers, b"{}", request.peer)
    token = given.session_token or None
    signed = console.calls.signed_with(attempt, given.access_key, given.secret_key, token)
    try:
        caller = console.authenticate(signed, None).caller
    except DynamoError as error:
        await console.failures.slow(request, error.fault)
        raise
    cookie, proof = console.sessions.begun(request, given.access_key, token)
    answer = Response(200, encode({"proof": proof}), JSON, ((b"Set-Cookie", cookie),))
    if console.recorder is None:
        return answer
    return console.recorder.record_call(signed, _SIGN_IN, caller, answer)


async def _sign_out(console: Console, request: Request, _session: Session | None) -> Response:
    """End a session."""
    if console.sessions is None:
        return json_response({})
    return Response(200, b"{}", JSON, ((b"Set-Cookie", console.sessions.ended(request)),))


async def _namespaces(console: Console, request: Request, session: Session | None) -> Response:
    """Accounts and regions with tables, of those that the caller can ask for."""
    caller = console.caller(request, session)
    counts: Counter[tuple[str, str]] = Counter()
    if console.separate:
        async for page in pages_of_tables(console.engine):
            counts.update((each.table.account, each.table.region) for each in page.values())
    found = [
        {"account": account, "region": region, "tables": tables}
        for (account, region), tables in sorted(counts.items())
        if caller.subject is None or account == caller.account
    ]
    return json_response({"namespaces": found})


async def _costs(console: Console, request: Request, session: Session | None) -> Response:
    from hashrange.console.estimate_routes import costs  # noqa: PLC0415 - megabytes, for few

    return await costs(console, request, session)


async def _what_if(console: Console, request: Request, session: Session | None) -> Response:
    from hashrange.console.estimate_routes import what_if  # noqa: PLC0415 - as for costs

    return await what_if(console, request, session)


async def _jobs(console: Console, request: Request, session: Session | None) -> Response:
    """The jobs of the caller's tables, of the kinds that its policies let it list."""
    from hashrange.console.jobs import visible_jobs  # noqa: PLC0415 - the operations of all jobs

    caller = console.caller(request, session)
    prefix = namespace_prefix(caller.account, caller.region) if console.separate else ""
    found = await jobs(console.engine, await console.live_jobs(), prefix=prefix)
    return json_response(await visible_jobs(found, console.pipeline, caller))


API: Final = b"/_console/api/"
ROUTES: Final[Sequence[Route[Perform]]] = (
    Route(POST, API + b"aws", _aws, Audience.SIGNED_IN),
    Route(POST, API + b"plan", _plan, Audience.SIGNED_IN),
    Route(POST, API + b"capacity", capacity, Audience.SIGNED_IN),
    Route(POST, API + b"history", history, Audience.SIGNED_IN),
    Route(POST, API + b"costs", _costs, Audience.SIGNED_IN),
    Route(POST, API + b"what-if", _what_if, Audience.SIGNED_IN),
    Route(POST, API + b"stream", stream, Audience.SIGNED_IN),
    Route(POST, API + b"units", units, Audience.SIGNED_IN),
    Route(GET, API + b"namespaces", _namespaces, Audience.SIGNED_IN),
    Route(GET, API + b"jobs", _jobs, Audience.SIGNED_IN),
    Route(GET, API + b"actions", operator_routes.actions, Audience.SIGNED_IN),
    Route(POST, API + b"access", operator_routes.access, Audience.SIGNED_IN),
    Route(POST, API + b"lint", operator_routes.lint, Audience.SIGNED_IN),
    Route(POST, API + b"design", design, Audience.SIGNED_IN),
    Route(POST, API + b"past", operator_routes.past, Audience.SIGNED_IN),
    Route(GET, API + b"server", operator_routes.server, Audience.SIGNED_IN),
    Route(GET, API + b"regions", operator_routes.regions, Audience.SIGNED_IN),
    Route(GET, API + b"settings", operator_routes.settings, Audience.SIGNED_IN),
    Route(GET, API + b"session", _session),
    Route(POST, API + b"sign-in", _sign_in),
    Route(POST, API + b"sign-out", _sign_out),
)
"""Documented in docs/internals/console.md."""


def facts_of(settings: Settings, version: str) -> dict[str, object]:
    """The settings on pages."""
    return {
        "version": version,
        "auth": settings.auth,
        "console": console_mode(settings),
        "namespaces": settings.namespaces,
        "throttle": settings.throttle,
        "endpoints": sorted(settings.console_endpoints),
    }
