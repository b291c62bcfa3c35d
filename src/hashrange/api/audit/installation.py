"""Puts the audit log behind a server: the composition of its parts, from settings."""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hashrange.api.apis import Apis
from hashrange.observe.figures import Figures
from hashrange.settings.kinds import ANY, Namespaces
from hashrange.settings.settings import Settings
from hashrange.storage.engine import StorageOpenError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.writing.store import Store
from hashrange.wire.exchange import Response

if TYPE_CHECKING:
    from hashrange.api.audit.recorder import DataEvents, Recorder

_MB = 1024**2
_ID_BYTES = 16
_NO_REGION = "unknown"


class Installed(msgspec.Struct, frozen=True):
    """The parts of the audit log of a server; without a log there is no recorder.

    Attributes:
        recorder: for its endpoint.
        apis: the other APIs on the port, and CloudTrail's.
        figures: for metrics.
    """

    recorder: "Recorder | None"
    apis: Apis
    figures: Callable[[], Figures]


def place_of(directory: Path) -> str:
    """Host and directory of an audit log, as its anchors have them."""
    return f"{socket.gethostname()}:{directory.resolve()}"


def data_events_of(settings: Settings) -> "DataEvents":
    """Which data events are recorded."""
    from hashrange.api.audit.recorder import DataEvents  # noqa: PLC0415 - few starts need it

    named = settings.audit_data_events
    tables = None if named == ANY else frozenset(named.split(",") if named else ())
    return DataEvents(tables=tables, separate=settings.namespaces == Namespaces.SEPARATE)


@asynccontextmanager
async def installed(
    settings: Settings,
    store: Store,
    catalog: Catalog,
    apis: Apis,
    *,
    identified: Callable[[Response], Response],
) -> AsyncIterator[Installed]:
    """The audit log of this process, within a context; leaving it writes what waits.

    Raises:
        StorageOpenError: the directory cannot be used.
    """
    if settings.audit is None:
        yield Installed(None, apis, dict)
        return
    from hashrange.api.audit.lookup import CLOUDTRAIL, CloudTrail  # noqa: PLC0415 - few starts need it
    from hashrange.api.audit.recorder import Recorder, gap_event  # noqa: PLC0415
    from hashrange.api.audit.trail import Trail, event_ids  # noqa: PLC0415
    from hashrange.api.audit.writer import Rotation  # noqa: PLC0415
    from hashrange.api.service_api import ServiceApi  # noqa: PLC0415
    from hashrange.api.steps.service_authorization import Authorizer  # noqa: PLC0415

    clock, selection = store.clock, data_events_of(settings)
    ids = event_ids(clock.random_bytes(_ID_BYTES))
    rotation = Rotation(
        directory=settings.audit,
        file_bytes_max=settings.audit_file_mb * _MB,
        files_max=settings.audit_files_max,
    )
    trail = Trail(
        store.engine,
        clock,
        rotation,
        place=place_of(settings.audit),
        gap=lambda dropped: gap_event(
            dropped, region=_NO_REGION, event_id=clock.new_uuid(), now_ms=clock.now_ms()
        ),
    )
    recorder = Recorder(
        trail.put,
        catalog,
        now_ms=clock.now_ms,
        event_ids=ids,
        identified=identified,
        selection=selection,
    )
    cloudtrail = CloudTrail(settings.audit, clock.now_ms, separate=selection.separate)
    lookups = ServiceApi(CLOUDTRAIL, cloudtrail, Authorizer(clock.now_ms), clock.new_uuid)
    try:
        await trail.begin()
    except OSError as error:
        raise StorageOpenError(f"--audit {settings.audit}: {error.strerror or error}") from error
    try:
        yield Installed(recorder, apis.also((CLOUDTRAIL, lookups)), trail.figures)
    finally:
        await trail.end()
