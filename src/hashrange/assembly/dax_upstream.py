"""The composition root of `hashrange dax`: the DAX endpoint in front of another endpoint."""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult

from hashrange.api.steps.operation import Caller
from hashrange.assembly.engines.kinds import opened
from hashrange.background.tasks import BackgroundTasks
from hashrange.clock import Clock, SystemClock
from hashrange.dax.cache.caches import Caches, Lifetimes, cache_figures
from hashrange.dax.call_counts import CallCounts
from hashrange.dax.protocol.items import EMPTY_LIST
from hashrange.dax.upstream.client import Client, Sent
from hashrange.dax.upstream.credentials import CredentialsSource
from hashrange.dax.upstream.performing import UpstreamPerformers
from hashrange.dax.upstream.sender import Sender, UpstreamSource
from hashrange.dax.upstream.tables import UpstreamTables
from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.server.addresses import bound
from hashrange.server.dax.attribute_lists import AttributeLists
from hashrange.server.dax.callers import Authorizer
from hashrange.server.dax.connection import DaxState
from hashrange.server.dax.execution import Execution, Refresher
from hashrange.server.dax.facts import CallerFacts
from hashrange.server.dax.listener import DaxListener
from hashrange.server.dax.recording import Recorder
from hashrange.server.dax.service import Service
from hashrange.server.draining import signals, watch_input
from hashrange.server.failed_signatures import pause
from hashrange.server.hosts import Origins
from hashrange.server.http_limits import http_limits_of
from hashrange.server.listener import Listener
from hashrange.server.pages import operator_pages, pages
from hashrange.server.request_log import RequestLog
from hashrange.server.responses import RANDOM_BYTES, UNKNOWN_OPERATION, request_ids
from hashrange.server.tls import context_of
from hashrange.settings.settings import Settings
from hashrange.wire.exchange import Handler, Request, Response

