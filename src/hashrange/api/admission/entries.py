"""The capacity of a table from its catalog entry: billing mode, throughput and indexes. Pure."""

from collections.abc import Mapping

import msgspec

from hashrange.capacity.resources import TableCapacity, Terms, new_resource, new_table
from hashrange.limits.tables import TABLE_CAPACITY_UNITS_MAX
from hashrange.model.table import Index, Table


class Declared(msgspec.Struct, frozen=True):
    """The declared capacity of a table or global index.

    Attributes:
        number: that of the index; 0 for the table. An index that is made again has another one.
    """

    number: int
    terms: Terms


def declared_by(table: Table, quota: float) -> dict[str, Declared]:
    """The table under the empty name, and its global indexes; without those being deleted.

    `quota` is the account's limit of the units of a table.
    """
    return {
        "": Declared(0, _terms(table, table, quota)),
        **{
            index.name: Declared(index.number, _terms(table, index, quota))
            for index in table.indexes
            if not index.is_local and index.state != "DELETING"
        },
    }


def capacity_of(table: Table, now_ms: float, quota: float) -> TableCapacity:
    """The capacity of a table that has none yet."""
    declared = declared_by(table, quota)
    own = declared.pop("")
    return new_table(
        table.arn,
        own.terms,
        now_ms,
        indexes={name: each.terms for name, each in declared.items()},
        local_indexes=[index.name for index in table.indexes if index.is_local],
        has_sort_key=table.sort is not None,
    )


def bring_up_to_date(
    capacity: TableCapacity,
    before: Mapping[str, Declared],
    table: Table,
    now_ms: float,
    *,
    quota: float,
) -> dict[str, Declared]:
    """Apply what has changed in the entry; returns what it declares now.

    Levels of buckets, peaks and partitions stay; those of an index go with it.
    """
    declared = declared_by(table, quota)
    if quota != capacity.quota_read.capacity:
        capacity.set_quota(quota, now_ms)
    for name, each in declared.items():
        old = before.get(name)
        resource = capacity.table if not name else capacity.indexes.get(name)
        if resource is None or old is None or old.number != each.number:
            capacity.indexes[name] = new_resource(table.arn, name, each.terms, now_ms)
        elif old.terms != each.terms:
            resource.apply(each.terms, now_ms)
    for name in capacity.indexes.keys() - declared.keys():
        del capacity.indexes[name]
    starved = (resource.starved_until_ms for resource in capacity.indexes.values())
    capacity.starved_until_ms = max(starved, default=0.0)
    return declared


def initial_partitions(table: Table) -> int:
    """The number of partitions of a table with this entry that is new."""
    return len(capacity_of(table, 0.0, float(TABLE_CAPACITY_UNITS_MAX)).table.partitions)


def _terms(table: Table, place: Table | Index, quota: float) -> Terms:
    return Terms(
        mode=table.billing_mode,
        read_units=float(place.throughput.read_units),
        write_units=float(place.throughput.write_units),
        max_read_units=_limit(place.on_demand.max_read_units),
        max_write_units=_limit(place.on_demand.max_write_units),
        warm_read_units=float(place.warm.read_units),
        warm_write_units=float(place.warm.write_units),
        quota_units=quota,
    )


def _limit(units: int | None) -> float | None:
    return None if units is None else float(units)
