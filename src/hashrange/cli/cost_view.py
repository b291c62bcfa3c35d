"""Prices and bills of the commands that show them: the option --prices, and the text of a bill."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.files import text_of
from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.capacity.costs.bill import Bill
    from hashrange.capacity.costs.capacity_lines import Line
    from hashrange.capacity.prices import PriceList

WAYS: Final = {
    "on_demand": "on demand",
    "provisioned": "provisioned for the peak",
    "provisioned_with_scaling": "provisioned, auto scaling to 70 %",
    "reserved_1_year": "reserved for 1 year",
    "reserved_3_years": "reserved for 3 years",
    "standard_ia_on_demand": "Standard-IA, on demand",
    "standard_ia_provisioned": "Standard-IA, provisioned",
}
"""The text of each way of paying for capacity."""
_WIDTH: Final = 36
_COMMITTED: Final = "reserved"

prices_option: Final = click.option(
    "--prices",
    "price_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Prices of another region, in the format of docs/costs.md  [default: us-east-1]",
)


def price_list(path: Path | None) -> "PriceList":
    """The prices of a file, or those that come with this package. Raises Misuse."""
    from hashrange.capacity.prices import PriceError, listed, parsed

    if path is None:
        return listed()
    try:
        return parsed(text_of(path))
    except PriceError as error:
        raise Misuse(f"{path}: {error}") from error


def bill_text(bill: "Bill", listed: "PriceList") -> Iterator[str]:
    """The lines of a bill, with those that each total is made of."""
    yield f"A month in US dollars, prices of {listed.region} of {listed.date}:"
    for name, text in WAYS.items():
        mark = "  cheapest" if name == bill.cheapest else ""
        yield f"  {text:<{_WIDTH}}{_usd(bill.monthly[name])}{mark}"
        yield from _lines(bill.capacity[name])
    if bill.extras:
        yield "Of which, in each of these:"
        yield from _lines(bill.extras)
    yield from conclusion(bill)


def conclusion(bill: "Bill") -> Iterator[str]:
    """The conclusion of a bill, and its omissions."""
    free = {
        name: usd
        for name, usd in bill.monthly.items()
        if usd is not None and not name.startswith(_COMMITTED)
    }
    if bill.cheapest.startswith(_COMMITTED) and free:
        best = min(free, key=lambda name: free[name])
        yield f"Cheapest without a commitment: {WAYS[best]}, {free[best]:,.2f}."
    if bill.break_even:
        yield "Break-even: each costs less than on demand from this use, on average over the month:"
    for name, found in bill.break_even.items():
        units = f"{found.read_units:,.4g} read and {found.write_units:,.4g} write units a second"
        yield f"  {WAYS[name]:<{_WIDTH}}{found.share:>14.1%}  {units}"
    if bill.not_priced:
        names = ", ".join(WAYS.get(name, name) for name in bill.not_priced)
        yield f"Not counted, the price is not known: {names}."


def _lines(lines: "list[Line]") -> Iterator[str]:
    for each in lines:
        if each.quantity:
            quantity = f"{each.quantity:,.10g} {each.unit}"
            yield f"    {each.name:<{_WIDTH - 2}}{_usd(each.usd)}  {quantity}"


def _usd(amount: float | None) -> str:
    return f"{'no price':>14}" if amount is None else f"{amount:>14,.2f}"
