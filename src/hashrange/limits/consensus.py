"""Limits of the consensus on the order of writes of strong tables, all our own."""

from typing import Final

BATCH_ENTRIES_MAX: Final = 256
"""Entries in one message."""
BATCH_BYTES_MAX: Final = 1024 * 1024
"""Bytes of the entries in one message, beyond the first entry."""
IN_FLIGHT_ENTRIES_MAX: Final = 1024
"""Entries that a leader sends to a member before the member has acknowledged them."""
UNCOMMITTED_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of entries that wait for a majority; further proposals are refused."""
HEARTBEAT_TICKS: Final = 2
"""Between two messages of a leader that has nothing to send."""
ELECTION_TICKS: Final = 10
"""Without a message of a leader, before a member asks for votes; at random up to twice as long."""
READ_ANSWERS_MAX: Final = 8
"""Confirmed read indexes of one member that wait for their entries."""
RECENT_WRITES: Final = 4096
"""Of a table: a write that was decided on a state so many entries ago is refused."""
LOG_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of the entries that a member keeps for one that is away."""
LOG_ENTRIES_MAX: Final = 65_536
"""Entries that a member keeps for one that is away."""
WITNESS_LOG_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bytes of the entries that a witness keeps while a region is away."""
REMOVED_ENTRIES_MIN: Final = 256
"""Entries that all members hold are removed when there are so many."""
REMOVED_ENTRIES_MAX: Final = 4096
"""Entries that are removed in one write."""
TICK_SECONDS: Final = 0.05
"""Between two ticks of a member."""
WAIT_SECONDS_MAX: Final = 5.0
"""How long a request waits for a majority before it is refused."""
REPEAT_SECONDS: Final = 1.0
"""A proposal of which nothing was heard for so long is made again."""
OUTBOX_BYTES_MAX: Final = 8 * 1024 * 1024
"""Bytes of messages that wait for one region; older ones are dropped."""
ENVELOPE_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of the messages in one call, beyond the first one."""
ENVELOPE_SECONDS_MAX: Final = 2.0
"""A call with messages that has no answer for so long has failed."""
STRONG_KEY_BYTES_MAX: Final = 2_600
"""The longest key of an item of a strong table: all engines of its regions must take it."""
