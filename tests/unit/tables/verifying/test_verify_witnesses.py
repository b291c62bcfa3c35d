"""Verify knows the witnesses of strong tables, and finds those that contradict the catalog."""

import asyncio

import msgspec
import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.replication import StrongGroup, Witness
from hashrange.storage.engine import Changes
from hashrange.tables.jobs.witnesses import all_witnesses, encode_witness
from hashrange.tables.keys.consensus_keys import entry_key, state_key, witness_key
from hashrange.tables.keys.system_keys import sequence_key
from hashrange.tables.verifying.verify import findings
from tests.unit.tables.definitions import NOON_MS

GROUP = StrongGroup(
    id="a-group", members=("eu-west-1", "us-east-1", "us-west-2"), witness="us-west-2"
)
WITNESS = Witness(number=1, account="0" * 12, name="a-table", region="us-west-2", group=GROUP)
KEY = witness_key(GROUP.id)
NEXT = {sequence_key(): (2).to_bytes(4, "big")}


async def engine_with(rows):
    engine = DictEngine(now_ms=lambda: NOON_MS)
    await engine.write([*rows], lambda _: Changes(answer=None, puts=rows))
    return engine


def found_in(rows):
    async def run():
        return await findings(await engine_with(rows))

    return asyncio.run(run())


def test_witnesses_and_their_logs_are_known():
    log = {state_key(1): b"state", entry_key(1, 1): b"entry"}
    assert found_in({KEY: encode_witness(WITNESS), **NEXT, **log}) == []


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({KEY: b"{}", **NEXT}, "cannot be read"),
        ({KEY + b"-2": encode_witness(WITNESS), **NEXT}, "a-group stands at"),
        ({KEY: encode_witness(msgspec.structs.replace(WITNESS, number=2)), **NEXT}, "number 2"),
        ({KEY: encode_witness(WITNESS)}, "number 1"),
        ({entry_key(1, 1): b"entry", **NEXT}, "rows of table 1"),
    ],
)
def test_what_contradicts_is_found(rows, text):
    (finding,) = found_in(rows)
    assert text in finding


def test_a_stored_witness_is_read():
    async def run():
        engine = await engine_with({KEY: encode_witness(WITNESS), **NEXT})
        assert [each async for each in all_witnesses(engine)] == [WITNESS]

    asyncio.run(run())
