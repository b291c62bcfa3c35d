"""Texts on billing modes and throughput. Numbers are those of the message catalogue.

`of` is what a setting belongs to: `table`, or an index.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

from typing import Final

from hashrange.messages.dates import in_full, in_short

_INVALID: Final = "One or more parameter values were invalid: "
_LIMIT: Final = "Subscriber limit exceeded: "
_GUIDE: Final = (
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher "
    "limits."
)
_INITIAL: Final = (
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
)


def units_with_on_demand() -> str:
    """UpdateTable to PAY_PER_REQUEST with units in the same request. 2026."""
    return (
        f"{_INVALID}ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST"
    )


def above_table_maximum(member: str, units: int, region: str, most: int) -> str:
    """LimitExceededException: more units than a table may be provisioned for. 2026."""
    return (
        f"The requested {member}, {units}, is above the per table maximum for the account in "
        f"{region}. Per table maximum: {most}. {_GUIDE}"
    )


def too_many_decreases(today: int, last_ms: int, next_ms: int) -> str:
    """LimitExceededException of a decrease that has to wait. 2026."""
    return (
        f"{_LIMIT}Provisioned throughput decreases are limited within a given UTC day. After the "
        "first 4 decreases, each subsequent decrease in the same UTC day can be performed at most "
        f"once every 3600 seconds. Number of decreases today: {today}. Last decrease at "
        f"{in_full(last_ms)}. Next decrease can be made at {in_full(next_ms)}"
    )


def too_many_switches(most: int, last_ms: int, next_ms: int) -> str:
    """LimitExceededException of a switch to PAY_PER_REQUEST that has to wait.

    The text is that of 2019, when one switch a day was allowed; only `once` has become a number.
    """
    return (
        f"{_LIMIT}Update to PayPerRequest mode are limited to {most} times in 1 day(s). Last "
        f"update at {in_short(last_ms)}. Next update can be made at {in_short(next_ms)}"
    )


def on_demand_limit_of_new_provisioned(member: str) -> str:
    """CreateTable: a maximum for a provisioned table. Catalogue 158, verified."""
    return (
        f"{_INVALID}{member} for OnDemandThroughput cannot be specified when table BillingMode is "
        "PROVISIONED."
    )


def on_demand_limit_of_provisioned(member: str) -> str:
    """UpdateTable: a maximum for a provisioned table. Catalogue 158, verified."""
    return (
        f"{_INVALID}{member} for OnDemandThroughput cannot be specified when the table BillingMode "
        "is PROVISIONED"
    )


def on_demand_limit_out_of_range(member: str, of: str = "table") -> str:
    """A maximum that is none. Catalogue 158, verified."""
    return f"{_INVALID}Requested {member} for OnDemandThroughput for {of} is outside of valid range"


def on_demand_limit_above_quota(member: str, quota: str, region: str, of: str = "table") -> str:
    """LimitExceededException: a maximum above that of all tables. 2026."""
    return (
        f"{_LIMIT}Requested {member} for OnDemandThroughput for {of} exceeds {quota} of the "
        f"account in region {region}"
    )


def warm_below_current(member: str, of: str = "table") -> str:
    """UpdateTable: warm throughput only grows. Catalogue 159, verified."""
    return (
        f"{_INVALID}Requested {member} for WarmThroughput for {of} is lower than current "
        "WarmThroughput, decreasing WarmThroughput is not supported"
    )


def warm_below_initial(member: str, of: str = "table") -> str:
    """CreateTable: less than every on-demand table begins with. 2026."""
    return (
        f"{_INVALID}Requested {member} for WarmThroughput for {of} is lower than initial "
        f"throughput for OnDemand. See: {_INITIAL}"
    )


def warm_below_provisioned(member: str, units: str, of: str = "table") -> str:
    """CreateTable: less than the table is provisioned for; `units` is their member. 2026."""
    return (
        f"{_INVALID}Requested {member} for WarmThroughput for {of} is lower than {units} of "
        "ProvisionedThroughput"
    )


def warm_above_quota(member: str, quota: str, region: str, of: str = "table") -> str:
    """LimitExceededException: more than a table can serve. 2026, known of indexes."""
    return (
        f"{_LIMIT}Requested {member} for WarmThroughput for {of} exceeds {quota} of the account "
        f"in region {region}"
    )
