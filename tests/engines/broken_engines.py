"""Engines that break one promise each: what trials are for is to find them."""

import itertools

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.storage.engine import NO_FENCES, StaleFenceError, StorageUnavailableError
from tests.pace import turns


class LosesUpdates(DictEngine):
    """It decides on what was there some time ago."""

    async def write(self, keys, decide, *, fences=NO_FENCES):
        changes = decide(await self.read(keys, fences=fences))
        await turns()
        return await super().write(keys, lambda _: changes, fences=fences)


class ChecksFencesTooEarly(DictEngine):
    """They may change between the look at them and the write."""

    async def write(self, keys, decide, *, fences=NO_FENCES):
        await self.read([], fences=fences)
        await turns(3)
        return await super().write(keys, decide)


class ForgetsNumbers(DictEngine):
    """A number is used again once the record that had it is deleted."""

    async def write(self, keys, decide, *, fences=NO_FENCES):
        deleted = []

        def decide_and_tell(values):
            changes = decide(values)
            deleted[:] = changes.deletes
            return changes

        answer = await super().write(keys, decide_and_tell, fences=fences)
        for log in self.numbers:
            gone = [key for key in deleted if key.startswith(log) and len(key) == len(log) + 8]
            self.numbers[log] -= len(gone)
        return answer


class LosesSomeWrites(DictEngine):
    """Every hundredth is answered and not made."""

    def __init__(self):
        super().__init__()
        self._count = itertools.count(1)

    async def write(self, keys, decide, *, fences=NO_FENCES):
        if next(self._count) % 100 == 0:
            return await self.copy().write(keys, decide, fences=fences)
        return await super().write(keys, decide, fences=fences)


class MissesTheEndOfARange(DictEngine):
    """Descending pages begin one too low."""

    async def scan(self, start, end, *, reverse=False, **asked):
        page = await super().scan(start, end, reverse=reverse, **asked)
        return page[1:] if reverse and len(page) > 1 else page


class AnswersFencesWithNothing(DictEngine):
    """A page behind a stale fence is empty."""

    async def scan(self, start, end, **asked):
        try:
            return await super().scan(start, end, **asked)
        except StaleFenceError:
            return []


class StoresLongerKeys(DictEngine):
    """It says how long a key may be, and takes every key."""

    async def write(self, keys, decide, *, fences=NO_FENCES):
        bound, self.key_bytes_max = self.key_bytes_max, 2**31
        try:
            return await super().write(keys, decide, fences=fences)
        finally:
            self.key_bytes_max = bound


class GoesAway(DictEngine):
    """Nothing of it can be reached after some reads."""

    def __init__(self):
        super().__init__()
        self._left = 20

    async def read(self, keys, *, fences=NO_FENCES):
        self._left -= 1
        if self._left < 0:
            raise StorageUnavailableError("it is gone")
        return await super().read(keys, fences=fences)


BROKEN = (
    LosesUpdates,
    ChecksFencesTooEarly,
    ForgetsNumbers,
    LosesSomeWrites,
    MissesTheEndOfARange,
    AnswersFencesWithNothing,
    StoresLongerKeys,
)
