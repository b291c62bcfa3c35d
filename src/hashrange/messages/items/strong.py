"""Texts of writes and reads of strong tables."""

from collections.abc import Sequence

from hashrange.messages.text import Text

# ReplicatedWriteConflictException. Verified.
conflict = Text("One or more items in this request are being modified by a request in another Region.", 284)


def no_majority(silent: Sequence[str] = ()) -> str:
    """ServiceUnavailable: too few regions answer, and nothing was written. Our own."""
    missing = f": no answer from {', '.join(silent)}" if silent else ""
    return f"Too few of the Regions of the table can be reached to read or write it with strong consistency{missing}. Nothing was written."


# ServiceUnavailable of a process that does not run the logs of strong tables. Our own.
not_led_here = Text("This server does not lead the others on its database, so it cannot read or write a table with strong consistency across Regions. Nothing was written.")
