"""What all processes of a server have counted, added up when one of them asks."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.observe.process_figures import process_figures
from hashrange.observe.report import Report, left_of, summed
from hashrange.workers.control import Gather, Gathered, Tell, Told
from hashrange.workers.worker import Worker

TOLD_SECONDS_MAX: Final = 1.0
"""Who is busy for longer is counted as when it last told."""


class MetricsAggregator:
    """Asks all, and keeps what those have told who are gone, so that no sum goes backwards.

    Args:
        workers: those that there are.
    """

    def __init__(self, workers: Callable[[], Sequence[Worker]]) -> None:
        self._workers = workers
        self._last: dict[Worker, Report] = {}
        self._gone = Report()
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Report]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.restarts = 0
        """Processes that took the place of others."""

    def told(self, worker: Worker, told: Told) -> None:
        """A process has told what it has counted."""
        self._last[worker] = told.report
        waiting = self._waiting.pop(told.number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(told.report)

    def asked(self, worker: Worker, asked: Gather) -> None:
        """A process wants to know what all have counted."""
        self._last[worker] = asked.report
        task = asyncio.get_running_loop().create_task(self._answer(worker, asked))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, worker: Worker, asked: Gather) -> None:
        with_keys = asked.report.hot_keys is not None
        others = [each for each in self._workers() if each is not worker and each.serves]
        waiting = [self._ask(each, with_keys=with_keys) for each in others]
        if waiting:
            await asyncio.wait(waiting, timeout=TOLD_SECONDS_MAX)
        own = Report(numbers={**process_figures(), "worker_restarts_total": self.restarts})
        known = [self._last[each] for each in self._workers() if each in self._last]
        worker.send(Gathered(asked.number, summed([own, self._gone, *known])))

    def _ask(self, worker: Worker, *, with_keys: bool) -> asyncio.Future[Report]:
        self._number += 1
        waiting = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        worker.send(Tell(self._number, with_keys))
        return waiting

    def ended(self, worker: Worker) -> None:
        """A process is gone."""
        last = self._last.pop(worker, None)
        if last is not None:
            self._gone = summed([self._gone, left_of(last)])

    def close(self) -> None:
        """Answer nobody any more."""
        for task in self._tasks:
            task.cancel()
