"""Texts of UpdateTimeToLive. Numbers: docs/internals/messages.md."""

from hashrange.messages.text import Text

# Time to live is enabled on the same attribute. Verified.
already_enabled = Text("TimeToLive is already enabled", 165)
# Time to live is disabled, and is to be disabled. Verified.
already_disabled = Text("TimeToLive is already disabled", 165)
# Time to live is enabled on another attribute. From emulators and users.
other_attribute = Text("TimeToLive is active on a different AttributeName: current AttributeName is {current}", 165)
# A second change within 31 minutes. Verified.
changed_too_often = Text("Time to live has been modified multiple times within a fixed interval", 165)
# DescribeTimeToLive of a table that is CREATING or DELETING. Measured by users, 2026.
described_too_early = Text("Cannot describe time to live while table is in {status} state: Current table state is {status}")
