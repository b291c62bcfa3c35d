"""Adds up the counts of all processes of a server when one of them asks for the sum."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.assembly.workers.control import (
    ReportReply,
    ReportRequest,
    TotalsReply,
    TotalsRequest,
)
from hashrange.assembly.workers.worker import Worker
from hashrange.observe.process_figures import process_figures
from hashrange.observe.report import Report, left_of, summed

REPORT_SECONDS_MAX: Final = 1.0
"""Of a process that does not reply within this time, the last report is used."""


class MetricsAggregator:
    """Collects the reports of all processes.

    The counts of processes that have ended stay in the sums, so that no counter decreases.

    Args:
        workers: returns the running processes.
    """

    def __init__(self, workers: Callable[[], Sequence[Worker]]) -> None:
        self._workers = workers
        self._last: dict[Worker, Report] = {}
        self._ended = Report()
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Report]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.restarts = 0
        """Processes that were started in the place of others."""

    def receive(self, worker: Worker, reply: ReportReply) -> None:
        """Take the report of a process."""
        self._last[worker] = reply.report
        waiting = self._waiting.pop(reply.number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply.report)

    def answer(self, worker: Worker, request: TotalsRequest) -> None:
        """Send a process the sum of all reports, once the others have reported."""
        self._last[worker] = request.report
        task = asyncio.get_running_loop().create_task(self._answer(worker, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, worker: Worker, request: TotalsRequest) -> None:
        with_keys = request.report.hot_keys is not None
        others = [each for each in self._workers() if each is not worker and each.serves]
        waiting = [self._ask(each, with_keys=with_keys) for each in others]
        if waiting:
            await asyncio.wait(waiting, timeout=REPORT_SECONDS_MAX)
        own = Report(numbers={**process_figures(), "worker_restarts_total": self.restarts})
        reports = [self._last[each] for each in self._workers() if each in self._last]
        worker.send(TotalsReply(request.number, summed([own, self._ended, *reports])))

    def _ask(self, worker: Worker, *, with_keys: bool) -> asyncio.Future[Report]:
        self._number += 1
        waiting = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        worker.send(ReportRequest(self._number, with_keys))
        return waiting

    def ended(self, worker: Worker) -> None:
        """Keep the counts of a process that has ended."""
        last = self._last.pop(worker, None)
        if last is not None:
            self._ended = summed([self._ended, left_of(last)])

    def close(self) -> None:
        """Cancel the answers that are not sent yet."""
        for task in self._tasks:
            task.cancel()
