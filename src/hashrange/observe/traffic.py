"""Counts of a listener's connections and bytes. Plain integers: they are on the hot path."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Traffic:
    """Counts since the start of the process."""

    connections_opened: int = 0
    connections_closed: int = 0
    connections_refused: int = 0
    """Over the maximum, or while the server drains; also counted as opened and closed."""
    requests_refused: int = 0
    """Malformed, too large, too slow, or too long for the memory left: refused before the operation
    was known."""
    answers_abandoned: int = 0
    """Their connections were aborted, as clients left too many answers unread together."""
    bytes_received: int = 0
    bytes_sent: int = 0

    @property
    def connections(self) -> int:
        """How many are open."""
        return self.connections_opened - self.connections_closed
