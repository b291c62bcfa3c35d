"""Prices of capacity on AWS, to compare on-demand and provisioned capacity.

List prices in US dollars of us-east-1 for the Standard table class since November 2024, without
free tier, storage and streams. Reserved capacity is bought in blocks, and paid whether it is used
or not. Source: AWS, "Amazon DynamoDB pricing" and "Reserved capacity".
"""

from math import ceil
from typing import Final

import msgspec

_MILLION: Final = 1_000_000
RESERVED_BLOCK_UNITS: Final = 100
"""Units are reserved in multiples of this."""


class Prices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million request units, and for a provisioned unit for one hour.

    Attributes:
        reserved_year_share: the price of units that are reserved for a year, with the payment in
            advance, as a share of that of provisioned units.
        reserved_three_years_share: the same for three years.
    """

    on_demand_read_million: float = 0.125
    on_demand_write_million: float = 0.625
    provisioned_read_hour: float = 0.00013
    provisioned_write_hour: float = 0.00065
    reserved_year_share: float = 0.46
    reserved_three_years_share: float = 0.23

    def on_demand(self, read_units: float, write_units: float) -> float:
        """The price of consumed units."""
        reads = read_units * self.on_demand_read_million
        return (reads + write_units * self.on_demand_write_million) / _MILLION

    def provisioned(self, read_unit_seconds: float, write_unit_seconds: float) -> float:
        """The price of provisioned units, given as units multiplied by seconds."""
        reads = read_unit_seconds * self.provisioned_read_hour
        return (reads + write_unit_seconds * self.provisioned_write_hour) / 3600

    def reserved(
        self, read_units: float, write_units: float, seconds: float, *, share: float
    ) -> float:
        """The price of constant units that are reserved; `share` is that of the term."""
        reads, writes = (
            ceil(units / RESERVED_BLOCK_UNITS) * RESERVED_BLOCK_UNITS * seconds
            for units in (read_units, write_units)
        )
        return share * self.provisioned(reads, writes)
