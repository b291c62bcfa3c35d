"""Where the sync of a group runs: in the event loop, or beside it."""

from typing import Final

from hashrange.storage.sqlite.read_view import ReadView
from hashrange.storage.sqlite.tuning import Tuning

_SYNCS_WEIGHED: Final = 8
"""How many syncs the running average of their durations goes back, about."""


class SyncScheduler:
    """Chooses by how long syncs take, and by who else would wait for them.

    Args:
        view: counts reads where syncs are slow.
        tuning: the bounds.

    Attributes:
        mean_ns: how long the last syncs took, on average.
    """

    def __init__(self, view: ReadView, tuning: Tuning) -> None:
        self._view = view
        self._tuning = tuning
        self._was_single = False
        self._reads_before = 0
        self.mean_ns = 0

    def add(self, sync_ns: int) -> None:
        """Note how long a sync took."""
        self.mean_ns += (sync_ns - self.mean_ns) // _SYNCS_WEIGHED

    def is_aside(self, writes: int) -> bool:
        """Whether the sync of a group of so many writes runs beside the loop; asked once for each.

        One that is not much slower than others holds the loop while one caller writes, each write
        after the answer to the last, and nobody reads.
        """
        view, tuning = self._view, self._tuning
        was_counting, view.is_counting = view.is_counting, self.mean_ns > tuning.inline_sync_ns_max
        if not view.is_counting:
            return False
        is_single = writes == 1
        unread = was_counting and view.reads == self._reads_before
        is_lone = is_single and self._was_single and unread
        self._was_single, self._reads_before = is_single, view.reads
        return not is_lone or self.mean_ns > tuning.lone_sync_ns_max
