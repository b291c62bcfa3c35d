"""The composition root of a server of one process: opens its parts and connects them."""

import asyncio
import contextlib
import gc
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from hashrange.api.audit.installation import installed
from hashrange.api.dynamodb.insights.counting import KeyCounting
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import TableChoices
from hashrange.api.steps.unit_counting import UnitCounting
from hashrange.assembly.access import Access, access_of, ensure_users
from hashrange.assembly.apis import other_apis
from hashrange.assembly.background_services import BackgroundServices, triggers_of
from hashrange.assembly.console import console_of
from hashrange.assembly.dax_endpoint import ALL_OF_DAX, DaxEndpoint, DaxShare
from hashrange.assembly.dax_nodes import clusters_of
from hashrange.assembly.engines.kinds import opened
from hashrange.assembly.observing import observing
from hashrange.assembly.parts import Parts, clock_of, made_ready, parts_of, transient_ms
from hashrange.assembly.site import site_of
from hashrange.assembly.state_keeper import RestartedServices, StateKeeper
from hashrange.background.capacity_keeper import CapacityKeeper
from hashrange.background.tasks import BackgroundTask, BackgroundTasks
from hashrange.background.watched_tables import LOOK_SECONDS
from hashrange.clock import Clock, draws
from hashrange.limits.requests import PAGE_BYTES_MAX
from hashrange.limits.server import FAIR_TURN_MS_MAX
from hashrange.observe.figures import Figures, joined
from hashrange.observe.snapshot import SlowRequest
from hashrange.server.addresses import bound
from hashrange.server.callers import SignatureCheck
from hashrange.server.capacity_view import CapacityView
from hashrange.server.certificates import context_in, ensure_certificate, renew_certificate
from hashrange.server.draining import hangups, signals, watch_input
from hashrange.server.endpoint import Endpoint
from hashrange.server.failed_signatures import FailedSignatures
from hashrange.server.heads import HeadReader
from hashrange.server.hosts import Hosts, Origins
from hashrange.server.http_limits import http_limits_of
from hashrange.server.listener import Listener
from hashrange.server.machine_figures import MachineFigures, machine_figures
from hashrange.server.monitor import Monitor
from hashrange.server.pages import service_page
from hashrange.server.request_log import RequestLog
from hashrange.server.request_queue import RequestQueue
from hashrange.server.request_rates import RequestRates
from hashrange.server.responses import RANDOM_BYTES, request_ids
from hashrange.server.sampler import Sampler
from hashrange.server.testing_clock import Controls
from hashrange.server.verified_heads import VerifiedHeads
from hashrange.settings.kinds import Auth, Namespaces
from hashrange.settings.rules import fault_rules, latency_rules
from hashrange.settings.settings import Settings

if TYPE_CHECKING:
    from hashrange.access.identities.stored_credentials import Credentials
    from hashrange.api.requests.disturbances import Faults, Latencies

GARBAGE_ALLOCATIONS: Final = 50_000
"""Objects allocated, less those freed, between two garbage collections."""
SWITCH_SECONDS: Final = 0.000_1
"""How long a thread keeps the interpreter while another thread waits for it."""

_log: Final = logging.getLogger(__name__)


Server: TypeAlias = Callable[[Settings], AbstractAsyncContextManager[str]]
"""Runs a server within a context, from its first request to its last; yields its URL."""


async def serve(
    settings: Settings, announce: Callable[[str], None], server: Server | None = None
) -> None:
    """Serve until SIGTERM, SIGINT or, if so set, the end of standard input; then drain.

    Args:
        settings: those of the operator.
        announce: called with the server's URL once it is reachable.
        server: runs the server; a server of one process if None.

    Raises:
        TriggerError: the file of triggers cannot be used.
        TlsError: the files of TLS cannot be used.
        StorageOpenError: the data cannot be opened.
        OSError: the address cannot be listened on.
    """
    stop = asyncio.Event()
    with signals(stop.set):
        if settings.stop_with_input:
            watch_input(stop.set)
        async with (server or running)(settings) as endpoint:
            tune_interpreter()
            announce(endpoint)
            await stop.wait()
            _log.info("stopping: open requests get up to %d s", settings.drain_seconds)


