"""The pages of a server, beside its APIs: for operators, browsers, tests, and peers."""

from collections.abc import Iterable
from functools import cache

from hashrange.assembly.parts import Parts
from hashrange.clock import MovableClock
from hashrange.server.callers import claimed
from hashrange.server.localstack import localstack_pages
from hashrange.server.monitor import Monitor
from hashrange.server.pages import operator_pages, pages
from hashrange.server.routes import POST, VERIFY_PATH, Audience, Route
from hashrange.server.testing_clock import Controls, clock_pages, snapshot_pages
from hashrange.server.verified_heads import VerifiedHeads
from hashrange.settings.kinds import SQLITE
from hashrange.wire.exchange import Handler, Request, Response


def site_of(
    parts: Parts,
    monitor: Monitor,
    controls: Controls,
    others: Iterable[Route[Handler]],
    *,
    verified: VerifiedHeads | None,
) -> Handler:
    """The handler of all requests but `POST /`.

    Args:
        parts: those of this process.
        monitor: has what operators read.
        controls: what tests may do to the server.
        others: rows of the console and of APIs.
        verified: verifies signatures; None if they are not verified.
    """
    clock = parts.store.clock
    rows = [
        *operator_pages(
            fault=monitor.fault,
            notes=lambda: [*parts.storage.warnings(), *parts.damage.lines()],
            metrics=monitor.text,
            top=monitor.top,
            monotonic_ns=clock.monotonic_ns,
            token=parts.settings.metrics_token,
        ),
        *localstack_pages(monitor.fault, clock),
        _verification(parts, verified),
        *others,
    ]
    if parts.peering is not None:
        from hashrange.assembly.peering import peer_pages  # noqa: PLC0415 - few need it

        rows += peer_pages(parts.peering.endpoint)
    if isinstance(clock, MovableClock):
        rows += [*clock_pages(clock, controls.move), *snapshot_pages(controls.states)]
    return pages(rows)


def _verification(parts: Parts, verified: VerifiedHeads | None) -> Route[Handler]:
    """The page that has the server verify its data; what it consists of is made with its use."""
    clock, settings = parts.store.clock, parts.settings
    has_directory = settings.engine == SQLITE and not settings.memory

    @cache
    def made() -> Handler:
        from hashrange.api.steps.service_authorization import Authorizer  # noqa: PLC0415 - few need it
        from hashrange.server.verification import verify_page  # noqa: PLC0415

        return verify_page(
            settings.data if has_directory else None,
            authenticate=claimed if verified is None else verified.authenticate,
            failures=None if verified is None else verified.failures,
            authorizer=Authorizer(clock.now_ms),
            new_id=clock.new_uuid,
        )

    async def page(request: Request) -> Response:
        return await made()(request)

    return Route(POST, VERIFY_PATH.encode(), page, Audience.SIGNERS)
