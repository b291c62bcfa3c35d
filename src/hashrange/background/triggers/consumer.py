"""Reads one shard to its end for one trigger, and delivers its records in batches."""

import asyncio
import logging
from typing import Final

import msgspec

from hashrange.background.tasks import RETRY_SECONDS
from hashrange.background.triggers.batches import Batch, Failed, GivenUp, Step, after, without_old
from hashrange.background.triggers.definitions import Definition
from hashrange.background.triggers.destinations import Caller, name_of
from hashrange.background.triggers.events import Entry, entry_of, event_of
from hashrange.background.triggers.failures import FailureContext, append_line, failure_record
from hashrange.background.triggers.patterns import matches
from hashrange.background.triggers.positions import Positions, ShardKey
from hashrange.background.triggers.sources import Source, TriggerCounters
from hashrange.model.log import Shard
from hashrange.storage.engine import StaleFenceError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.streams.records import read_records
from hashrange.tables.writing.store import Store

POLL_SECONDS: Final = 0.1
EVENT_BYTES_MAX: Final = 6 * 1024**2
"""The largest event; Lambda's limit."""
_PAGE_RECORDS: Final = 250
"""Some milliseconds of work; requests are served between two pages."""
_FILTERED_RECORDS: Final = 100
"""The least records to read at once when filters may drop most of them."""
_MS_NS: Final = 1_000_000
_MS: Final = 1000

_log: Final = logging.getLogger(__name__)


class Window(msgspec.Struct, frozen=True):
    """The next records to be delivered."""

    entries: tuple[Entry, ...]
    end: int
    """Records before this number are in `entries`, or did not match the filters."""
    is_last: bool = False
    """The shard has ended or expired."""


