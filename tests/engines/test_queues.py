"""Works that meet on a key follow each other, whatever becomes of those that wait."""

import asyncio

import pytest

from hashrange.storage.queues import KeyQueues


async def settled():
    for _ in range(5):
        await asyncio.sleep(0)


class Works:
    """Works on some keys, each of which ends when it is told."""

    def __init__(self):
        self.queues = KeyQueues()
        self.at_work = []

    def begin(self, name, *keys):
        async def work():
            held = await self.queues.enter(keys)
            self.at_work.append(name)
            try:
                await asyncio.Event().wait()
            finally:
                self.at_work.remove(name)
                self.queues.leave(held)

        return asyncio.ensure_future(work())


async def end(work):
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await settled()


def test_works_on_other_keys_do_not_wait():
    async def run():
        works = Works()
        begun = [works.begin("one", b"a", b"b"), works.begin("two", b"c"), works.begin("three")]
        await settled()
        assert works.at_work == ["one", "two", "three"]
        for work in begun:
            await end(work)

    asyncio.run(run())


def test_works_on_one_key_come_in_their_order():
    async def run():
        works = Works()
        first = works.begin("first", b"b", b"a", b"a")
        second = works.begin("second", b"a", b"b")
        third = works.begin("third", b"b")
        await settled()
        assert works.at_work == ["first"]
        await end(first)
        assert works.at_work in (["third"], ["second"])
        for work in (second, third):
            await end(work)
        assert works.at_work == []
        free = works.begin("free", b"a", b"b")
        await settled()
        assert works.at_work == ["free"]
        await end(free)

    asyncio.run(run())


# One that waits for its second key and goes away gives the first one back; so does one that goes
# away in the very moment in which it is handed a key.
@pytest.mark.parametrize("handed", [False, True])
def test_who_goes_away_while_waiting_holds_nothing(handed):
    async def run():
        works = Works()
        holder = works.begin("holder", b"b")
        await settled()
        gone = works.begin("gone", b"a", b"b")
        await settled()
        next_one = works.begin("next", b"a", b"b")
        await settled()
        if handed:
            holder.cancel()
            await asyncio.sleep(0)
            await end(gone)
        else:
            await end(gone)
            await end(holder)
        assert works.at_work == ["next"]
        await end(next_one)

    asyncio.run(run())
