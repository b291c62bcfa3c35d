"""A table with its settings, as tools exchange it: a CreateTable request and what it cannot say."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

PROVISIONED: Final = "PROVISIONED"
ON_DEMAND: Final = "PAY_PER_REQUEST"


class AutoScaling(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds and target of the provisioned units of a table and its indexes.

    Attributes:
        units_min: the smallest number of units.
        units_max: the largest number of units.
        target_percent: consumed units as a percentage of the provisioned ones, 20 to 90.
    """

    units_min: int
    units_max: int
    target_percent: int = 70


class TableDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """A table to be made, and the settings that follow CreateTable.

    Attributes:
        request: the CreateTable request in DynamoDB's JSON, with its `TableName`.
        time_to_live: the attribute with the second of expiry; None if items do not expire.
        recovery_days: days of point-in-time recovery, 1 to 35; None if it is off.
        insights: whether contributor insights are on, for the table and its indexes.
        alarms: whether alarms on throttling and system errors belong to the table.
        scaling: auto scaling of a provisioned table; None for fixed units. A table on demand is
            not scaled; a design keeps the range for the day when it is provisioned.
    """

    request: Mapping[str, Any]
    time_to_live: str | None = None
    recovery_days: int | None = None
    insights: bool = False
    alarms: bool = False
    scaling: AutoScaling | None = None

    @property
    def name(self) -> str:
        """The name of the table."""
        name: str = self.request["TableName"]
        return name

    @property
    def is_provisioned(self) -> bool:
        """Whether the table has provisioned units, as CreateTable without a mode has."""
        return bool(self.request.get("BillingMode", PROVISIONED) == PROVISIONED)

    @property
    def global_indexes(self) -> list[str]:
        """The names of the global secondary indexes."""
        return [index["IndexName"] for index in self.request.get("GlobalSecondaryIndexes") or ()]

    def provisioned(self) -> "TableDefinition":
        """The same table with provisioned units: those that it has, or the least of its scaling."""
        if self.is_provisioned:
            return self
        assert self.scaling is not None, "a table on demand has no units without scaling"
        least = self.scaling.units_min
        units = {"ProvisionedThroughput": {"ReadCapacityUnits": least, "WriteCapacityUnits": least}}
        request = {**self.request, "BillingMode": PROVISIONED, **units}
        indexes = request.get("GlobalSecondaryIndexes")
        if indexes:
            request["GlobalSecondaryIndexes"] = [{**index, **units} for index in indexes]
        return msgspec.structs.replace(self, request=request)
