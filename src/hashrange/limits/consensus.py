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
