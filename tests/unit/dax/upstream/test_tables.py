"""What is known of the tables of an upstream, and when it is asked for again."""

import asyncio
import json

import pytest

from hashrange.dax.protocol.keys import Schema
from hashrange.dax.upstream.tables import UpstreamTables
from hashrange.errors import DynamoError, Fault
from hashrange.limits.dax import UPSTREAM_DOUBT_MS
from tests.pace import turns
from tests.unit.dax.upstream.endpoints import in_loop


def described(table_id="1", sort=None):
    keys = [{"AttributeName": "pk", "KeyType": "HASH"}]
    types = [{"AttributeName": "pk", "AttributeType": "S"}]
    if sort is not None:
        keys.append({"AttributeName": "sk", "KeyType": "RANGE"})
        types.insert(0, {"AttributeName": "sk", "AttributeType": sort})
    types.append({"AttributeName": "other", "AttributeType": "B"})
    table = {"KeySchema": keys, "AttributeDefinitions": types, "TableId": table_id}
    return json.dumps({"Table": {**table, "TableArn": "arn", "ItemCount": 7}}).encode()


class Upstream:
    """Describes a table, when it is let."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []
        self.now_ms = 0
        self.tables = UpstreamTables(self.describe, lambda: self.now_ms)

    async def describe(self, body):
        self.asked.append(json.loads(body))
        await turns()
        if isinstance(self.answer, DynamoError):
            raise self.answer
        return self.answer


@in_loop
async def test_callers_at_the_same_time_share_a_description():
    upstream = Upstream(described(sort="N"))
    tables = upstream.tables
    assert tables.cached("Music") is None
    found = await asyncio.gather(tables.load("Music"), tables.load("Music"), tables.get("Music"))
    assert found[:2] == [Schema("pk", "S", "sk", "N")] * 2
    assert tables.cached("Music") == found[2].schema == found[0]
    assert upstream.asked == [{"TableName": "Music"}]


@in_loop
async def test_a_missing_table_is_asked_for_again():
    upstream = Upstream(DynamoError(Fault.RESOURCE_NOT_FOUND, "no"))
    assert await upstream.tables.load("Music") is None
    with pytest.raises(DynamoError) as raised:
        await upstream.tables.get("Music")
    assert raised.value.fault is Fault.RESOURCE_NOT_FOUND
    upstream.answer = described()
    assert await upstream.tables.load("Music") == Schema("pk", "S")


@in_loop
async def test_other_errors_reach_the_callers():
    upstream = Upstream(DynamoError(Fault.ACCESS_DENIED, "no"))
    with pytest.raises(DynamoError, match="no"):
        await upstream.tables.load("Music")


@pytest.mark.parametrize("answer", [b"{}", b"<html>", b'{"Table": {"KeySchema": 7}}', b"\xff"])
@in_loop
async def test_a_description_without_a_key_is_the_fault_of_the_upstream(answer):
    upstream = Upstream(answer)
    with pytest.raises(DynamoError) as raised:
        await upstream.tables.get("Music")
    assert raised.value.fault is Fault.INTERNAL
    assert raised.value.message.endswith("does not describe the key of the table Music")
    upstream.answer = described()
    assert await upstream.tables.load("Music") == Schema("pk", "S")


@in_loop
async def test_no_hash_key():
    described_without = described().replace(b'"HASH"', b'"RANGE"')
    with pytest.raises(DynamoError, match="does not describe"):
        await Upstream(described_without).tables.get("Music")


@in_loop
async def test_refusals_make_tables_forgotten_but_not_too_often():
    upstream = Upstream(described())
    tables = upstream.tables
    await tables.load("Music")
    tables.note("Music", Fault.CONDITION_FAILED)
    tables.note("Music", Fault.VALIDATION)
    tables.note("Other", Fault.VALIDATION)
    assert tables.cached("Music") is not None
    upstream.now_ms += UPSTREAM_DOUBT_MS
    tables.note("Music", Fault.VALIDATION)
    assert tables.cached("Music") is None
    await tables.load("Music")
    tables.note("Music", Fault.RESOURCE_NOT_FOUND)
    assert tables.cached("Music") is None


@in_loop
async def test_keys_in_the_cache_are_of_a_table_and_canonical():
    upstream = Upstream(described(sort="N"))
    table = await upstream.tables.get("Music")
    key = table.cache_key({"sk": {"N": "1.50"}, "pk": {"S": "a"}, "v": {"N": "3"}})
    assert key == table.cache_key({"pk": {"S": "a"}, "sk": {"N": "1.5"}})
    assert key != table.cache_key({"pk": {"S": "a"}, "sk": {"N": "15"}})
    with pytest.raises(DynamoError):
        table.cache_key({"pk": {"S": "a"}})
    upstream.tables.note("Music", Fault.RESOURCE_NOT_FOUND)
    upstream.answer = described("2", sort="N")
    again = await upstream.tables.get("Music")
    assert again.cache_key({"pk": {"S": "a"}, "sk": {"N": "1.5"}}) != key


@pytest.mark.parametrize("answer", [b"", b"{}", b'{"Table":"\xff"}', b'{"x":' + b"[" * 100_000])
@in_loop
async def test_a_description_that_cannot_be_read_is_none(answer):
    with pytest.raises(DynamoError) as raised:
        await Upstream(answer).tables.load("Music")
    assert raised.value.fault is Fault.INTERNAL
