"""Destinations of tables: Kinesis data streams that get the changes of their items. Pure.

A destination gets the records of the shards of the table's change log that were opened since it was
enabled, and are kept for it as for any reader. When it is disabled all shards are rolled, so that
it gets the changes before that moment, and no others.

Source of the states: measured by users, October 2026.
"""

from typing import Any, Final

import msgspec

from hashrange.limits.kinesis import DAY_MS, DESTINATION_LOG_MS, DESTINATIONS_MAX
from hashrange.model.log import ALL_RECORDS, LogReader, Shard
from hashrange.model.table import Table
from hashrange.model.table_features import Destination, Precision
from hashrange.tables.log.shards import cut, with_reader, without_reader

READER: Final = "destination"
"""The name of the reader of the log; a table has one at a time."""
_SHOWN: Final = {
    "ENABLING": ("ENABLING", "ENABLING"),
    "ENABLED": ("ENABLING", "ACTIVE"),
    "UPDATED": ("UPDATING", "ACTIVE"),
    "DISABLING": ("DISABLING", "DISABLING"),
    "DISABLED": ("DISABLING", "DISABLED"),
    "FAILED": ("ENABLING", "ENABLE_FAILED"),
}
"""The statuses of a state: while the change is shown, and then."""

_replace: Final = msgspec.structs.replace


def status_of(destination: Destination, now_ms: int, transient_ms: int) -> str:
    """Its status for clients; changes are shown for `transient_ms`."""
    is_shown = destination.changed_ms <= now_ms < destination.changed_ms + transient_ms
    changing, settled = _SHOWN[destination.state]
    return changing if is_shown else settled


def destination_of(table: Table, stream_arn: str) -> Destination | None:
    """The destination of a stream, whatever its state."""
    return next((each for each in table.destinations if each.stream_arn == stream_arn), None)


def updates_of_day(destination: Destination, now_ms: int) -> tuple[int, ...]:
    """When its precision was changed within the day before now."""
    return tuple(each for each in destination.updates_ms if now_ms - DAY_MS < each <= now_ms)


def enabled(
    table: Table,
    stream_arn: str,
    precision: Precision | None,
    *,
    is_remote: bool,
    shards: int,
    now_ms: int,
) -> Table:
    """The table with a destination that gets the changes from now on.

    Args:
        table: without one that gets changes.
        stream_arn: of the stream.
        precision: as requested.
        is_remote: the stream is of another server, which has to answer first.
        shards: of a log without open shards.
        now_ms: the time.
    """
    first = table.log.next_shard
    reader = LogReader(
        name=READER, kind="DESTINATION", first_shard=first, retention_ms=DESTINATION_LOG_MS
    )
    destination = Destination(
        stream_arn=stream_arn,
        state="ENABLING" if is_remote else "ENABLED",
        changed_ms=now_ms,
        precision=precision,
        first_shard=first,
        is_remote=is_remote,
    )
    return _with(with_reader(table, reader, shards, now_ms), destination)


def accepted(table: Table, destination: Destination, now_ms: int) -> Table:
    """The table with a destination whose server has answered."""
    return _changed(table, destination, state="ENABLED", changed_ms=now_ms, failure=None)


def with_failure(table: Table, destination: Destination, failure: str | None) -> Table:
    """The table with the reason why changes wait for a destination; None if they do not."""
    return _changed(table, destination, failure=failure)


def refused(table: Table, destination: Destination, failure: str, now_ms: int) -> Table:
    """The table with a destination whose server has refused it."""
    if destination not in table.destinations:
        return table
    return failed(without_reader(table, READER, now_ms), destination.stream_arn, failure, now_ms)


def failed(table: Table, stream_arn: str, failure: str, now_ms: int) -> Table:
    """The table with a destination that could not be enabled."""
    destination = Destination(
        stream_arn=stream_arn, state="FAILED", changed_ms=now_ms, failure=failure
    )
    return _with(table, destination)


def updated(table: Table, destination: Destination, precision: Precision, now_ms: int) -> Table:
    """The table with another precision of a destination."""
    changed = _replace(
        destination,
        state="UPDATED",
        changed_ms=now_ms,
        precision=precision,
        updates_ms=(*updates_of_day(destination, now_ms), now_ms),
    )
    return _with(table, changed)


def disabled(table: Table, destination: Destination, now_ms: int) -> Table:
    """The table with a destination that gets no changes from now on, but those before."""
    changed = _replace(
        destination, state="DISABLING", changed_ms=now_ms, end_shard=table.log.next_shard
    )
    return _with(cut(table, now_ms), changed)


def ended(table: Table, destination: Destination, now_ms: int) -> Table:
    """The table with a destination that was disabled and has all changes; it stays listed.

    The same definition if the destination was changed meanwhile.
    """
    if destination not in table.destinations:
        return table
    changed = Destination(
        stream_arn=destination.stream_arn, state="DISABLED", changed_ms=destination.changed_ms
    )
    return _with(without_reader(table, READER, now_ms), changed)


def shards_for(table: Table, destination: Destination) -> list[Shard]:
    """The shards whose records a destination gets, in the order of their numbers."""
    end = ALL_RECORDS if destination.end_shard is None else destination.end_shard
    return [each for each in table.log.shards if destination.first_shard <= each.number < end]


def _changed(table: Table, destination: Destination, **members: Any) -> Table:
    """The table with members of a destination; the same if that was changed meanwhile."""
    if destination not in table.destinations:
        return table
    return _with(table, _replace(destination, **members))


def _with(table: Table, destination: Destination) -> Table:
    """The table with a destination, new ones before the others.

    One that is added is the only one that may get changes, so those at the end get none.
    """
    arn, others = destination.stream_arn, table.destinations
    if destination_of(table, arn) is None:
        return _replace(table, destinations=(destination, *others)[:DESTINATIONS_MAX])
    changed = tuple(destination if each.stream_arn == arn else each for each in others)
    return _replace(table, destinations=changed)
