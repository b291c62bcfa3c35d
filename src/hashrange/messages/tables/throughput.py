"""Texts about billing modes and throughput. Numbers: docs/internals/messages.md.

`index` is the index that a setting belongs to; None for the table.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

from typing import Final

from hashrange.messages.tables.dates import in_full, in_short
from hashrange.messages.text import Text

_INVALID: Final = "One or more parameter values were invalid: "
_LIMIT: Final = "Subscriber limit exceeded: "
_GUIDE: Final = "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
_INITIAL: Final = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"

# UpdateTable to PAY_PER_REQUEST with units in the same request. 2026.
units_with_on_demand = Text(_INVALID + "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST")


def above_maximum(member: str, units: int, region: str, most: int, *, index: str | None = None) -> str:
    """LimitExceededException: more units than a table or an index may be provisioned for. 2026."""
    units_of, kind = (member, "table") if index is None else (f"{member} for index {index}", "index")
    return f"The requested {units_of}, {units}, is above the per {kind} maximum for the account in {region}. Per table maximum: {most}. {_GUIDE}"


def above_account_maximum(member: str, region: str, now: int, *, most: int, more: int) -> str:
    """LimitExceededException: all tables and indexes of the account would have too many units.

    2026, of CreateTable; that `Requested` is what an update adds is our conclusion.
    """
    return f"This request would have caused the {member} limit to be exceeded for the account in {region}. Current {member} reserved by the account: {now}. Limit: {most}. Requested: {more}. {_GUIDE}"


def too_many_decreases(today: int, last_ms: int, next_ms: int) -> str:
    """LimitExceededException of a decrease that has to wait. 2026."""
    return (
        f"{_LIMIT}Provisioned throughput decreases are limited within a given UTC day. After the "
        "first 4 decreases, each subsequent decrease in the same UTC day can be performed at most "
        f"once every 3600 seconds. Number of decreases today: {today}. Last decrease at "
        f"{in_full(last_ms)}. Next decrease can be made at {in_full(next_ms)}"
    )


def too_many_switches(most: int, last_ms: int, next_ms: int) -> str:
    """LimitExceededException of a switch to PAY_PER_REQUEST that has to wait. 2026."""
    return f"{_LIMIT}Update to PayPerRequest mode are limited to {most} in 1 day(s). Last update at {in_short(last_ms)}. Next update can be made at {in_short(next_ms)}"


def on_demand_limit_of_new_provisioned(member: str, index: str | None = None) -> str:
    """CreateTable: a maximum for a provisioned table. Catalogue 158, verified; of indexes 2026."""
    of = "" if index is None else f" for index: {index}"
    return f"{_INVALID}{member} for OnDemandThroughput{of} cannot be specified when table BillingMode is PROVISIONED."


def on_demand_limit_of_provisioned(member: str, index: str | None = None) -> str:
    """UpdateTable: a maximum for a provisioned table. Catalogue 158, verified; of indexes 2026."""
    of = "" if index is None else f" for index : {index}"
    return f"{_INVALID}{member} for OnDemandThroughput{of} cannot be specified when the table BillingMode is PROVISIONED"


def on_demand_limit_out_of_range(member: str, index: str | None = None) -> str:
    """A maximum out of range. Catalogue 158, verified; of indexes 2026."""
    return f"{_INVALID}Requested {member} for OnDemandThroughput for {_limited(index)} is outside of valid range"


# A new index with the value by which a maximum is removed. Measured, September 2026. Only the space
# before the colon differs from the text for other values out of range.
on_demand_limit_of_new_index = Text(_INVALID + "Requested {member} for OnDemandThroughput for index: {index} is outside of valid range")


def on_demand_limit_above_quota(member: str, quota: str, region: str, index: str | None = None) -> str:
    """LimitExceededException: a maximum above that of all tables. 2026."""
    return f"{_LIMIT}Requested {member} for OnDemandThroughput for {_limited(index)} exceeds {quota} of the account in region {region}"


def _limited(index: str | None) -> str:
    return "table" if index is None else f"index : {index}"


def warm_below_current(member: str, index: str | None = None) -> str:
    """UpdateTable: warm throughput cannot be decreased. Catalogue 159, verified."""
    return f"{_INVALID}Requested {member} for WarmThroughput for {_warmed(index)} is lower than current WarmThroughput, decreasing WarmThroughput is not supported"


def warm_below_initial(member: str, index: str | None = None) -> str:
    """Less than the initial throughput of an on-demand table or index. 2026."""
    return f"{_INVALID}Requested {member} for WarmThroughput for {_warmed(index)} is lower than initial throughput for OnDemand. See: {_INITIAL}"


def warm_below_provisioned(member: str, units: str, index: str | None = None) -> str:
    """Less than a new table or index is provisioned for; `units` is their member. 2026."""
    return f"{_INVALID}Requested {member} for WarmThroughput for {_warmed(index)} is lower than {units} of ProvisionedThroughput"


def warm_above_quota(member: str, quota: str, region: str, index: str | None = None) -> str:
    """LimitExceededException: more than a table can serve. 2026, known of indexes."""
    return f"{_LIMIT}Requested {member} for WarmThroughput for {_warmed(index)} exceeds {quota} of the account in region {region}"


# UpdateTable: WarmThroughput of an index without a member. 2026.
warm_of_index_empty = Text(_INVALID + "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: {index}")


def _warmed(index: str | None) -> str:
    return "table" if index is None else f"index {index}"
