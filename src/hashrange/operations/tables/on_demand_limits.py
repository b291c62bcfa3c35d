"""Maxima of on-demand tables and their indexes: kept and shown. Pure.

Source: Developer Guide, "DynamoDB maximum throughput for on-demand tables"; measured by users,
October 2026.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import TABLE_CAPACITY_UNITS_MAX
from hashrange.messages.tables import throughput as texts
from hashrange.model.table import BillingMode, OnDemandLimits, Table
from hashrange.operations.tables.table_shapes import OnDemandThroughput

REMOVED: Final = -1
"""What UpdateTable is given to remove a maximum, and answers."""
_READ, _WRITE = "MaxReadRequestUnits", "MaxWriteRequestUnits"
_QUOTAS: Final = {_READ: "TableMaxReadCapacityUnits", _WRITE: "TableMaxWriteCapacityUnits"}


def asks_for_limits(asked: OnDemandThroughput | None) -> bool:
    """Whether it has a member; the service takes an empty structure for none."""
    return asked is not None and any(True for _ in _given(asked))


def new_limits(
    asked: OnDemandThroughput | None, mode: BillingMode, index: str | None = None
) -> OnDemandLimits:
    """What a new table, or a new index of that name, is to keep. Raises ValidationException."""
    if asked is None:
        return OnDemandLimits()
    for member, units in _given(asked):
        if mode == "PROVISIONED":
            raise invalid(texts.on_demand_limit_of_new_provisioned(member, index))
        if units < 1:
            raise invalid(texts.on_demand_limit_out_of_range(member, index))
    return OnDemandLimits(
        max_read_units=asked.max_read_request_units, max_write_units=asked.max_write_request_units
    )


def check_limits(asked: OnDemandThroughput | None, index: str | None = None) -> None:
    """Refuse what UpdateTable can ask of no table, or of no index."""
    if asked is None:
        return
    for member, units in _given(asked):
        if units < 1 and units != REMOVED:
            raise invalid(texts.on_demand_limit_out_of_range(member, index))


def check_limits_quota(
    asked: OnDemandThroughput | None, region: str, index: str | None = None
) -> None:
    """Raise LimitExceededException for a maximum above that of all tables."""
    if asked is None:
        return
    for member, units in _given(asked):
        if units > TABLE_CAPACITY_UNITS_MAX:
            text = texts.on_demand_limit_above_quota(member, _QUOTAS[member], region, index)
            raise DynamoError(Fault.LIMIT_EXCEEDED, text)


def limited(table: Table, asked: OnDemandThroughput) -> Table:
    """The table after UpdateTable. Raises as `merged_limits`."""
    return msgspec.structs.replace(table, on_demand=merged_limits(table, table.on_demand, asked))


def merged_limits(
    table: Table, old: OnDemandLimits, asked: OnDemandThroughput, index: str | None = None
) -> OnDemandLimits:
    """The maxima of a table or an index of it after UpdateTable; what is absent stays as it is.

    Raises ValidationException for a provisioned table, LimitExceededException for too much.
    """
    if table.billing_mode == "PROVISIONED":
        (member, _), *_ = _given(asked)
        raise invalid(texts.on_demand_limit_of_provisioned(member, index))
    check_limits_quota(asked, table.region, index)
    return OnDemandLimits(
        max_read_units=_merged(old.max_read_units, asked.max_read_request_units),
        max_write_units=_merged(old.max_write_units, asked.max_write_request_units),
    )


def described_limits(
    limits: OnDemandLimits, asked: OnDemandThroughput | None = None
) -> OnDemandThroughput | None:
    """The maxima as clients see them; UpdateTable echoes those that it was `asked` to remove."""
    read, write = limits.max_read_units, limits.max_write_units
    if asked is not None:
        read = asked.max_read_request_units if read is None else read
        write = asked.max_write_request_units if write is None else write
    if read is None and write is None:
        return None
    return OnDemandThroughput(max_read_request_units=read, max_write_request_units=write)


def _given(asked: OnDemandThroughput) -> Iterator[tuple[str, int]]:
    if asked.max_read_request_units is not None:
        yield _READ, asked.max_read_request_units
    if asked.max_write_request_units is not None:
        yield _WRITE, asked.max_write_request_units


def _merged(old: int | None, asked: int | None) -> int | None:
    if asked is None:
        return old
    return None if asked == REMOVED else asked
