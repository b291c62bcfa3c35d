"""Texts of writes and reads of strong tables."""

from collections.abc import Sequence


def conflict() -> str:
    """ReplicatedWriteConflictException. Source: catalogue 284, verified."""
    return "One or more items in this request are being modified by a request in another Region."


def no_majority(silent: Sequence[str] = ()) -> str:
    """ServiceUnavailable: too few regions answer, and nothing was written. Our own."""
    missing = f": no answer from {', '.join(silent)}" if silent else ""
    return (
        "Too few of the Regions of the table can be reached to read or write it with strong "
        f"consistency{missing}. Nothing was written."
    )


def not_led_here() -> str:
    """ServiceUnavailable of a process that does not run the logs of strong tables. Our own."""
    return (
        "This server does not lead the others on its database, so it cannot read or write a table "
        "with strong consistency across Regions. Nothing was written."
    )