def tune_interpreter() -> None:
    """Make garbage collections rare and thread switches fast. Saves 4 % of a put.

    Requests leave next to no cycles, and the objects that exist now stay. The thread that syncs for
    the event loop would otherwise wait for the interpreter as long as a sync takes.
    """
    gc.freeze()  # with the little garbage of imports: to collect it takes a tenth of the start
    gc.set_threshold(GARBAGE_ALLOCATIONS)
    sys.setswitchinterval(SWITCH_SECONDS)


@contextlib.asynccontextmanager
async def running(
    settings: Settings,
    credentials: "Credentials | None" = None,
    *,
    clock: Clock | None = None,
    page_bytes_max: int = PAGE_BYTES_MAX,
) -> AsyncIterator[str]:
    """Run a server in this event loop, from its first request to its last; yields its URL.

    Args:
        settings: those of the operator.
        credentials: of the callers with `--auth required`; those in the engine if None.
        clock: that of the settings if None.
        page_bytes_max: as of `Store`.
    """
    triggers = triggers_of(settings)
    async with contextlib.AsyncExitStack() as stack:
        # Before the data directory is made: if the port is taken, nothing must be left behind.
        sockets = await bound(settings.host, settings.port)
        dax_port = settings.dax_port
        dax_sockets = () if dax_port is None else await bound(settings.host, dax_port)
        for each in (*sockets, *dax_sockets):
            stack.callback(each.close)
        clock = clock or clock_of(settings)
        ensure_certificate(settings, clock.now_ms())
        storage = await stack.enter_async_context(opened(settings, now_ms=clock.now_ms))
        parts = parts_of(settings, storage, clock)
        parts.store.page_bytes_max = page_bytes_max
        if parts.peering is not None:
            stack.push_async_callback(parts.peering.calls.close)
        await made_ready(parts)
        if credentials is None:
            await ensure_users(parts, sys.stderr.write)
        access = await stack.enter_async_context(access_of(parts, credentials))
        shared = parts.storage.is_shared
        background = await RestartedServices.of(
            lambda: BackgroundServices.of(
                parts,
                triggers,
                arrived=lambda: parts.metrics.traffic.bytes_received,
                watch_seconds=LOOK_SECONDS if shared else None,
            )
        )
        listener, monitor = await stack.enter_async_context(
            answering(
                parts,
                sockets=sockets,
                of_dax=DaxShare(dax_sockets),
                figures=background.figures,
                controls=Controls(background.move, StateKeeper(parts, background).perform),
                access=access,
            )
        )
        monitor.jobs = background.jobs
        if settings.tls_files is not None:
            stack.enter_context(hangups(lambda: renew_certificate(settings, listener)))
        # Ends before the open requests are answered, so that another server can take its lease.
        background.begin()
        stack.push_async_callback(background.end)
        yield endpoint_of(settings, listener.port)


