"""The rows of DAX belong to something."""

import asyncio

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.storage.engine import Changes
from hashrange.tables.keys.dax_keys import (
    CLUSTERS,
    attribute_list_key,
    attribute_list_sequence_key,
    attribute_names_key,
    events_key,
    named_key,
)
from hashrange.tables.verifying.verify import findings
from tests.unit.tables.definitions import NOON_MS


def test_rows_of_dax_are_known():
    async def run():
        engine = DictEngine(now_ms=lambda: NOON_MS)
        keys = (
            attribute_list_key("", 1),
            attribute_names_key("", b"digest"),
            attribute_list_sequence_key(),
            named_key(CLUSTERS, "", "a-cluster"),
            events_key(""),
        )
        puts = dict.fromkeys(keys, b"{}")
        await engine.write([*keys], lambda _: Changes(answer=None, puts=puts))
        assert await findings(engine) == []

    asyncio.run(run())
