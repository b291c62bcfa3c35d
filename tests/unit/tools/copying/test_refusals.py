"""What is refused before anything is changed."""

import asyncio

import pytest

from hashrange.tools.copying.copy import selected_tables, shortened_list
from hashrange.tools.copying.place import CopyError, ask
from tests.unit.tools.copying.places import CALLER, NAME, TABLE, Failing, Wrapped, memories

OTHER_KEY = {
    **{name: TABLE[name] for name in ("TableName", "BillingMode")},
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}],
    "KeySchema": TABLE["KeySchema"],
}


def test_table_that_is_there_is_refused_before_anything_changes(copied, path):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(3)
            await target.fill(2)
            before = await target.contents()
            with pytest.raises(CopyError, match="to already has a-table: --overwrite"):
                await copied(source, target)
            # Protected as it is, it is not replaced either.
            with pytest.raises(CopyError, match="a-table is protected from deletion"):
                await copied(source, target, overwrite=True)
            assert await target.contents() == before

    asyncio.run(run())
    assert not path.exists()


def test_table_that_is_there_is_replaced_if_asked(copied):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(3)
            await target.fill(5)
            await target.unprotect()
            assert await copied(source, target, overwrite=True) == []
            assert await target.contents() == await source.contents()

    asyncio.run(run())


# Two addresses of one server: --overwrite would delete the table, and then read it.
def test_one_table_is_not_copied_over_itself(copied):
    async def run():
        with memories("from", is_live=True) as (place,):
            await place.fill(3)
            await place.unprotect()
            with pytest.raises(CopyError, match="are FROM and TO one place"):
                await copied(place, Wrapped(place), overwrite=True)
            assert len((await place.contents())[-1]) == 3

    asyncio.run(run())


# Somebody made a table of the name after the copy began; its items must not be mixed with ours.
@pytest.mark.parametrize("other", [TABLE, OTHER_KEY])
def test_table_that_came_meanwhile_is_left_alone(copied, other):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(3)
            # The call that describes the table in TO for the second time, before it is made.
            with pytest.raises(CopyError, match="it fails"):
                await copied(source, Failing(target, 1, late=False))
            await ask(target, CALLER, "CreateTable", other)
            if other is TABLE:
                await target.put("of another")
            before = await ask(target, CALLER, "DescribeTable", {"TableName": NAME})
            with pytest.raises(CopyError, match="this copy did not create"):
                await copied(source, target)
            assert await ask(target, CALLER, "DescribeTable", {"TableName": NAME}) == before

    asyncio.run(run())


def test_nothing_to_copy_is_told():
    async def run():
        with memories("from") as (source,):
            with pytest.raises(CopyError, match=r"from has no tables$"):
                await selected_tables(source, ())
            await source.fill(0)
            with pytest.raises(CopyError, match="from has no table b-table; it has a-table"):
                await selected_tables(source, (NAME, "b-table"))

    asyncio.run(run())


@pytest.mark.parametrize(
    ("count", "text"), [(1, "0"), (5, "0, 1, 2, 3, 4"), (7, "0, 1, 2, 3, 4 and 2 more")]
)
def test_long_lists_are_cut(count, text):
    assert shortened_list([str(number) for number in range(count)]) == text