def endpoint_of(settings: Settings, port: int) -> str:
    """The URL of a server that listens on a port."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    scheme = "http" if settings.tls_files is None else "https"
    return f"{scheme}://{host}:{port}"


@contextlib.asynccontextmanager
async def answering(
    parts: Parts,
    *,
    sockets: Sequence[socket.socket],
    figures: Callable[[], Figures],
    controls: Controls,
    access: Access,
    of_dax: DaxShare = ALL_OF_DAX,
) -> AsyncIterator[tuple[Listener, Monitor]]:
    """Answer requests within a context; leaving it drains the open requests.

    Args:
        parts: those of this process.
        sockets: bound, not listening.
        figures: reads the figures for metrics.
        controls: what tests may do to the server.
        access: the credentials of callers, and the APIs that change them.
        of_dax: what this process serves of DAX, as a server of one process by default.
    """
    settings, clock = parts.settings, parts.store.clock
    identify = request_ids(clock.random_bytes(RANDOM_BYTES))
    listener = Listener(clock, parts.metrics.traffic, Origins(settings.allowed_origins))
    pipeline, counting = pipeline_of(parts, access)
    request_log = RequestLog(identify, clock.monotonic_ns, settings.slow_request_ms)
    hosts, limits = Hosts(settings.allowed_hosts, settings.host), http_limits_of(settings)
    verified = verified_heads(parts, access)
    heads = HeadReader(pipeline, parts.metrics, hosts, verified=verified)
    auditing = contextlib.AsyncExitStack()
    dax = DaxEndpoint(parts, pipeline, access.credentials, verified, request_log=request_log)
    here, renewed = of_dax.runs_clusters, partial(context_in, settings)
    clusters = clusters_of(parts, access, dax, limits=limits, ssl=renewed) if here else None
    apis, identified = other_apis(parts, access, clusters), request_log.identified
    installing = installed(settings, parts.store, parts.catalog, apis, identified=identified)
    audit = await auditing.enter_async_context(installing)
    endpoint = Endpoint(
        pipeline, clock, parts.metrics, request_log=request_log, heads=heads, apis=audit.apis
    )
    endpoint.recorder, endpoint.queue = audit.recorder, request_queue(settings, clock, verified)
    observed = await auditing.enter_async_context(observing(parts, identified))
    counted = joined(figures, audit.figures, dax.figures, endpoint.figures, observed.figures)
    monitor = _monitor(parts, counted, pipeline, counting, slow=lambda: tuple(request_log.slow))
    console = console_of(parts, access, monitor, endpoint, pipeline=pipeline, verified=verified)
    rows = (service_page(endpoint), *await auditing.enter_async_context(console))
    shown = site_of(parts, monitor, controls, rows, verified=verified)
    ssl = context_in(settings)
    answer, show = observed.around(endpoint.respond), observed.around(hosts.guard(shown))
    listener.is_refused_early = endpoint.is_refused_early
    await listener.start(
        answer, pages=show, sockets=sockets, limits=limits, request_id=identify, ssl=ssl
    )
    dax.audit_with(audit.recorder)
    endpoint.queue.on_look, listener.on_renewed = listener.accept_waiting, dax.renew
    await dax.start(of_dax, limits, ssl, clusters)
    await auditing.enter_async_context(_keeping(parts))
    try:
        yield listener, monitor
    finally:
        drained = settings.drain_seconds
        await asyncio.gather(listener.stop(drain_seconds=drained), dax.stop(drain_seconds=drained))
        await auditing.aclose()


@contextlib.asynccontextmanager
async def _keeping(parts: Parts) -> AsyncIterator[None]:
    """Store consumption, metrics and the state of capacity within a context; vectors at its end."""
    keeper = None if parts.capacities is None else CapacityKeeper(parts.capacities)
    tasks = BackgroundTasks()
    always: list[BackgroundTask] = [parts.consumption, parts.recorder]
    tasks.begin(always if keeper is None else [*always, keeper])
    try:
        yield
    finally:
        await tasks.end()
        await parts.recorder.close()
        await parts.store.vectors.close()
        if keeper is not None:
            await keeper.close()


def _monitor(
    parts: Parts,
    figures: Callable[[], Figures],
    pipeline: Pipeline,
    counting: KeyCounting,
    *,
    slow: Callable[[], Sequence[SlowRequest]],
) -> Monitor:
    store = parts.store
    figures = joined(figures, lambda: parts.metrics.services, parts.damage.figures)
    sampler = _sampler(parts.settings, pipeline, store.clock)
    monitor = Monitor(
        parts.metrics, figures, store.engine, parts.catalog, clock=store.clock, sampler=sampler
    )
    monitor.write_fault, monitor.contributors = parts.storage.write_fault, counting.reports
    parts.recorder.figures, parts.recorder.contributors = figures, counting.since
    monitor.capacity = CapacityView(parts.capacities, parts.catalog, store.clock.now_ms)
    machine = MachineFigures(lambda: machine_figures(parts.settings, store.clock.now_ms()))
    monitor.machine, monitor.slow = machine.read, slow
    return monitor


def _sampler(settings: Settings, pipeline: Pipeline, clock: Clock) -> Sampler | None:
    return Sampler(pipeline.observe, clock.monotonic_ns) if settings.shows_hot_keys else None


def verified_heads(parts: Parts, access: Access) -> VerifiedHeads | None:
    """The verification of signatures; None with `--auth off`."""
    settings, clock, credentials = parts.settings, parts.store.clock, access.credentials
    if settings.auth is Auth.OFF:
        return None
    assert credentials is not None, "they are there if signatures are verified"
    rates = RequestRates(settings.requests_per_second_max, clock.monotonic_ns)
    return VerifiedHeads(
        credentials,
        clock.now_ms,
        authenticate=SignatureCheck(credentials, clock.now_ms, rates),
        failures=FailedSignatures(clock.monotonic_ns),
    )


def request_queue(settings: Settings, clock: Clock, verified: VerifiedHeads | None) -> RequestQueue:
    """The queue of requests: each principal has a share of the time, or else each address."""
    waiting_ms_max = settings.waiting_ms_max
    if verified is None:
        return RequestQueue(clock.monotonic_ns, waiting_ms_max=waiting_ms_max)
    return RequestQueue(
        clock.monotonic_ns,
        verified.authenticate.owners.owner,
        waiting_ms_max=waiting_ms_max,
        turn_ms_max=FAIR_TURN_MS_MAX,
    )


def pipeline_of(parts: Parts, access: Access) -> tuple[Pipeline, KeyCounting]:
    """The steps of requests as the settings want them, and the counts of keys that they feed."""
    settings = parts.settings
    now_ms, separate = parts.store.clock.now_ms, settings.namespaces == Namespaces.SEPARATE
    pipeline = Pipeline(
        parts.store,
        parts.catalog,
        parts.metrics.consumed,
        transient_ms=transient_ms(settings),
        separate=separate,
        choices=TableChoices(
            stream_shards=settings.stream_shards,
            regions=settings.replica_regions,
            peer_regions=tuple(each.region for each in settings.peers),
            peers=None if parts.peering is None else parts.peering.asking,
            accepts_encryption=settings.accept_encryption_requests,
            account_units=settings.account_units,
            table_units=settings.table_units,
            throttles=parts.capacities is not None,
            master_key_id=parts.storage.master_key_id,
            principals=access.principals,
            stream_endpoints=settings.stream_endpoints,
        ),
    )
    if settings.auth is not Auth.OFF:
        from hashrange.api.authorization.guard import Guard  # noqa: PLC0415 - few servers need it

        pipeline.guard(Guard(now_ms, separate=separate))
    faults, latencies = disturbances(settings, parts.store.clock.monotonic_ns)
    pipeline.disturb(faults=faults, delay=latencies, lag=parts.lag)
    gate = None
    if parts.capacities is not None:
        from hashrange.api.steps.gate import Gate  # noqa: PLC0415 - few servers need it

        gate = Gate(parts.capacities, now_ms, parts.metrics.throttled)
    units = UnitCounting(parts.scaled, pipeline.limit)
    units.stand_before(gate)
    counting = KeyCounting(gate, now_ms, units.stand_before, separate=separate)
    parts.catalog.on_open = counting.opened
    return pipeline, counting


def disturbances(
    settings: Settings, monotonic_ns: Callable[[], int]
) -> "tuple[Faults | None, Latencies | None]":
    """The faults and delays of requests. Raises SettingError: a rule cannot apply."""
    faults = latencies = None
    if settings.fault is not None:
        from hashrange.api.requests.disturbances import Faults  # noqa: PLC0415 - tests of clients use it

        faults = Faults(fault_rules(settings.fault), draws(settings.realism_seed))
    if settings.latency is not None:
        from hashrange.api.requests.disturbances import Latencies  # noqa: PLC0415 - as above

        rules, draw = latency_rules(settings.latency), draws(settings.realism_seed)
        latencies = Latencies(rules, draw, monotonic_ns, asyncio.sleep)
    return faults, latencies