_SWEEP_SECONDS: Final = 1.0
_MB: Final = 1024**2
_MS_PER_S: Final = 1000
_BOOT_SHIFT: Final = 20
"""Numbers of lists that are not kept: a million for each second since the epoch."""
_SCOPE: Final = ""
"""All callers share the attribute lists, as they share the credentials."""
_PAGES: Final = frozenset((b"/health", b"/livez", b"/metrics", b"/readyz"))

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The endpoint behind the caches.

    Attributes:
        parts: of its URL.
        credentials: where those come from that requests to it are signed with.
        ca_file: issuers of its certificate; None for those of the system.
    """

    parts: SplitResult
    credentials: CredentialsSource
    ca_file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """An endpoint that runs.

    Attributes:
        url: of DAX's clients.
        pages: URL of its pages; None without.
    """

    url: str
    pages: str | None


async def serve(
    settings: Settings,
    upstream: Upstream,
    announce: Callable[[Running], None],
    *,
    pages_port: int | None = None,
) -> None:
    """Serve until SIGTERM, SIGINT or, if so set, the end of standard input; then drain.

    Args:
        settings: address, `dax_port`, caches, limits; `data` keeps attribute lists, unless
            `memory` is set.
        upstream: behind the caches.
        announce: called once clients can connect.
        pages_port: of `/metrics` and the pages of health; None for none.

    Raises:
        TlsError: the files of TLS cannot be used.
        StorageOpenError: the attribute lists cannot be opened.
        OSError: an address cannot be listened on.
    """
    stop = asyncio.Event()
    with signals(stop.set):
        if settings.stop_with_input:
            watch_input(stop.set)
        async with running(settings, upstream, pages_port=pages_port) as endpoint:
            announce(endpoint)
            await stop.wait()
            _log.info("stopping: open calls get up to %d s", settings.drain_seconds)


@contextlib.asynccontextmanager
async def running(
    settings: Settings,
    upstream: Upstream,
    *,
    pages_port: int | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[Running]:
    """Run an endpoint in this event loop within a context.

    Arguments as of `serve`; `clock` is that of the machine if None.
    """
    assert settings.dax_port is not None, "the port of the endpoint"
    clock = SystemClock() if clock is None else clock
    metrics, limits = Metrics(), http_limits_of(settings)
    async with contextlib.AsyncExitStack() as stack:
        sockets = await bound(settings.host, settings.dax_port)
        page_sockets = () if pages_port is None else await bound(settings.host, pages_port)
        for each in (*sockets, *page_sockets):
            stack.callback(each.close)
        files = settings.tls_files
        context = None if files is None else context_of(*files, settings.tls_client_ca)
        storage = await stack.enter_async_context(opened(settings, now_ms=clock.now_ms))
        client = Client(upstream.parts, upstream.credentials, clock, _verifying(upstream))
        sweeping = BackgroundTasks()
        sweeping.begin([_Sweep(client), _Look(upstream.credentials)])
        stack.push_async_callback(sweeping.end)
        stack.push_async_callback(client.close)
        endpoint = _Endpoint(
            settings, clock, client, AttributeLists(storage.engine, first=_first(settings, clock))
        )
        stack.push_async_callback(endpoint.refresher.end)
        service = endpoint.service(metrics)
        state = DaxState(service.respond, endpoint.authorizer, limits, metrics.traffic)
        listener = DaxListener(state, clock.monotonic_ns)
        await listener.start(sockets, context)
        stack.push_async_callback(listener.stop, drain_seconds=settings.drain_seconds)
        shown = None
        if page_sockets:
            site = Listener(clock, Metrics().traffic, Origins(settings.allowed_origins))
            await site.start(
                _nothing,
                pages=_site(
                    client, metrics, lambda: endpoint.figures(listener), clock.monotonic_ns
                ),
                sockets=page_sockets,
                limits=limits,
                request_id=endpoint.identify,
            )
            stack.push_async_callback(site.stop, drain_seconds=0)
            shown = _url("http", settings, site.port)
        port = sockets[0].getsockname()[1]
        yield Running(url=_url("dax" if context is None else "daxs", settings, port), pages=shown)


class _Endpoint:
    """The parts of an endpoint, connected."""

    def __init__(
        self, settings: Settings, clock: Clock, client: Client, lists: AttributeLists
    ) -> None:
        self.authorizer = Authorizer(clock.now_ms, None)
        self.identify = request_ids(clock.random_bytes(RANDOM_BYTES))
        self._counts = CallCounts()
        self._client = client
        self._lists = lists
        self._request_log = RequestLog(self.identify, clock.monotonic_ns, settings.slow_request_ms)
        self._monotonic_ns = clock.monotonic_ns
        lifetimes = Lifetimes(settings.dax_record_ttl_ms, settings.dax_query_ttl_ms)
        self._caches = Caches[Any](settings.dax_cache_mb * _MB, lifetimes)

        async def describe(body: bytes) -> bytes:
            return await client.call(Sent(operation="DescribeTable", body=body, is_repeatable=True))

        self._tables = UpstreamTables(describe, clock.now_ms)
        sender = Sender(client, self._tables)
        self.refresher = Refresher(lambda _: self._performers.refreshed)
        self._performers = UpstreamPerformers(
            UpstreamSource(sender, self._tables, clock.now_ms),
            self._caches,
            now_ms=clock.now_ms,
            refresh=self.refresher.begin,
        )

    def service(self, metrics: Metrics) -> Service:
        """Answers calls, and counts them."""
        execution = Execution(
            self._performers, self._facts_of, pause, monotonic_ns=self._monotonic_ns
        )
        return Service(
            execution,
            facts_of=self._facts_of,
            authorizer=self.authorizer,
            recorder=Recorder(
                metrics, self._monotonic_ns, self._request_log, None, dax=self._counts
            ),
        )

    def figures(self, listener: DaxListener) -> Figures:
        """Figures of the caches, the client of the upstream, the calls and the connections."""
        caches, calls = cache_figures([self._caches]), self._counts.figures()
        connections = {"dax_connections": float(listener.connections)}
        return {**caches, **calls, **self._client.figures(), **connections}

    def _facts_of(self, _caller: Caller) -> CallerFacts:
        return CallerFacts(self._tables, self._lists, _SCOPE)


class _Sweep:
    """Closes idle connections to the upstream."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def run(self) -> None:
        """Work until it is cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self._client.sweep()


class _Look:
    """Takes the credentials of a file that has changed."""

    def __init__(self, credentials: CredentialsSource) -> None:
        self._credentials = credentials

    async def run(self) -> None:
        """Work until it is cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            await self._credentials.look()


def _first(settings: Settings, clock: Clock) -> int:
    """The number of the first attribute list: without a place for them another one each time.

    Clients outlive this process: a number that they know must not mean another list.
    """
    if not settings.memory:
        return EMPTY_LIST + 1
    return clock.now_ms() // _MS_PER_S << _BOOT_SHIFT


def _verifying(upstream: Upstream) -> ssl.SSLContext | None:
    """The context of TLS to the upstream; None for HTTP. Raises OSError: no such file."""
    if upstream.parts.scheme != "https":
        return None
    return ssl.create_default_context(cafile=upstream.ca_file)


def _site(
    client: Client,
    metrics: Metrics,
    figures: Callable[[], Figures],
    monotonic_ns: Callable[[], int],
) -> Handler:
    """`/metrics`, and the pages of health: ready is who has an upstream that answers."""

    async def fault() -> str | None:
        return client.failure

    async def shown() -> bytes:
        # Takes 30 ms to import, which only a scrape needs.
        from hashrange.observe.exposition import text  # noqa: PLC0415 - see above

        return text(metrics, figures())

    all_pages = pages(
        operator_pages(fault=fault, metrics=shown, top=shown, monotonic_ns=monotonic_ns)
    )

    async def page(request: Request) -> Response:
        return await all_pages(request) if request.path in _PAGES else UNKNOWN_OPERATION

    return page


async def _nothing(_request: Request) -> Response:
    """The answer to `POST /`: the API is at the upstream."""
    return UNKNOWN_OPERATION


def _url(scheme: str, settings: Settings, port: int) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{scheme}://{host}:{port}"
