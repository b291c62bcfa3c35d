"""Lines of a bill: a quantity, its unit, and what it costs."""

from typing import Final

import msgspec

_DIGITS: Final = 4


class Line(msgspec.Struct, frozen=True):
    """A line of a bill.

    Attributes:
        usd: US dollars in a month; None if there is no price.
    """

    name: str
    quantity: float
    unit: str
    usd: float | None


def line(name: str, quantity: float, unit: str, price: float | None) -> Line:
    """A line, by the price of one unit. Nothing of a thing costs nothing, whatever its price."""
    usd = 0.0 if not quantity else None if price is None else round_usd(quantity * price)
    return Line(name, round(quantity, _DIGITS), unit, usd)


def round_usd(amount: float) -> float:
    """An amount as it is shown and added: to a hundredth of a cent."""
    return round(amount, _DIGITS)
