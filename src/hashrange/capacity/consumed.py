"""The ConsumedCapacity member of an answer."""

from collections.abc import Mapping

import msgspec


class Capacity(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """Units at one level: the table's or an index's."""

    capacity_units: float


class ConsumedCapacity(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """Units of one operation on one table, named as the client named it."""

    table_name: str
    capacity_units: float
    table: Capacity | None = None


def consumed(table_name: str, units: float, detail: str | None) -> ConsumedCapacity | None:
    """What ReturnConsumedCapacity asks for: nothing, TOTAL or INDEXES."""
    match detail:
        case "TOTAL":
            return ConsumedCapacity(table_name=table_name, capacity_units=units)
        case "INDEXES":
            return ConsumedCapacity(
                table_name=table_name, capacity_units=units, table=Capacity(capacity_units=units)
            )
        case _:
            return None


def consumed_by_table(
    units: Mapping[str, float], detail: str | None
) -> list[ConsumedCapacity] | None:
    """The list that batches answer, a row a table in the order of first use."""
    rows = [row for name, total in units.items() if (row := consumed(name, total, detail))]
    return rows or None
