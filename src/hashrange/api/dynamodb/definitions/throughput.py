"""Provisioned throughput: its bounds, and how often it may be decreased. Pure."""

from typing import Final

import msgspec

from hashrange.capacity.throughput import next_decrease_ms
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import CAPACITY_UNITS_MAX
from hashrange.messages.tables import indexes as index_messages
from hashrange.messages.tables import operations as messages
from hashrange.messages.tables import throughput as texts
from hashrange.model.structures.dynamodb import (
    ProvisionedThroughput,
    ProvisionedThroughputDescription,
)
from hashrange.model.table import Throughput

_DAY_MS: Final = 24 * 60 * 60 * 1000


def check_units(units: ProvisionedThroughput | None, index: str | None = None) -> None:
    """Refuse more units than CAPACITY_UNITS_MAX, of a table or an index."""
    if units is None:
        return
    requested = {
        "ReadCapacityUnits": units.read_capacity_units,
        "WriteCapacityUnits": units.write_capacity_units,
    }
    for member, value in requested.items():
        if value is not None and value > CAPACITY_UNITS_MAX:
            if index is not None:
                raise invalid(index_messages.units_out_of_bounds(value, member, index))
            raise invalid(messages.units_out_of_bounds(value, member))


def check_maximum(
    throughput: Throughput, region: str, most: int, *, index: str | None = None
) -> None:
    """Raise LimitExceededException for more units than `most`, the quota of a table or index."""
    requested = {
        "ReadCapacityUnits": throughput.read_units,
        "WriteCapacityUnits": throughput.write_units,
    }
    for member, units in requested.items():
        if units > most:
            text = texts.above_maximum(member, units, region, most, index=index)
            raise DynamoError(Fault.LIMIT_EXCEEDED, text)


def throughput_of(units: ProvisionedThroughput | None) -> Throughput:
    """The throughput of a new table; zero units for an on-demand table."""
    if units is None:
        return Throughput()
    assert units.read_capacity_units is not None
    assert units.write_capacity_units is not None
    return Throughput(read_units=units.read_capacity_units, write_units=units.write_capacity_units)


def changed_throughput(old: Throughput, units: ProvisionedThroughput, now_ms: int) -> Throughput:
    """The throughput of a table or an index after UpdateTable, with the dates of its last changes.

    Raises LimitExceededException for frequent decreases. A decrease of read and write units in one
    request counts once. Source: Developer Guide, "Quotas"; measured by users, October 2026.
    """
    new = throughput_of(units)
    raised = new.read_units > old.read_units or new.write_units > old.write_units
    lowered = new.read_units < old.read_units or new.write_units < old.write_units
    if lowered:
        _check_decrease(old, now_ms)
    return msgspec.structs.replace(
        new,
        increased_ms=now_ms if raised else old.increased_ms,
        decreased_ms=now_ms if lowered else old.decreased_ms,
        decreases_today=decreases_today(old, now_ms) + lowered,
    )


def shown_while_changing(old: Throughput, new: Throughput, now_ms: int) -> Throughput:
    """The throughput that is shown until a change is complete: only a decrease's date is new.

    Source: measured by users; public tests that pass on the service.
    """
    return msgspec.structs.replace(
        old,
        decreased_ms=new.decreased_ms,
        decreases_today=decreases_today(old, now_ms),
    )


def decreases_today(throughput: Throughput, now_ms: int) -> int:
    """Decreases in the UTC day of `now_ms`."""
    decreased_ms = throughput.decreased_ms
    if decreased_ms is None or decreased_ms // _DAY_MS != now_ms // _DAY_MS:
        return 0
    return throughput.decreases_today


def described_throughput(throughput: Throughput, now_ms: int) -> ProvisionedThroughputDescription:
    """The throughput of a table or an index in a description."""
    return ProvisionedThroughputDescription(
        last_increase_date_time=_seconds(throughput.increased_ms),
        last_decrease_date_time=_seconds(throughput.decreased_ms),
        number_of_decreases_today=decreases_today(throughput, now_ms),
        read_capacity_units=throughput.read_units,
        write_capacity_units=throughput.write_units,
    )


def _seconds(ms: int | None) -> float | None:
    return None if ms is None else ms / 1000


def _check_decrease(throughput: Throughput, now_ms: int) -> None:
    today, last_ms = decreases_today(throughput, now_ms), throughput.decreased_ms
    next_ms = next_decrease_ms(today, last_ms, now_ms)
    if now_ms < next_ms:
        assert last_ms is not None, "a decrease has a date"
        text = texts.too_many_decreases(today, last_ms, next_ms)
        raise DynamoError(Fault.LIMIT_EXCEEDED, text)
