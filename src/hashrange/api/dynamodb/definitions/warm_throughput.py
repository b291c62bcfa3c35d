"""Warm throughput: recorded and described; it can be increased only. Pure.

Source: Developer Guide, "Understanding DynamoDB warm throughput"; measured by users, October 2026.
"""

import msgspec

from hashrange.api.dynamodb.definitions.table_names import as_it_is
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import (
    ON_DEMAND_WARM_READ_UNITS,
    ON_DEMAND_WARM_WRITE_UNITS,
)
from hashrange.messages.tables import throughput as texts
from hashrange.model.structures.dynamodb import WarmThroughput, WarmThroughputDescription
from hashrange.model.table import BillingMode, Table, Throughput, WarmUnits


def asks_for_warm(requested: WarmThroughput | None) -> bool:
    """Whether the structure has a member; the service ignores an empty structure."""
    return requested is not None and (
        requested.read_units_per_second is not None or requested.write_units_per_second is not None
    )


def new_warm(
    requested: WarmThroughput | None,
    mode: BillingMode,
    throughput: Throughput,
    index: str | None = None,
) -> WarmUnits:
    """The warm throughput of a new table, or of a new index of that name.

    Raises ValidationException for less than the initial throughput.
    """
    if requested is None:
        return WarmUnits()
    read, write = requested.read_units_per_second, requested.write_units_per_second
    if mode == "PAY_PER_REQUEST":
        if read is not None and read < ON_DEMAND_WARM_READ_UNITS:
            raise invalid(texts.warm_below_initial("ReadUnitsPerSecond", index))
        if write is not None and write < ON_DEMAND_WARM_WRITE_UNITS:
            raise invalid(texts.warm_below_initial("WriteUnitsPerSecond", index))
    else:
        if read is not None and read < throughput.read_units:
            text = texts.warm_below_provisioned("ReadUnitsPerSecond", "ReadCapacityUnits", index)
            raise invalid(text)
        if write is not None and write < throughput.write_units:
            text = texts.warm_below_provisioned("WriteUnitsPerSecond", "WriteCapacityUnits", index)
            raise invalid(text)
    return WarmUnits(read_units=read or 0, write_units=write or 0)


def check_warm_quota(
    requested: WarmThroughput | None, region: str, most: int, *, index: str | None = None
) -> None:
    """Raise LimitExceededException for more than `most`, the quota of a table or index."""
    if requested is None:
        return
    members = {
        "ReadUnitsPerSecond": (requested.read_units_per_second, "TableMaxReadCapacityUnits"),
        "WriteUnitsPerSecond": (requested.write_units_per_second, "TableMaxWriteCapacityUnits"),
    }
    for member, (units, quota) in members.items():
        if units is not None and units > most:
            text = texts.warm_above_quota(member, quota, region, index)
            raise DynamoError(Fault.LIMIT_EXCEEDED, text)


def warmed(table: Table, requested: WarmThroughput, now_ms: int, most: int) -> Table:
    """The table after UpdateTable; absent members do not change.

    Raises ValidationException for a decrease, LimitExceededException beyond the quota, `most`.
    """
    before = as_it_is(table, now_ms)
    grown = grown_warm(before.warm, requested, table.region, most)
    return msgspec.structs.replace(table, warm=grown, warm_changed_ms=now_ms, meanwhile=before)


def grown_warm(
    now: WarmUnits, requested: WarmThroughput, region: str, most: int, *, index: str | None = None
) -> WarmUnits:
    """The warm throughput of a table or index after UpdateTable. Raises as `warmed`."""
    read, write = requested.read_units_per_second, requested.write_units_per_second
    if read is not None and read < now.read_units:
        raise invalid(texts.warm_below_current("ReadUnitsPerSecond", index))
    if write is not None and write < now.write_units:
        raise invalid(texts.warm_below_current("WriteUnitsPerSecond", index))
    check_warm_quota(requested, region, most, index=index)
    return WarmUnits(
        read_units=now.read_units if read is None else read,
        write_units=now.write_units if write is None else write,
    )


def described_warm(warm: WarmUnits, *, warming: bool) -> WarmThroughputDescription:
    """The warm throughput of a table or an index in a description."""
    return WarmThroughputDescription(
        read_units_per_second=warm.read_units,
        write_units_per_second=warm.write_units,
        status="UPDATING" if warming else "ACTIVE",
    )
