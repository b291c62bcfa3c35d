"""Destinations whose streams are of other servers: turns beside each other, and again on failure.

A server that has not answered to the first request, or refuses it, makes a destination fail. Later
failures show in its description, once there are some in a row, and its changes wait.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.api.aws_services.kinesis.requests import resource_in
from hashrange.background.destination_delivery import Delivered
from hashrange.background.destination_targets import Receiver, Target
from hashrange.background.remote_streams import RemoteError, RemoteStream
from hashrange.clock import Clock
from hashrange.errors import DynamoError
from hashrange.limits.kinesis import (
    REMOTE_DISABLE_MS_MAX,
    REMOTE_ENABLE_MS_MAX,
    REMOTE_FAILURES_UNSHOWN,
    REMOTE_RETRY_SECONDS_FIRST,
    REMOTE_RETRY_SECONDS_MAX,
)
from hashrange.messages.tables import destinations as messages
from hashrange.model.table import Table
from hashrange.model.table_features import Destination
from hashrange.regions.replication.following import Found
from hashrange.settings.stream_endpoints import StreamEndpoint, endpoint_of
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.kinesis.destinations import accepted, refused, with_failure
from hashrange.tables.opened.open_table import OpenTable

Deliver = Callable[[str, OpenTable, Destination, Target | None], Awaitable[Delivered]]

_RANDOM_BYTES: Final = 2
_SECOND_NS: Final = 1_000_000_000

_log: Final = logging.getLogger(__name__)


class _Remote(msgspec.Struct):
    """The destination of a table, from its enabling to its end.

    Attributes:
        first_shard: differs from those of destinations that were enabled before or after.
        sent: of `RemoteStream`.
        failures: in a row.
        due_ns: when the next turn may begin.
        running: the turn that is not over, or whose outcome nobody has looked at.
    """

    first_shard: int
    sent: dict[int, set[int]] = {}
    failures: int = 0
    due_ns: int = 0
    running: asyncio.Task[Found] | None = None


class RemoteDestinations:
    """The turns of tables whose destinations are of other servers.

    Args:
        catalog: the whole catalog.
        receiver: what deliveries share.
        endpoints: the servers.
        clock: times of signatures, and pauses.
        deliver: puts changes of a table into a stream.
        wake: is called when a turn is over.
    """

    def __init__(
        self,
        catalog: Catalog,
        receiver: Receiver,
        endpoints: Sequence[StreamEndpoint],
        clock: Clock,
        *,
        deliver: Deliver,
        wake: Callable[[], None],
    ) -> None:
        self._catalog = catalog
        self._receiver = receiver
        self._endpoints = endpoints
        self._clock = clock
        self._deliver = deliver
        self._wake = wake
        self._remotes: dict[str, _Remote] = {}

    def work_on(self, name: str, opened: OpenTable, destination: Destination) -> Found:
        """Begin a turn unless one runs; what the one before it has found, or its error."""
        remote = self._remotes.get(name)
        if remote is None or remote.first_shard != destination.first_shard:
            self.forget(name)
            remote = self._remotes[name] = _Remote(destination.first_shard)
        found = Found.NOTHING
        if remote.running is not None:
            if not remote.running.done():
                return found
            ended, remote.running = remote.running, None
            found = ended.result()
        if self._clock.monotonic_ns() >= remote.due_ns:
            turn = asyncio.create_task(self._turn(name, opened, destination, remote))
            turn.add_done_callback(lambda _: self._wake())
            remote.running = turn
        return found

    def forget(self, name: str) -> None:
        """End the turn of a table that has no such destination any more."""
        remote = self._remotes.pop(name, None)
        if remote is not None and remote.running is not None:
            remote.running.cancel()

    async def end(self) -> None:
        """End all turns."""
        running = [each.running for each in self._remotes.values() if each.running is not None]
        self._remotes.clear()
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _turn(
        self, name: str, opened: OpenTable, destination: Destination, remote: _Remote
    ) -> Found:
        target = self._target(opened, destination, remote)
        if destination.state == "ENABLING":
            await self._enable(name, destination, target, remote)
            return Found.SOME
        now_ms, stream = self._clock.now_ms(), destination.stream_arn
        is_disabled = destination.end_shard is not None
        if (
            is_disabled
            and remote.failures
            and now_ms - destination.changed_ms > REMOTE_DISABLE_MS_MAX
        ):
            _log.error("the last changes of table %s were not put into %s", name, stream)
            target = None
        done = await self._deliver(name, opened, destination, target)
        if target is None:
            done.failure = messages.no_endpoint()
        if done.passed:
            remote.failures = 0  # it takes some, so the rest is not kept waiting for long
        self._wait(remote, done.failure)
        is_shown = done.failure is None or remote.failures > REMOTE_FAILURES_UNSHOWN
        if is_shown and done.failure != destination.failure and not done.is_ended:
            if done.failure is not None:
                _log.warning("changes of table %s wait for %s: %s", name, stream, done.failure)
            await self._change(name, partial(with_failure, failure=done.failure), destination)
        return done.found

    async def _enable(
        self, name: str, destination: Destination, target: RemoteStream | None, remote: _Remote
    ) -> None:
        """Ask for the stream; the destination then gets changes, or has failed."""
        none = RemoteError(messages.no_endpoint(), is_final=True)
        error = none if target is None else await target.check()
        now_ms = self._clock.now_ms()
        self._wait(remote, None if error is None else error.text)
        if error is None:
            await self._change(name, partial(accepted, now_ms=now_ms), destination)
        elif error.is_final or now_ms - destination.changed_ms > REMOTE_ENABLE_MS_MAX:
            _log.warning("table %s has no destination: %s", name, error.text)
            change = partial(refused, failure=error.text, now_ms=now_ms)
            await self._change(name, change, destination)

    def _target(
        self, opened: OpenTable, destination: Destination, remote: _Remote
    ) -> RemoteStream | None:
        """The stream; None if no setting names its server any more."""
        arn = destination.stream_arn
        endpoint, named = endpoint_of(self._endpoints, arn), resource_in(arn)
        if endpoint is None or named is None:
            return None
        return RemoteStream(
            receiver=self._receiver,
            table=opened.number,
            endpoint=endpoint,
            arn=arn,
            named=named,
            clock=self._clock,
            sent=remote.sent,
        )

    def _wait(self, remote: _Remote, failure: str | None) -> None:
        """Note an outcome: after a failure the next turn begins later, by a pause that doubles."""
        if failure is None:
            remote.failures = 0
            return
        remote.failures += 1
        longest = REMOTE_RETRY_SECONDS_FIRST * 2.0 ** min(remote.failures - 1, 16)
        share = int.from_bytes(self._clock.random_bytes(_RANDOM_BYTES)) / 256.0**_RANDOM_BYTES
        seconds = min(longest, REMOTE_RETRY_SECONDS_MAX) * (1.0 + share) / 2.0
        remote.due_ns = self._clock.monotonic_ns() + int(seconds * _SECOND_NS)

    async def _change(
        self, name: str, change: Callable[..., Table], destination: Destination
    ) -> None:
        """Change the destination in the catalog; nothing if the table was dropped."""
        try:
            await self._catalog.change(name, partial(change, destination=destination))
        except DynamoError:
            return
