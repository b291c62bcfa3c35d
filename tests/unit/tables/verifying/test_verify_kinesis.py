"""Verify finds what was planted among the rows of Kinesis streams, and nothing in sound ones."""

import asyncio

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.tables.keys import kinesis_keys as keys
from hashrange.tables.keys.log_keys import record_key
from hashrange.tables.kinesis.records import NewRecord, append
from hashrange.tables.kinesis.rows import StreamRows
from hashrange.tables.kinesis.streams import StoredStream, with_shards
from hashrange.tables.verifying.verify import findings


def stream(number):
    made = StoredStream(number=number, name="s", account="0", region="r", created_ms=0)
    return with_shards(made, 2, 0)


async def sound():
    engine = DictEngine()
    made = StreamRows(engine)
    await made.create("", "s", stream)
    opened = await made.get("", "s")
    records = [NewRecord(0, "k", b"a"), NewRecord(0, "k", b"b")]
    assert await append(engine, 1, records, 5, fences=opened.fences) == [1, 2]
    return engine


def test_faults_are_found():
    async def found_with(planted):
        engine = await sound()
        assert await findings(engine) == []
        engine.pairs |= planted
        return await findings(engine)

    record, end = record_key(keys.records_key(1, 0), 1), keys.end_key(1, 0)
    engine = asyncio.run(sound())
    value = engine.pairs[record]
    planted = {
        "altered": ({record: value[:-1] + b"x"}, "the checksum does not match"),
        "cut": ({record: value[:3]}, "cannot be read"),
        "behind": ({record_key(keys.records_key(1, 0), 3): value}, "behind the end"),
        "of no shard": ({record_key(keys.records_key(1, 7), 1): value}, "is of no shard"),
        "end of no shard": ({keys.end_key(2, 0): engine.pairs[end]}, "is of no shard"),
        "end": ({end: b"x"}, "the end at"),
        "sequence": ({keys.sequence_key(): b"\0\0\0\1"}, "is taken"),
    }
    for fault, (rows, text) in planted.items():
        assert any(text in each for each in asyncio.run(found_with(rows))), fault


# The rows of a deleted stream go page by page, its own last.
def test_a_deleted_stream_is_cleared():
    async def cleared():
        engine = await sound()
        made = StreamRows(engine)
        await made.delete(await made.get("", "s"))
        assert await findings(engine) == []
        pages = 0
        while await made.clear_page(1):
            pages += 1
        return pages, await made.deleted(), set(engine.pairs), await findings(engine)

    assert asyncio.run(cleared()) == (2, [], {keys.sequence_key()}, [])
