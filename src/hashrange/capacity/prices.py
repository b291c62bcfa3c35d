"""Prices of capacity on AWS, to compare on-demand and provisioned capacity.

List prices in US dollars of us-east-1 for the Standard table class since November 2024, without
free tier, reserved capacity, storage and streams. Source: AWS, "Amazon DynamoDB pricing".
"""

from typing import Final

import msgspec

_MILLION: Final = 1_000_000


class Prices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million request units, and for a provisioned unit for one hour."""

    on_demand_read_million: float = 0.125
    on_demand_write_million: float = 0.625
    provisioned_read_hour: float = 0.00013
    provisioned_write_hour: float = 0.00065

    def on_demand(self, read_units: float, write_units: float) -> float:
        """The price of consumed units."""
        reads = read_units * self.on_demand_read_million
        return (reads + write_units * self.on_demand_write_million) / _MILLION

    def provisioned(self, read_unit_seconds: float, write_unit_seconds: float) -> float:
        """The price of provisioned units, given as units multiplied by seconds."""
        reads = read_unit_seconds * self.provisioned_read_hour
        return (reads + write_unit_seconds * self.provisioned_write_hour) / 3600
