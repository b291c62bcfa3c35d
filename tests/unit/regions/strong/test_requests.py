"""Requests of one region to its member: refused where nothing is known, or done in order."""

import asyncio

import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.limits.consensus import STRONG_KEY_BYTES_MAX
from hashrange.messages.items.throttling import no_majority, not_led_here
from hashrange.storage.engine import Changes, KeyTooLongError, StaleFenceError
from hashrange.tables.catalog.leases import NotLeadingError
from hashrange.tables.writing.store import Store
from tests.unit.regions.strong.fast_loop import passes, run
from tests.unit.regions.strong.regions import EAST, SOUTH, WEST, regions
from tests.unit.tables.definitions import store_of


async def refused(call):
    with pytest.raises(DynamoError) as caught:
        await call
    return caught.value.fault, str(caught.value)


# A process that was suspended, while another one has become the member on the same database.
@pytest.mark.parametrize("error", [NotLeadingError, StaleFenceError])
def test_a_member_that_another_process_has_answers_nothing(error):
    async def scenario():
        async with regions() as (_, found):
            east = found[EAST]
            await east.put("a", n={"N": "1"})
            assert await east.read("a") == "1"

            def lost():
                if error is NotLeadingError:
                    raise error
                return {b"a lease": b"of another process"}

            east.groups.open(lost, None)
            assert await refused(east.read("a")) == (Fault.UNAVAILABLE, no_majority())
            fault, _ = await refused(east.put("a", n={"N": "2"}))
            assert fault in {Fault.UNAVAILABLE, Fault.INTERNAL}
            assert await found[WEST].read("a") == "1"
            await found[SOUTH].put("a", n={"N": "3"})

    run(scenario())


def test_a_process_without_members_refuses():
    async def scenario():
        async with regions() as (_, found):
            await found[EAST].put("a")
            table, store = await found[EAST].table(), store_of(found[EAST].engine)
            told = Fault.UNAVAILABLE, not_led_here()
            assert await refused(store.strong.read(table)) == told
            assert await refused(store.strong.write(table, b"k", None)) == told
            assert Store.on(found[EAST].store, store.engine).strong is found[EAST].groups
            groups = found[EAST].groups
            await found[EAST].stop()
            assert await refused(groups.read(table)) == told

    run(scenario())


def test_what_was_proposed_without_a_majority_may_have_happened():
    async def scenario():
        async with regions() as (network, found):
            east = found[EAST]
            await east.put("a", n={"N": "1"})

            def after(_before):
                network.cut = {WEST, SOUTH}
                return {"pk": {"S": "a"}, "n": {"N": "2"}}

            fault, _ = await refused(east.change("a", after))
            assert fault is Fault.INTERNAL

    run(scenario())


def members(region):
    return [
        member
        for name in (EAST,)
        if (member := region.groups.running.get(("the-group", name))) is not None
    ]


# All engines of the regions must take it.
def test_a_key_that_postgres_would_not_take_is_refused():
    async def scenario():
        async with regions() as (_, found):
            table = await found[EAST].table()
            with pytest.raises(KeyTooLongError):
                await found[EAST].groups.write(
                    table, bytes(STRONG_KEY_BYTES_MAX + 1), lambda _: Changes(answer=None)
                )

    run(scenario())


def test_writes_of_one_item_wait_for_each_other():
    async def scenario():
        async with regions() as (_, found):
            order = []

            async def put(number):
                await found[EAST].put("a", n={"N": str(number)})
                order.append(number)

            await asyncio.gather(*(put(number) for number in range(20)))
            assert order == list(range(20))
            assert await found[WEST].read("a") == "19"

    run(scenario())


def test_a_write_that_changes_nothing_is_no_entry():
    async def scenario():
        async with regions() as (_, found):
            await found[EAST].put("a", n={"N": "1"})
            before = found[EAST].groups.running.figures()["strong_entries_total"]
            await found[EAST].delete("b")
            assert found[EAST].groups.running.figures()["strong_entries_total"] == before

    run(scenario())


def test_a_member_that_is_stopped_is_not_started_again():
    async def scenario():
        async with regions() as (_, found):
            east = found[EAST]
            await east.put("a", n={"N": "1"})
            assert await east.groups.caught_up("the-group", EAST)
            await east.groups.stop("the-group", EAST)
            east.groups.wake_all()
            await passes(3)
            assert not members(east)
            assert not await east.groups.caught_up("the-group", EAST)

    run(scenario())
