"""How far the jobs of a process have come: backups, restores, exports, imports, index builds."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from hashrange.limits.server import METRIC_TABLES_MAX
from hashrange.observe.figures import Figures, labelled
from hashrange.observe.snapshot import JobState

_PERCENT: Final = 100.0
_NS_PER_S: Final = 1_000_000_000
_RATE_NS_MIN: Final = 2 * _NS_PER_S
"""Before this time the rate says little."""


class Job:
    """A job that is being done.

    Args:
        kind: as "export".
        table: the stored name of its table.
        name: of the job; empty if the table has one such job at most.
        monotonic_ns: the clock.
        units: write units of indexes that are built, by figure; the job adds its own.
    """

    def __init__(
        self,
        kind: str,
        table: str,
        name: str,
        *,
        monotonic_ns: Callable[[], int],
        units: dict[str, float],
    ) -> None:
        self._units = units
        self._kind = kind
        self._table = table
        self._name = name
        self._monotonic_ns = monotonic_ns
        self._index = ""
        self._share: float | None = None
        self._first = (0.0, 0)

    def built(self, index: str, share: float, units: float) -> None:
        """Note a page of an index: how much of it is done, and the write units of the page."""
        self.reached(share)
        self._index = index
        if units:
            name = labelled("online_index_write_units_total", self._table, index)
            if name not in self._units and len(self._units) >= METRIC_TABLES_MAX:
                del self._units[next(iter(self._units))]
            self._units[name] = self._units.get(name, 0.0) + units

    def reached(self, share: float) -> None:
        """Note how much is done, from 0 to 1; less than before if it was begun again."""
        if self._share is None or share < self._share:
            self._first = share, self._monotonic_ns()
        self._share = share

    def state(self) -> JobState:
        """How far it has come, and how long the rest takes if it goes on as it did."""
        return JobState(self._kind, self._table, self._name, self._share, self._seconds_left())

    def figures(self) -> Figures:
        """How much of an index it has built, in percent; nothing of other jobs."""
        if not self._index or self._share is None:
            return {}
        name = labelled("online_index_percent", self._table, self._index)
        return {name: _PERCENT * self._share}

    def _seconds_left(self) -> float | None:
        if self._share is None:
            return None
        first_share, first_ns = self._first
        took_ns, grown = self._monotonic_ns() - first_ns, self._share - first_share
        if grown <= 0 or took_ns < _RATE_NS_MIN:
            return None
        return max(0.0, 1 - self._share) * took_ns / grown / _NS_PER_S


class Jobs:
    """The jobs of a process that are being done.

    Args:
        monotonic_ns: the clock.
    """

    def __init__(self, monotonic_ns: Callable[[], int]) -> None:
        self._monotonic_ns = monotonic_ns
        self._jobs: list[Job] = []
        self._units: dict[str, float] = {}
        self._ended_total = self._failures_total = 0

    @contextmanager
    def begun(self, kind: str, table: str, name: str = "") -> Iterator[Job]:
        """A job that is done within the context; see `Job`."""
        job = Job(kind, table, name, monotonic_ns=self._monotonic_ns, units=self._units)
        self._jobs.append(job)
        try:
            yield job
        finally:
            self._jobs.remove(job)

    def ended(self, *, failed: bool) -> None:
        """Count a job that has come to its end."""
        self._ended_total += 1
        self._failures_total += failed

    def figures(self) -> Figures:
        """Jobs that run, jobs that have ended, how far indexes are built, and what that wrote."""
        return {
            **{name: percent for job in self._jobs for name, percent in job.figures().items()},
            **self._units,
            "jobs_running": len(self._jobs),
            "jobs_ended_total": self._ended_total,
            "job_failures_total": self._failures_total,
        }

    def states(self) -> Sequence[JobState]:
        """How far each has come, in the order in which they were begun."""
        return [job.state() for job in self._jobs]
