"""The ConsumedCapacity member of a response."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from hashrange.model.structures.dynamodb import Capacity, ConsumedCapacity, VectorCapacity

Kind: TypeAlias = Literal["read", "write"]
"""The kind of units; transactions report it at each level, other operations do not."""


class Units(msgspec.Struct, frozen=True, kw_only=True):
    """Units of one operation on one table: of the table itself, and of its indexes by name.

    Vector indexes have bytes instead, which are not among the units.
    """

    table: float = 0.0
    local_indexes: Mapping[str, float] = {}
    global_indexes: Mapping[str, float] = {}
    vector_bytes: Mapping[str, float] = {}

    @property
    def total(self) -> float:
        """Units of the table and of all indexes."""
        if not self.local_indexes and not self.global_indexes:
            return self.table
        return self.table + sum(self.local_indexes.values()) + sum(self.global_indexes.values())

    def plus(self, other: "Units") -> "Units":
        """The sum of both, level by level."""
        return Units(
            table=self.table + other.table,
            local_indexes=_sum(self.local_indexes, other.local_indexes),
            global_indexes=_sum(self.global_indexes, other.global_indexes),
            vector_bytes=_sum(self.vector_bytes, other.vector_bytes),
        )


def consumed(
    table_name: str, units: Units, detail: str | None, kind: Kind | None = None
) -> ConsumedCapacity | None:
    """ConsumedCapacity of one table; None unless ReturnConsumedCapacity is TOTAL or INDEXES.

    Args:
        table_name: the name or ARN in the request.
        units: the units consumed.
        detail: ReturnConsumedCapacity.
        kind: given by transactions only.
    """
    if detail not in {"TOTAL", "INDEXES"}:
        return None
    is_split = detail == "INDEXES"
    total = units.total
    return ConsumedCapacity(
        table_name=table_name,
        capacity_units=total,
        read_capacity_units=total if kind == "read" else None,
        write_capacity_units=total if kind == "write" else None,
        table=_capacity(units.table, kind) if is_split else None,
        local_secondary_indexes=_arms(units.local_indexes, kind) if is_split else None,
        global_secondary_indexes=_arms(units.global_indexes, kind) if is_split else None,
        vector_indexes=_vector_arms(units.vector_bytes) if is_split else None,
    )


def consumed_by_table(
    units: Mapping[str, Units], detail: str | None, kind: Kind | None = None
) -> list[ConsumedCapacity] | None:
    """The ConsumedCapacity list of batches and transactions, a row for each table of `units`."""
    rows = [row for name, total in units.items() if (row := consumed(name, total, detail, kind))]
    return rows or None


def _capacity(units: float, kind: Kind | None) -> Capacity:
    return Capacity(
        capacity_units=units,
        read_capacity_units=units if kind == "read" else None,
        write_capacity_units=units if kind == "write" else None,
    )


def _arms(units: Mapping[str, float], kind: Kind | None) -> Mapping[str, Capacity] | None:
    """Capacity of each index; None if there are no indexes."""
    return {name: _capacity(each, kind) for name, each in units.items()} or None


def _vector_arms(written: Mapping[str, float]) -> dict[str, VectorCapacity] | None:
    return {
        name: VectorCapacity(vector_write_request_bytes=each) for name, each in written.items()
    } or None


def _sum(some: Mapping[str, float], more: Mapping[str, float]) -> Mapping[str, float]:
    if not more:
        return some
    return {name: some.get(name, 0.0) + more.get(name, 0.0) for name in {**some, **more}}
