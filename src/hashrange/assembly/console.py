"""The console of a server: its routes, connected to the endpoint."""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import TYPE_CHECKING

from hashrange.api.requests.pipeline import Pipeline
from hashrange.assembly.access import Access
from hashrange.assembly.parts import Parts
from hashrange.background.tasks import BackgroundTasks
from hashrange.console.site import ConsoleSite, console_mode
from hashrange.server.callers import claimed
from hashrange.server.endpoint import Endpoint
from hashrange.server.monitor import Monitor, UnitRateKeeper
from hashrange.server.routes import Route
from hashrange.server.verified_heads import VerifiedHeads
from hashrange.settings import kinds
from hashrange.wire.exchange import Handler

if TYPE_CHECKING:
    from hashrange.console.dispatch import Dispatch


@asynccontextmanager
async def console_of(
    parts: Parts,
    access: Access,
    monitor: Monitor,
    endpoint: Endpoint,
    *,
    pipeline: Pipeline,
    verified: VerifiedHeads | None,
) -> AsyncIterator[Sequence[Route[Handler]]]:
    """Within a context, the rows of the console among pages; none if it is off."""
    if console_mode(parts.settings) is kinds.Console.OFF:
        yield ()
        return
    keeper = UnitRateKeeper(monitor, parts.store.clock.now_ms)
    make = partial(_dispatch, parts, access, keeper, endpoint, pipeline=pipeline, verified=verified)
    console, tasks = ConsoleSite(make), BackgroundTasks()
    tasks.begin([keeper])
    try:
        yield console.rows()
    finally:
        await tasks.end()
        await console.close()


def _dispatch(
    parts: Parts,
    access: Access,
    keeper: UnitRateKeeper,
    endpoint: Endpoint,
    *,
    pipeline: Pipeline,
    verified: VerifiedHeads | None,
) -> "Dispatch":
    from importlib.metadata import version  # noqa: PLC0415 - most servers run without a browser

    from hashrange.access.signatures.signing import Credentials as Keys  # noqa: PLC0415
    from hashrange.api.steps.service_authorization import Authorizer  # noqa: PLC0415
    from hashrange.console.calls import Calls, OtherEndpoints  # noqa: PLC0415
    from hashrange.console.context import Console  # noqa: PLC0415
    from hashrange.console.dispatch import Dispatch  # noqa: PLC0415
    from hashrange.console.routes import facts_of  # noqa: PLC0415
    from hashrange.console.server_state import ServerView  # noqa: PLC0415
    from hashrange.console.sessions import Sessions  # noqa: PLC0415
    from hashrange.server.capacity_view import CapacityView  # noqa: PLC0415
    from hashrange.settings.sources import client_keys  # noqa: PLC0415

    settings, store = parts.settings, parts.store
    clock = store.clock
    access_key, secret_key, token, region = client_keys()
    keys = Keys(access_key=access_key, secret_key=secret_key, session_token=token, region=region)
    strong = parts.strong
    members = tuple if strong is None else strong.running.reports
    sessions = None
    if verified is not None:
        sessions = Sessions(lambda: store.secret, clock.now_ms, clock.new_uuid)
    return Dispatch(
        Console(
            calls=Calls(
                endpoint.respond, access.credentials, clock.now_ms, endpoint.apis.service_of
            ),
            authenticate=claimed if verified is None else verified.authenticate,
            pipeline=pipeline,
            catalog=parts.catalog,
            engine=store.engine,
            live_jobs=keeper.monitor.all_jobs,
            server=ServerView(settings, keeper.monitor, clock, members),
            others=OtherEndpoints(settings.console_endpoints, keys, clock),
            facts=facts_of(settings, version("hashrange")),
            keeper=keeper,
            capacity=CapacityView(parts.capacities, parts.catalog, clock.now_ms),
            now_ms=clock.now_ms,
            authorizer=Authorizer(clock.now_ms),
            read_only=console_mode(settings) is kinds.Console.READ_ONLY,
            separate=settings.namespaces is kinds.Namespaces.SEPARATE,
            sessions=sessions,
            failures=None if verified is None else verified.failures,
            recorder=endpoint.recorder,
            # -P: a file of the current directory must not shadow a module.
            inspect_command=(sys.executable, "-P", "-m", "hashrange", "inspect-model"),
            roster=access.roster,
            actions=_actions,
        )
    )


@cache
def _actions() -> frozenset[str]:
    """All actions of the server. They need the modules of all its services: megabytes."""
    from hashrange.api.iam.known_actions import known_actions  # noqa: PLC0415 - few pages ask

    return known_actions()
