"""The usage and the bill of a simulation."""

from typing import Final

import msgspec

from hashrange.capacity.costs.bill import Bill, monthly_bill
from hashrange.capacity.costs.capacity_lines import TARGET_USE, round_usd, total_usd
from hashrange.capacity.costs.usage import GB_BYTES, Usage
from hashrange.capacity.prices import MONTH_HOURS, Prices
from hashrange.capacity.simulation.results import Result

_MONTH_SECONDS: Final = MONTH_HOURS * 3600
_MINUTE_SECONDS: Final = 60


class SimulatedBill(msgspec.Struct, frozen=True, kw_only=True):
    """The costs of a simulation.

    Attributes:
        run: US dollars for the capacity of the simulated time, by the way of paying;
            `as_provisioned` is for the units that the table had.
        bill: of a month of this load.
        storage_growth_gb: what a month of this load adds.
    """

    run: dict[str, float | None]
    bill: Bill
    storage_growth_gb: float


def usage_of(result: Result, *, months: int = 1) -> Usage:
    """The usage of an average month, if the simulated time is repeated.

    The peak leaves room: the busiest minute uses 70 percent. Storage is the average of the months.
    """
    reads, writes, index_writes = 0.0, 0.0, 0.0
    read_peak, write_peak = 0.0, 0.0
    for name, minutes in result.places.items():
        reads += sum(each.read_units for each in minutes)
        written = sum(each.write_units for each in minutes)
        writes += written if name == result.table else 0.0
        index_writes += 0.0 if name == result.table else written
        read_peak += max(each.read_units for each in minutes)
        write_peak += max(each.write_units for each in minutes)
    seconds = result.seconds
    stored = result.bytes_after / GB_BYTES + growth_gb(result) * months / 2
    return Usage(
        read_units=reads / seconds,
        write_units=writes / seconds,
        index_write_units=index_writes / seconds,
        read_peak=_multiple(read_peak, reads, seconds),
        write_peak=_multiple(write_peak, writes + index_writes, seconds),
        storage_gb=stored,
    )


def growth_gb(result: Result) -> float:
    """The growth of the storage by a month of this load."""
    return (result.bytes_after - result.bytes_before) / GB_BYTES * _MONTH_SECONDS / result.seconds


def simulated_bill(result: Result, prices: Prices, *, months: int = 1) -> SimulatedBill:
    """The costs of a simulation and of an average month of it."""
    bill = monthly_bill(usage_of(result, months=months), prices)
    share = result.seconds / _MONTH_SECONDS
    run: dict[str, float | None] = {"as_provisioned": _as_provisioned(result, prices)}
    for name, lines in bill.capacity.items():
        usd = total_usd([each for each in lines if each.name != "storage"])
        run[name] = None if usd is None else round_usd(usd * share)
    return SimulatedBill(run=run, bill=bill, storage_growth_gb=growth_gb(result))


def _as_provisioned(result: Result, prices: Prices) -> float | None:
    read, write = prices.provisioned_read_hour, prices.provisioned_write_hour
    if result.provisioned is None or read is None or write is None:
        return None
    return round_usd((result.provisioned[0] * read + result.provisioned[1] * write) / 3600)


def _multiple(peak: float, units: float, seconds: float) -> float:
    """The peak, from units of a minute with room, as a multiple of the average."""
    if not units:
        return 1.0
    minute_seconds = min(_MINUTE_SECONDS, seconds)
    return peak / minute_seconds / TARGET_USE / (units / seconds)
