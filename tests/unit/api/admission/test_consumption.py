"""Consumed units while the storage is away."""

import asyncio
import logging

import pytest

from hashrange.api.admission.consumption import FLUSH_SECONDS, ConsumptionLog
from hashrange.storage.engine import StorageError, StorageUnavailableError
from tests.unit.regions.strong.fast_loop import passes, run


class FailingRows:
    """Rows that cannot be read."""

    def __init__(self, error):
        self._error = error
        self.tries = 0

    async def targets(self, _scope):
        self.tries += 1
        raise self._error
        yield


# The log has a line when the storage goes away; a traceback in each round would hide it.
@pytest.mark.parametrize(
    ("error", "is_logged"), [(StorageUnavailableError, False), (StorageError, True)]
)
def test_only_failures_that_are_new_are_logged(caplog, error, is_logged):
    caplog.set_level(logging.WARNING)
    rows = FailingRows(error("away"))

    async def rounds():
        counting = asyncio.create_task(ConsumptionLog(rows, dict, lambda: 0).run())
        await passes(FLUSH_SECONDS * 3.5)
        counting.cancel()

    run(rounds())
    assert rows.tries == 3
    assert bool(caplog.records) == is_logged
