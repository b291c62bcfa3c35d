"""Maxima of on-demand tables and their indexes: recorded and described. Pure.

Source: Developer Guide, "DynamoDB maximum throughput for on-demand tables"; measured by users,
October 2026.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import throughput as texts
from hashrange.model.structures.dynamodb import OnDemandThroughput
from hashrange.model.table import BillingMode, OnDemandLimits, Table

REMOVED: Final = -1
"""The value by which UpdateTable removes a maximum; it is also answered."""
_READ, _WRITE = "MaxReadRequestUnits", "MaxWriteRequestUnits"
_QUOTAS: Final = {_READ: "TableMaxReadCapacityUnits", _WRITE: "TableMaxWriteCapacityUnits"}


def asks_for_limits(requested: OnDemandThroughput | None) -> bool:
    """Whether the structure has a member; the service ignores an empty structure."""
    return requested is not None and any(True for _ in _members(requested))


def new_limits(
    requested: OnDemandThroughput | None, mode: BillingMode, index: str | None = None
) -> OnDemandLimits:
    """The maxima of a new table, or of a new index of that name. Raises ValidationException."""
    if requested is None:
        return OnDemandLimits()
    for member, units in _members(requested):
        if mode == "PROVISIONED":
            raise invalid(texts.on_demand_limit_of_new_provisioned(member, index))
        if units == REMOVED and index is not None:
            raise invalid(texts.on_demand_limit_of_new_index(member, index))
        if units < 1:
            raise invalid(texts.on_demand_limit_out_of_range(member, index))
    return OnDemandLimits(
        max_read_units=requested.max_read_request_units,
        max_write_units=requested.max_write_request_units,
    )


def check_limits(requested: OnDemandThroughput | None, index: str | None = None) -> None:
    """Refuse maxima that are invalid for every table and index. Raises ValidationException."""
    if requested is None:
        return
    for member, units in _members(requested):
        if units < 1 and units != REMOVED:
            raise invalid(texts.on_demand_limit_out_of_range(member, index))


def check_limits_quota(
    requested: OnDemandThroughput | None, region: str, most: int, *, index: str | None = None
) -> None:
    """Raise LimitExceededException for a maximum above `most`, the quota of a table."""
    if requested is None:
        return
    for member, units in _members(requested):
        if units > most:
            text = texts.on_demand_limit_above_quota(member, _QUOTAS[member], region, index)
            raise DynamoError(Fault.LIMIT_EXCEEDED, text)


def limited(table: Table, requested: OnDemandThroughput, most: int) -> Table:
    """The table with new maxima. Raises as `merged_limits`."""
    return msgspec.structs.replace(
        table, on_demand=merged_limits(table, table.on_demand, requested, most)
    )


def merged_limits(
    table: Table,
    old: OnDemandLimits,
    requested: OnDemandThroughput,
    most: int,
    *,
    index: str | None = None,
) -> OnDemandLimits:
    """The maxima of a table or an index after UpdateTable; absent members do not change.

    Raises ValidationException for a provisioned table, LimitExceededException beyond the quota of
    a table, `most`.
    """
    if table.billing_mode == "PROVISIONED":
        (member, _), *_ = _members(requested)
        raise invalid(texts.on_demand_limit_of_provisioned(member, index))
    check_limits_quota(requested, table.region, most, index=index)
    return OnDemandLimits(
        max_read_units=_merged(old.max_read_units, requested.max_read_request_units),
        max_write_units=_merged(old.max_write_units, requested.max_write_request_units),
    )


def described_limits(limits: OnDemandLimits) -> OnDemandThroughput | None:
    """The maxima of a description."""
    return echoed_limits(
        OnDemandThroughput(
            max_read_request_units=limits.max_read_units,
            max_write_request_units=limits.max_write_units,
        ),
        None,
    )


def echoed_limits(
    described: OnDemandThroughput | None, requested: OnDemandThroughput | None
) -> OnDemandThroughput | None:
    """Described maxima, and as UpdateTable echoes them, those that were requested to be removed."""
    shown = described or OnDemandThroughput()
    read, write = shown.max_read_request_units, shown.max_write_request_units
    if requested is not None:
        read = requested.max_read_request_units if read is None else read
        write = requested.max_write_request_units if write is None else write
    if read is None and write is None:
        return None
    return OnDemandThroughput(max_read_request_units=read, max_write_request_units=write)


def _members(requested: OnDemandThroughput) -> Iterator[tuple[str, int]]:
    if requested.max_read_request_units is not None:
        yield _READ, requested.max_read_request_units
    if requested.max_write_request_units is not None:
        yield _WRITE, requested.max_write_request_units


def _merged(old: int | None, requested: int | None) -> int | None:
    if requested is None:
        return old
    return None if requested == REMOVED else requested
