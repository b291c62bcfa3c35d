"""Turns for tests in which nobody asks for anything."""

from hashrange.background.job_runner import JobContext, JobSizes
from hashrange.background.tasks import Pacer
from hashrange.storage.engine import NO_FENCES


def unhurried():
    """Without a rest; a new one for each loop."""
    return Pacer(lambda: 0, lambda: 0)


def job_context(store, catalog, pacer=None, **sizes):
    """Of the work on jobs of a server that shares its data with no other."""
    return JobContext(store, catalog, pacer or unhurried(), lambda: NO_FENCES, JobSizes(**sizes))
