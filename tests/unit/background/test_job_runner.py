"""The runner of jobs: which are done, begun again, given up and ended, and with what."""

import asyncio
import itertools
import operator

import msgspec
import pytest

from hashrange.background.job_runner import (
    IDLE_SECONDS,
    RETRY_SECONDS,
    JobKind,
    JobLabel,
    JobRunner,
    LateJobRunner,
)
from hashrange.storage.engine import ContendedError, StorageBusyError, StorageError
from hashrange.tables.catalog.leases import NotLeadingError
from hashrange.tables.jobs.descriptions import JobLostError
from tests.pace import seconds
from tests.unit.background.still_turns import unhurried
from tests.unit.regions.strong.fast_loop import passes
from tests.unit.regions.strong.fast_loop import run as run_fast

GIVEN_UP = ("InternalServerError", "given up")


class Jobs:
    """Jobs by name, each with what its work raises, attempt by attempt; then it succeeds."""

    def __init__(self, attempts_max=None, attempted=None, **raised):
        self.raised = {name: [*errors] for name, errors in raised.items()}
        self.done, self.ended, self.swept, self.is_full = [], {}, 0, False
        self.noted = None
        self.kind = JobKind(
            due=self.due,
            label=lambda name: JobLabel("export", name),
            work=self.work,
            failures={KeyError: lambda error: ("Missing", error.args[0])},
            end=self.end,
            attempts_max=lambda _: attempts_max,
            attempted=attempted,
            given_up=GIVEN_UP,
            sweep=self.sweep,
        )
        self.restart()

    def restart(self):
        self.runner = JobRunner([self.kind], unhurried())

    async def due(self, table):
        for name in [*self.raised]:
            if name not in self.ended and table in {None, name}:
                yield name

    async def work(self, name, progress):
        progress.reached(0.5)
        self.done.append(name)
        if self.raised[name]:
            raise self.raised[name].pop(0)

    async def end(self, name, failure):
        if self.is_full and failure is None:
            raise StorageError("full")
        self.ended[name] = failure
        self._note(name)

    async def sweep(self):
        self.swept += 1
        self._note("swept")

    def _note(self, what):
        if self.noted is not None:
            self.noted.put_nowait(what)

    def worked(self):
        """Do what is due; whether it is to be done again."""
        try:
            asyncio.run(self.runner.work())
        except StorageError:
            return False
        return True


def test_jobs_are_done_and_ended():
    jobs = Jobs(a=[], b=[])
    assert jobs.worked()
    assert (jobs.done, jobs.ended, jobs.swept) == (["a", "b"], {"a": None, "b": None}, 1)


@pytest.mark.parametrize("error", [StorageError("full"), OSError("gone")])
def test_a_job_whose_storage_fails_does_not_hold_up_others(error):
    jobs = Jobs(a=[error, error], b=[])
    assert not jobs.worked()
    assert (jobs.done, jobs.ended) == (["a", "b"], {"b": None})
    assert not jobs.worked()
    assert jobs.worked()
    assert jobs.ended == {"a": None, "b": None}


def test_a_job_is_given_up_after_some_attempts():
    jobs = Jobs(attempts_max=3, a=[StorageError("full")] * 9)
    assert [jobs.worked() for _ in range(3)] == [False, False, True]
    assert jobs.ended == {"a": GIVEN_UP}
    assert jobs.done == ["a"] * 3


@pytest.mark.parametrize("error", [StorageBusyError("queue"), ContendedError("keys")])
def test_a_busy_storage_is_no_attempt(error):
    jobs = Jobs(attempts_max=1, a=[error] * 5)
    assert [jobs.worked() for _ in range(6)] == [False] * 5 + [True]
    assert jobs.ended == {"a": None}


# On a full disk the description of the end may be what does not fit.
def test_an_end_that_is_not_stored_counts_as_an_attempt():
    jobs = Jobs(attempts_max=2, a=[])
    jobs.is_full = True
    assert [jobs.worked(), jobs.worked()] == [False, True]
    assert jobs.ended == {"a": GIVEN_UP}


def test_attempts_may_be_counted_in_the_description():
    stored = {"a": 1}

    async def attempted(name):
        stored[name] += 1
        return stored[name]

    jobs = Jobs(attempts_max=3, attempted=attempted, a=[StorageError("full")] * 9)
    assert not jobs.worked()
    jobs.restart()
    assert jobs.worked()
    assert (stored, jobs.ended) == ({"a": 3}, {"a": GIVEN_UP})


def test_what_cannot_be_done_ends_with_a_failure():
    jobs = Jobs(a=[KeyError("bucket")], b=[])
    assert jobs.worked()
    assert jobs.ended == {"a": ("Missing", "bucket"), "b": None}


def test_a_job_that_is_lost_is_not_ended():
    jobs = Jobs(a=[JobLostError()], b=[])
    assert jobs.worked()
    assert jobs.ended == {"b": None}


def test_a_server_that_leads_no_more_does_no_further_job():
    jobs = Jobs(a=[NotLeadingError()], b=[])
    with pytest.raises(NotLeadingError):
        jobs.worked()
    assert (jobs.done, jobs.ended, jobs.swept) == (["a"], {}, 0)


# Most servers have no jobs of most kinds.
def test_kinds_are_made_when_the_first_job_is_stored():
    jobs, made = Jobs(), []

    def make():
        made.append(jobs.kind)
        return jobs.runner

    late = LateJobRunner(lambda: jobs.due(None), make, unhurried())
    asyncio.run(late.work())
    assert (made, jobs.swept) == ([], 0)
    jobs.raised["a"] = []
    asyncio.run(late.work())
    asyncio.run(late.work())
    assert (made, jobs.ended, jobs.swept) == ([jobs.kind], {"a": None}, 2)


def test_a_table_that_changes_has_its_jobs_done():
    async def scenario():
        jobs = Jobs(a=[])
        jobs.noted = asyncio.Queue()
        task = asyncio.create_task(jobs.runner.run())
        assert [await jobs.noted.get(), await jobs.noted.get()] == ["a", "swept"]
        jobs.raised |= {"b": [], "c": []}
        jobs.runner.wake("b")
        assert await jobs.noted.get() == "b"
        jobs.runner.wake_all()
        assert [await jobs.noted.get(), await jobs.noted.get()] == ["c", "swept"]
        task.cancel()

    asyncio.run(asyncio.wait_for(scenario(), seconds(20)))


async def attempts(count, *, changes):
    """The seconds between attempts of a job that always fails, while other tables change or not."""
    jobs, times = Jobs(a=[]), asyncio.Queue()
    loop = asyncio.get_running_loop()

    async def work(_name, _progress):
        times.put_nowait(loop.time())
        raise StorageError("full")

    runner = JobRunner([msgspec.structs.replace(jobs.kind, work=work)], unhurried())
    task = asyncio.create_task(runner.run())
    found = []
    while len(found) < count:
        if changes:
            runner.wake("b")
            await passes(0.1)
            found += [times.get_nowait() for _ in range(times.qsize())]
        else:
            found.append(await times.get())
    task.cancel()
    return [later - before for before, later in itertools.pairwise(found)]


# The loop skips the sleeps, and goes on with the clock of the machine in between.
def test_pauses_grow_up_to_a_bound():
    pauses = run_fast(attempts(8, changes=False))
    assert all(map(operator.ge, pauses, [5, 10, 20, 40, 60, 60, 60]))
    assert pauses[-1] < 2 * IDLE_SECONDS


def test_changes_of_tables_do_not_use_up_the_attempts():
    pauses = run_fast(attempts(4, changes=True))
    assert min(pauses) >= RETRY_SECONDS