class ShardConsumer:
    """Reads one shard for one trigger, and delivers its records.

    Args:
        definition: the trigger.
        store: the tables.
        positions: the positions of the trigger.
        sources: all shards at present, kept up to date by the runner; this one may be removed.
        shard_key: the shard.
        counters: the counters to update.
    """

    def __init__(
        self,
        definition: Definition,
        store: Store,
        positions: Positions,
        *,
        sources: dict[ShardKey, Source],
        shard_key: ShardKey,
        counters: TriggerCounters,
    ) -> None:
        self._waiting = counters.waiting
        self._counts = counters.of(definition.name, definition.table)
        self._definition = definition
        self._failures = Failures(_log, f"trigger {definition.name}: delivering records")
        self._engine = store.engine
        self._clock = store.clock
        self._positions = positions
        self._sources = sources
        self._shard_key = shard_key
        self._source = sources[shard_key]
        self._caller = Caller(
            definition.destination,
            store.clock,
            trigger=definition.name,
            seconds=definition.timeout_seconds,
            wants_answer=definition.rules.partial,
        )

    async def run(self) -> None:
        """Deliver all records; returns when the shard is closed and read to its end, or removed."""
        while True:
            try:
                await self._consume()
            except (StorageError, OSError) as error:
                self._failures.failed(error)
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return

    async def _consume(self) -> None:
        position = await self._positions.read(self._shard_key)
        while True:
            window = await self._next_window(position)
            try:
                await self._deliver(window, position)
            finally:
                self._waiting.pop((self._definition.name, self._shard_key), None)
            self._failures.done()
            position = window.end
            if window.is_last:
                return

    async def _next_window(self, start: int) -> Window:
        """Wait for the next records to deliver: a full batch, or the end of the batch window."""
        entries: list[Entry] = []
        end, begun_ns = start, None
        while True:
            # Taken before the read: if it says that the shard is closed, the read sees its end.
            source = self._sources.get(self._shard_key)
            if source is None:
                return Window(tuple(entries), end, is_last=True)
            self._source = source
            before, end = end, self._untrimmed(end, source.shard)
            try:
                end, is_full, more = await self._read_page(source, end, entries)
            except StaleFenceError:
                await asyncio.sleep(POLL_SECONDS)  # until the runner has read the changed table
                continue
            if is_full:
                return Window(tuple(entries), end)
            if more:
                await asyncio.sleep(0)
                continue
            if source.shard.closed_ms is not None:
                return Window(tuple(entries), end, is_last=True)
            if entries:
                begun_ns = begun_ns or self._clock.monotonic_ns()
                waited_ms = (self._clock.monotonic_ns() - begun_ns) // _MS_NS
                if waited_ms >= self._definition.batch_window_ms:
                    return Window(tuple(entries), end)
            elif end > before:
                return Window((), end)
            await asyncio.sleep(POLL_SECONDS)

    async def _read_page(
        self, source: Source, start: int, entries: list[Entry]
    ) -> tuple[int, bool, bool]:
        """Append the matching records of one page to `entries`.

        Returns the number of the next record to read, whether the batch is full, and whether there
        may be more records.
        """
        stream, shard = source.stream, source.shard
        limit = self._definition.batch_size - len(entries)
        if self._definition.filters:
            limit = max(limit, _FILTERED_RECORDS)
        limit = min(limit, _PAGE_RECORDS)
        page = await read_records(self._engine, stream, shard, start, limit=limit)
        size = len(event_of(entries))
        end = start
        for numbered in page.records:
            entry = entry_of(stream, shard.number, numbered)
            if self._is_wanted(entry):
                size += len(entry.json) + 1  # and a comma
                if entries and size > EVENT_BYTES_MAX:
                    return end, True, True
                entries.append(entry)
            end = numbered.number + 1
            if len(entries) == self._definition.batch_size:
                return end, True, True
        return end, False, page.more

    def _untrimmed(self, position: int, shard: Shard) -> int:
        """The first record from `position` on that the stream still keeps."""
        if 0 < position < shard.trimmed_to:
            text = "trigger %s: records expired before they were delivered, and are skipped"
            _log.error(text, self._definition.name)
        return max(position, shard.trimmed_to)

    def _is_wanted(self, entry: Entry) -> bool:
        filters = self._definition.filters
        if not filters:
            return True
        record = msgspec.json.decode(entry.json)
        return any(matches(pattern, record) for pattern in filters)

    async def _deliver(self, window: Window, position: int) -> None:
        """Deliver all records of a window, and store the position after each batch."""
        rules = self._definition.rules
        pending: tuple[Batch, ...] = (Batch(window.entries),) if window.entries else ()
        request_id = ""
        while pending:
            if not pending[0].calls:  # retries of a batch, and its report, have the id of the first
                request_id = self._clock.new_uuid()
            reader = (self._definition.name, self._shard_key)
            self._waiting[reader] = pending[0].entries[0].time_ms
            step = without_old(pending, rules, self._clock.now_ms())
            if step.given_up is None:
                outcome = await self._caller.call(event_of(pending[0].entries), request_id)
                step = after(pending, outcome, rules)
                self._counts.delivered += _delivered_count(pending, step)
                if isinstance(outcome, Failed):
                    self._log_failure(outcome.logged, step)
            if step.given_up is not None:
                await self._give_up(step.given_up, request_id)
            pending = step.pending
            reached = pending[0].entries[0].number if pending else window.end
            if reached > position:
                await self._positions.write(self._shard_key, reached)
                position = reached
            if step.wait_ms:
                await asyncio.sleep(step.wait_ms / _MS)
        if window.end > position:
            await self._positions.write(self._shard_key, window.end)

    def _log_failure(self, reason: str, step: Step) -> None:
        self._counts.failures += 1
        name, seconds = self._definition.name, step.wait_ms / _MS
        _log.warning("trigger %s: a batch failed (next in %g s): %s", name, seconds, reason)

    async def _give_up(self, given_up: GivenUp, request_id: str) -> None:
        count, name = len(given_up.entries), self._definition.name
        self._counts.given_up += count
        _log.error("trigger %s: gave up %d records: %s", name, count, given_up.condition)
        path, source = self._definition.on_failure, self._source
        if path is None:
            return
        context = FailureContext(
            stream=source.stream,
            shard=source.shard,
            destination=name_of(self._definition.destination),
            request_id=request_id,
            now_ms=self._clock.now_ms(),
        )
        await asyncio.to_thread(append_line, path, failure_record(given_up, context))


def _delivered_count(pending: tuple[Batch, ...], step: Step) -> int:
    """The number of records that a call has delivered."""
    left = sum(len(batch.entries) for batch in step.pending)
    given_up = 0 if step.given_up is None else len(step.given_up.entries)
    return sum(len(batch.entries) for batch in pending) - left - given_up
