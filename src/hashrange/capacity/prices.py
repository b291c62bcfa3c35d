"""Prices of DynamoDB in one region, by the names of `prices.toml`, which has the source of each.

All are US dollars. A month has 730 hours, as in AWS's calculator.
"""

import datetime as dt
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from math import ceil
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

MONTH_HOURS: Final = 730
RESERVED_BLOCK_UNITS: Final = 100
"""Units are reserved in multiples of this."""
_MILLION: Final = 1_000_000

Amount: TypeAlias = Annotated[float, Meta(ge=0, le=1e15)]
Term: TypeAlias = Literal["1_year", "3_years"]
TERM_HOURS: Final[Mapping[Term, int]] = {"1_year": 8760, "3_years": 3 * 8760}
"""The hours of each term for which capacity can be reserved."""


class PriceError(ValueError):
    """A file of prices, or the name of a price, is invalid; the text has the reason."""


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A price, and a name of `sources` or a text that says where it was read."""

    usd: Amount
    source: str


class FreeTier(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The free tier of an account in a month; units are of tables in provisioned mode."""

    read_units: Amount = 0
    write_units: Amount = 0
    replicated_write_units: Amount = 0
    storage_gb: Amount = 0
    stream_reads: Amount = 0
    egress_gb: Amount = 0


class PriceList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of prices.

    Attributes:
        date: when the prices were read.
        sources: texts by the names that prices refer to.
        dax: prices of a node for an hour, by its type.
    """

    region: str
    date: dt.date
    sources: dict[str, str] = {}
    prices: dict[str, Price]
    dax: dict[str, Price] = {}
    free: FreeTier = FreeTier()


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """The prices of a region; those that are not known are None. `prices.toml` says of what."""

    on_demand_read_million: float | None = None
    on_demand_write_million: float | None = None
    on_demand_replicated_write_million: float | None = None
    provisioned_read_hour: float | None = None
    provisioned_write_hour: float | None = None
    provisioned_replicated_write_hour: float | None = None
    reserved_1_year_read_upfront: float | None = None
    reserved_1_year_read_hour: float | None = None
    reserved_1_year_write_upfront: float | None = None
    reserved_1_year_write_hour: float | None = None
    reserved_3_years_read_upfront: float | None = None
    reserved_3_years_read_hour: float | None = None
    reserved_3_years_write_upfront: float | None = None
    reserved_3_years_write_hour: float | None = None
    ia_on_demand_read_million: float | None = None
    ia_on_demand_write_million: float | None = None
    ia_on_demand_replicated_write_million: float | None = None
    ia_provisioned_read_hour: float | None = None
    ia_provisioned_write_hour: float | None = None
    ia_provisioned_replicated_write_hour: float | None = None
    storage_gb_month: float | None = None
    ia_storage_gb_month: float | None = None
    pitr_gb_month: float | None = None
    backup_gb_month: float | None = None
    restore_gb: float | None = None
    export_gb: float | None = None
    incremental_export_gb: float | None = None
    import_gb: float | None = None
    stream_read_million: float | None = None
    egress_gb: float | None = None
    egress_gb_above_10_tb: float | None = None
    egress_gb_above_50_tb: float | None = None
    egress_gb_above_150_tb: float | None = None
    transfer_between_regions_gb: float | None = None
    vector_write_gb: float | None = None
    vector_search_gb: float | None = None

    def changed(self, changes: Mapping[str, float]) -> "Prices":
        """The prices with some changed. Raises PriceError for a name that is no price."""
        return msgspec.structs.replace(self, **dict(checked_names(changes)))

    def reserved_hour(self, term: Term, kind: Literal["read", "write"]) -> float | None:
        """The price of a block of units for an hour of a term, with its part of the payment."""
        upfront = getattr(self, f"reserved_{term}_{kind}_upfront")
        hour = getattr(self, f"reserved_{term}_{kind}_hour")
        if upfront is None or hour is None:
            return None
        price: float = upfront / TERM_HOURS[term] + hour
        return price


def blocks(units: float) -> int:
    """The blocks of reserved capacity that hold some units."""
    return ceil(units / RESERVED_BLOCK_UNITS)


def checked_names(changes: Mapping[str, float]) -> Mapping[str, float]:
    """The same prices. Raises PriceError for a name that is no price, with the names that are."""
    known = [field.name for field in msgspec.structs.fields(Prices)]
    for name in changes:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f", did you mean {near[0]}? It" if near else ", it"
            raise PriceError(f"there is no price {name}{hint} is one of {', '.join(known)}")
    return changes


def parsed(text: str) -> PriceList:
    """The prices in the text of a file. Raises PriceError."""
    try:
        found = msgspec.convert(tomllib.loads(text), PriceList)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise PriceError(str(error)) from error
    checked_names({name: price.usd for name, price in found.prices.items()})
    return found


def prices_of(found: PriceList) -> Prices:
    """The prices of a file."""
    return Prices(**{name: price.usd for name, price in found.prices.items()})


@cache
def listed() -> PriceList:
    """The list prices that come with this package."""
    return parsed((files(__package__) / "prices.toml").read_text("utf-8"))


def list_price_on_demand(read_units: float, write_units: float) -> float:
    """The list price of consumed units in the region of this package's prices."""
    prices = listed().prices
    reads = read_units * prices["on_demand_read_million"].usd
    return (reads + write_units * prices["on_demand_write_million"].usd) / _MILLION
