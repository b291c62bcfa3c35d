"""Routes for who runs a server: access, and the state of the server."""

from typing import TYPE_CHECKING, Final

from hashrange.console.access import Accounts, Draft, Question, answer, report, require
from hashrange.console.sessions import Session
from hashrange.console.table_routes import decoded
from hashrange.limits.console import CONSOLE_POLICY_BYTES_MAX
from hashrange.policies.decisions import GovernedResource
from hashrange.policies.service_keys import CONDITION_KEYS
from hashrange.server.exchange import Request, Response
from hashrange.wire.answers import JSON, encode

if TYPE_CHECKING:
    from hashrange.console.routes import Console

_DESCRIBE: Final = "hashrange:DescribeServer"


async def access(console: "Console", request: Request, session: Session | None) -> Response:
    """May a user or role do something, and which statement decides it?"""
    caller = console.caller(request, session)
    question = decoded(request, Question, CONSOLE_POLICY_BYTES_MAX)
    return _json(await answer(question, _accounts(console), caller, console.now_ms()))


async def lint(console: "Console", request: Request, session: Session | None) -> Response:
    """What is wrong with a policy."""
    caller = console.caller(request, session)
    draft = decoded(request, Draft, CONSOLE_POLICY_BYTES_MAX)
    return _json(await report(draft, _accounts(console), caller, console.now_ms()))


def _accounts(console: "Console") -> Accounts:
    return Accounts(
        roster=None if console.roster is None else console.roster(),
        catalog=console.catalog,
        engine=console.engine,
        separate=console.separate,
        actions=console.actions,
    )


async def actions(console: "Console", _request: Request, _session: Session | None) -> Response:
    """All actions, with the condition keys that only some have."""
    found = {name: sorted(CONDITION_KEYS.get(name, ())) for name in sorted(console.actions)}
    return _json({"actions": found})


async def server(console: "Console", request: Request, session: Session | None) -> Response:
    """The state of the server, for who may see it."""
    _require_operator(console, request, session)
    return _json(await console.server.state())


async def settings(console: "Console", request: Request, session: Session | None) -> Response:
    """The settings in force, without secrets, for who may see the state of the server."""
    _require_operator(console, request, session)
    return _json({"settings": console.server.settings()})


def _require_operator(console: "Console", request: Request, session: Session | None) -> None:
    caller = console.caller(request, session)
    require(_DESCRIBE, GovernedResource("*", caller.account), caller, console.now_ms())


def _json(found: object) -> Response:
    return Response(200, encode(found), JSON)
