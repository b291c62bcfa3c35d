"""Attribute lists: numbers that hold for good."""

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.errors import DynamoError
from hashrange.limits.dax import DAX_ATTRIBUTE_LIST_BYTES_MAX
from hashrange.server.dax.attribute_lists import AttributeLists


# The number of a list is the same after a restart, and of another list another one.
def test_durable(run):
    async def main():
        engine = DictEngine()
        lists = AttributeLists(engine)
        assert [await lists.define("", names) for names in [(), ("a",), ("b", "a"), ("a",)]] == [
            1,
            2,
            3,
            2,
        ]
        again = AttributeLists(engine)
        assert again.names("", 3) is None
        assert await again.load("", 3) == ("b", "a")
        assert again.names("", 3) == ("b", "a")
        assert await again.define("", ("a", "b")) == 4
        assert await again.load("", 1) == ()

    run(main)


# Accounts see no names of each other.
def test_scopes(run):
    async def main():
        lists = AttributeLists(DictEngine())
        number = await lists.define("1", ("secret",))
        with pytest.raises(DynamoError, match="not known"):
            await lists.load("2", number)
        assert await lists.define("2", ("secret",)) != number

    run(main)


@pytest.mark.parametrize("number", [-1, 0, 2, 2**53, 2**80])
def test_unknown(run, number):
    async def main():
        with pytest.raises(DynamoError, match="not known"):
            await AttributeLists(DictEngine()).load("", number)

    run(main)


def test_bounds(run):
    async def main():
        lists = AttributeLists(DictEngine(), lists_max=2)
        with pytest.raises(DynamoError, match="maximum"):
            await lists.define("", ("a" * DAX_ATTRIBUTE_LIST_BYTES_MAX,))
        assert await lists.define("", ("a",)) == 2
        with pytest.raises(DynamoError, match="maximum"):
            await lists.define("", ("b",))
        assert await lists.define("", ("a",)) == 2

    run(main)
