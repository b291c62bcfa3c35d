"""Tools for the load of a live server: its heat, and what is wrong with a table."""

import asyncio

import msgspec

from hashrange.cli.assistants.items import TableName
from hashrange.cli.doctor import examined
from hashrange.cli.endpoints import Address
from hashrange.cli.health import target_of
from hashrange.cli.top import snapshot_of

_SAMPLE = 100
"""Items that a diagnosis reads."""


async def heat(address: Address, asked: TableName) -> object:
    """The keys and partitions of a table with the most requests. Raises Refusal."""
    found = await asyncio.to_thread(snapshot_of, target_of(address.url, None))

    def is_asked(stored: str) -> bool:
        # With separate namespaces the name begins with the account; with an index it ends with it.
        return stored.rpartition(":")[2].partition("/")[0] == asked.table

    keys = found.hot_keys
    return {
        "use": {name: use for name, use in found.tables.items() if is_asked(name)},
        "partitions": [each for each in found.capacity if is_asked(each.table)],
        "partitions_are_counted": "only with --throttle on",
        "contributors": [each for each in found.contributors if is_asked(each.table)],
        "contributors_are_counted": "only after UpdateContributorInsights",
        "sampled_keys": None if keys is None else [key for key in keys.keys if is_asked(key.table)],
    }


async def diagnose(address: Address, asked: TableName) -> object:
    """The findings of `hashrange doctor`. Raises Refusal."""
    found = await asyncio.to_thread(examined, address, asked.table, interval=0, sample=_SAMPLE)
    return msgspec.to_builtins(found)
