"""Texts of UpdateTimeToLive. Numbers: docs/messages.md."""


def already_enabled() -> str:
    """Time to live is enabled on the same attribute. Catalogue 165, verified."""
    return "TimeToLive is already enabled"


def already_disabled() -> str:
    """Time to live is disabled, and is to be disabled. Catalogue 165, verified."""
    return "TimeToLive is already disabled"


def other_attribute(current: str) -> str:
    """Time to live is enabled on another attribute. Catalogue 165, from emulators and users."""
    return f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"


def changed_too_often() -> str:
    """A second change within 31 minutes. Catalogue 165, verified."""
    return "Time to live has been modified multiple times within a fixed interval"


def described_too_early(status: str) -> str:
    """DescribeTimeToLive of a table that is CREATING or DELETING. Measured by users, 2026."""
    return (
        f"Cannot describe time to live while table is in {status} state: "
        f"Current table state is {status}"
    )
