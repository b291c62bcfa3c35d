"""The tasks beside requests: kept going, and ended whatever they do."""

import asyncio

from hashrange.background.tasks import BackgroundTasks
from tests.pace import turns


class Deaf:
    """Misses what it is told first, as code does that takes it for something else."""

    def __init__(self):
        self.told = 0

    async def run(self):
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.told += 1
                if self.told > 1:
                    raise


class Failing:
    def __init__(self):
        self.runs = 0

    async def run(self):
        self.runs += 1
        raise RuntimeError


# A server that is told to stop must stop: one task that went on held it up for ever.
def test_who_misses_the_end_is_told_again():
    async def main():
        crew, deaf = BackgroundTasks(again_seconds=0.001), Deaf()
        crew.begin([deaf])
        await turns()
        await crew.end()
        return deaf.told

    assert asyncio.run(main()) == 2


# It is counted, logged, and begun again later; meanwhile it can be ended.
def test_who_fails_is_counted(caplog):
    async def main():
        crew, failing = BackgroundTasks(), Failing()
        crew.begin([failing])
        await turns()
        await crew.end()
        return crew.failures, failing.runs

    assert asyncio.run(main()) == (1, 1)
    assert "has failed" in caplog.text
