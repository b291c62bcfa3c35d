"""The cost of transactions: each item twice, to prepare and to commit; also if cancelled."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from hashrange.api.dynamodb.items.written import units_by_table
from hashrange.api.steps.operation import ChargedError
from hashrange.capacity.consumed import Kind, Units, consumed_by_table
from hashrange.capacity.units import Charge, read_units, write_units
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.structures.dynamodb import ConsumedCapacity
from hashrange.observe.counts import UnitCounts
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing import transactions
from hashrange.tables.writing.write_plans import WritePlan, WriteResult

TRANSACTION_TIMES: Final = 2

_table: Final = attrgetter("table")

Costs = Mapping[str, Units]
"""Units by the name of the table, as sent, in the order of first use."""


def cost_of_written(
    names: Sequence[str], writes: Sequence[WritePlan[None]], done: Sequence[WriteResult[None]]
) -> Costs:
    """The cost of written and checked items; index entries are charged once."""
    return units_by_table(names, map(_table, writes), done, times=TRANSACTION_TIMES)


def units_of_cancelled(
    outcomes: Sequence[transactions.ActionOutcome[Any] | None],
) -> list[float]:
    """The units of a cancelled transaction: of all items as they are; those in conflict are free.

    Source: CloudWatch's figures of the service, September 2026.
    """
    costs = []
    for one in outcomes:
        if isinstance(one, WriteResult):
            units = write_units(one.size)
        elif one is None or one.fault is Fault.TRANSACTION_CONFLICT:
            units = 0.0
        elif isinstance(one, ChargedError):
            units = one.write_units
        else:
            units = write_units(0)
        costs.append(TRANSACTION_TIMES * units)
    return costs


def count_conflicts(
    names: Iterable[str],
    outcomes: Sequence[transactions.ActionOutcome[Any] | None],
    counts: Mapping[str, UnitCounts],
) -> None:
    """Count the actions that others were in the way of, at their tables: TransactionConflict."""
    for name, one in zip(names, outcomes, strict=True):
        if isinstance(one, DynamoError) and one.fault is Fault.TRANSACTION_CONFLICT:
            counts[name].conflicts += 1


def units_of_read(sizes: Sequence[int]) -> list[float]:
    """The units of read items; the size of a missing item is 0."""
    return [TRANSACTION_TIMES * read_units(size, consistent=True) for size in sizes]


def cost_of(names: Sequence[str], units: Sequence[float]) -> Costs:
    """The cost of items, by table."""
    return _by_table(names, [Units(table=each) for each in units])


def shown_capacity(costs: Costs, detail: str | None, kind: Kind) -> list[ConsumedCapacity] | None:
    """The ConsumedCapacity of an answer, in the detail of ReturnConsumedCapacity."""
    return None if detail is None else consumed_by_table(costs, detail, kind)


def charges_by_table(costs: Costs, kind: Kind) -> list[Charge]:
    """The charges of a `Cost`: one for each table."""
    if kind == "read":
        return [Charge(name, read_units=units.total) for name, units in costs.items()]
    return [Charge(name, write_units=units.total) for name, units in costs.items()]


def _by_table(names: Sequence[str], each: Sequence[Units]) -> Costs:
    costs: dict[str, Units] = {}
    for name, units in zip(names, each, strict=True):
        costs[name] = costs[name].plus(units) if name in costs else units
    return costs


def refuse_strong(tables: Iterable[OpenTable | None]) -> None:
    """Refuse a transaction on a strong table. Raises ValidationException."""
    if any(each is not None and each.table.strong is not None for each in tables):
        raise invalid(messages.in_transaction())
