"""Verifies the witnesses of strong tables."""

from collections.abc import Set as AbstractSet

import msgspec

from hashrange.storage.engine import Engine
from hashrange.tables.jobs.witnesses import decode_witness
from hashrange.tables.keys import system_keys
from hashrange.tables.keys.paging import pairs
from hashrange.tables.keys.witness_keys import witness_key, witnesses_range


async def witness_findings(engine: Engine, tables: AbstractSet[int]) -> tuple[list[str], set[int]]:
    """The faults of witnesses, and their numbers.

    Args:
        engine: has them.
        tables: the numbers of all tables, which no witness has.
    """
    found: list[str] = []
    numbers: set[int] = set()
    (sequence,) = await engine.read([system_keys.sequence_key()])
    following = 1 if sequence is None else int.from_bytes(sequence, "big")
    async for key, row in pairs(engine, witnesses_range()):
        try:
            witness = decode_witness(row)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"witnesses: the row at {key.hex()} cannot be read: {error}")
            continue
        if key != witness_key(witness.group.id):
            found.append(f"witnesses: {witness.group.id} stands at {key.hex()}")
        if witness.gone_ms is not None:
            continue
        if witness.number in tables | numbers or not 0 < witness.number < following:
            found.append(f"witnesses: {witness.group.id} has the number {witness.number}")
        numbers.add(witness.number)
    return found, numbers
