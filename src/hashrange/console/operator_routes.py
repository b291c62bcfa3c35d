"""Routes for who runs a server: access, and the state of the server."""

from typing import Final

import msgspec

from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.policies.service_keys import CONDITION_KEYS
from hashrange.console.access import AccessQuery, Accounts, Draft, answer, report, require
from hashrange.console.context import Console, decoded, json_response
from hashrange.console.described import described
from hashrange.console.sessions import Session
from hashrange.errors import invalid
from hashrange.limits.server import CONSOLE_PAST_RECORDS_MAX, CONSOLE_POLICY_BYTES_MAX
from hashrange.messages import server as messages
from hashrange.model.namespaces import stored_name_of
from hashrange.tables.snapshots.past_size import past_size
from hashrange.wire.exchange import Request, Response


class _PastSizeOf(msgspec.Struct, frozen=True):
    table_name: str = msgspec.field(name="TableName")
    time_ms: int = msgspec.field(name="timeMs")


_DAY_MS: Final = 24 * 60 * 60 * 1000
_DESCRIBE: Final = "hashrange:DescribeServer"


async def access(console: Console, request: Request, session: Session | None) -> Response:
    """May a user or role do something, and which statement decides it?"""
    caller = console.caller(request, session)
    query = decoded(request, AccessQuery, CONSOLE_POLICY_BYTES_MAX)
    return json_response(await answer(query, _accounts(console), caller))


async def lint(console: Console, request: Request, session: Session | None) -> Response:
    """The faults of a policy."""
    caller = console.caller(request, session)
    draft = decoded(request, Draft, CONSOLE_POLICY_BYTES_MAX)
    return json_response(await report(draft, _accounts(console), caller))


def _accounts(console: Console) -> Accounts:
    return Accounts(
        authorizer=console.authorizer,
        roster=None if console.roster is None else console.roster(),
        catalog=console.catalog,
        engine=console.engine,
        separate=console.separate,
        actions=console.actions(),
    )


async def actions(console: Console, _request: Request, _session: Session | None) -> Response:
    """All actions, with the condition keys that only some have."""
    found = {name: sorted(CONDITION_KEYS.get(name, ())) for name in sorted(console.actions())}
    return json_response({"actions": found})


async def past(console: Console, request: Request, session: Session | None) -> Response:
    """The items and bytes that a table had at a time, for who may describe it."""
    asked = decoded(request, _PastSizeOf)
    shown = await described(console.pipeline, console.caller(request, session), asked.table_name)
    name = stored_name_of(shown["TableArn"], separate=console.separate)
    opened = await console.catalog.open(name)
    recovery = None if opened is None else opened.table.recovery
    days_ms = 0 if recovery is None else console.now_ms() - recovery.days * _DAY_MS
    if opened is None or recovery is None or asked.time_ms < max(recovery.since_ms, days_ms):
        raise invalid(messages.no_past(asked.table_name), bare=True)
    found = await past_size(console.engine, opened, asked.time_ms, CONSOLE_PAST_RECORDS_MAX)
    return json_response({"size": found})


async def server(console: Console, request: Request, session: Session | None) -> Response:
    """The state of the server, for who may see it."""
    _require_operator(console, request, session)
    return json_response(await console.server.state())


async def regions(console: Console, request: Request, session: Session | None) -> Response:
    """The regions, for who may see the state of the server."""
    _require_operator(console, request, session)
    return json_response(await console.server.regions())


async def settings(console: Console, request: Request, session: Session | None) -> Response:
    """The settings in force, without secrets, for who may see the state of the server."""
    _require_operator(console, request, session)
    return json_response({"settings": console.server.settings()})


def _require_operator(console: Console, request: Request, session: Session | None) -> None:
    caller = console.caller(request, session)
    require(console.authorizer, _DESCRIBE, GovernedResource("*", caller.account), caller)
