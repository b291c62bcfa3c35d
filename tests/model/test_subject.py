"""The subject of the trials gives back what it opened, also where opening it failed."""

import gc
from contextlib import asynccontextmanager

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.assembly.engines.trials.subject import Subject


class Opening:
    """Opens a dict as often as it is allowed to, and counts what is open."""

    def __init__(self, times):
        self.left, self.open = times, 0

    @asynccontextmanager
    async def __call__(self):
        if not self.left:
            raise OSError("it cannot be opened")
        self.left -= 1
        self.open += 1
        yield DictEngine()
        self.open -= 1


# What was not awaited is told by the collector: in the test that runs then, and not in this one.
@pytest.mark.parametrize("times", [0, 1])
def test_engine_that_cannot_be_opened_leaves_nothing_behind(times):
    opening = Opening(times)
    subject = Subject(opening)
    with pytest.raises(OSError, match="cannot be opened"), subject:
        subject.reopen()
    # As a test does whose own clean-up comes after that failure.
    subject.__exit__(None, None, None)
    gc.collect()
    assert opening.open == 0
