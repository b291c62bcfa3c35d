import asyncio
import json

import pytest

from hashrange.api.steps.operation import Caller
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.clock import SystemClock
from hashrange.tools.copying.local import PAUSE_SECONDS, TRIES_MAX, LocalPlace
from hashrange.tools.copying.place import CopyError
from tests.api.tables import keyed
from tests.engines.losing import LosingEngine, nothing

CALLER = Caller("000000000000", "us-east-1", "localhost")
TABLE = {"TableName": "table", **keyed(pk="S")}
PUT = {"RequestItems": {"table": [{"PutRequest": {"Item": {"pk": {"S": "1"}}}}]}}
KEY = {"TableName": "table", "Key": {"pk": {"S": "1"}}}


class Contended:
    """A place whose writes lose to those of servers, until some pauses are over."""

    def __init__(self, pauses):
        self.engine = LosingEngine(DictEngine())
        self.left = pauses
        self.paused = []
        self.place = LocalPlace(
            "there", self.engine, SystemClock(), separate=False, pause=self.pause
        )

    async def pause(self, seconds):
        self.paused.append(seconds)
        self.left -= 1
        if self.left == 0:
            self.engine.others = None

    async def call(self, operation, request):
        return json.loads(await self.place.call(CALLER, operation, json.dumps(request).encode()))


# A server on the same database may be in the way for a moment; the copy must not end for it.
@pytest.mark.parametrize("operation", ["CreateTable", "BatchWriteItem"])
def test_what_lost_to_servers_is_tried_again_after_a_pause(operation):
    async def run():
        contended = Contended(pauses=3)
        if operation == "BatchWriteItem":
            await contended.call("CreateTable", TABLE)
        contended.engine.others = nothing
        await contended.call(operation, TABLE if operation == "CreateTable" else PUT)
        assert contended.paused == [PAUSE_SECONDS] * 3
        if operation == "BatchWriteItem":
            assert (await contended.call("GetItem", KEY))["Item"] == {"pk": {"S": "1"}}

    asyncio.run(run())


def test_what_loses_each_time_ends_the_copy():
    async def run():
        contended = Contended(pauses=TRIES_MAX + 1)
        await contended.call("CreateTable", TABLE)
        contended.engine.others = nothing
        with pytest.raises(CopyError, match="there is too busy"):
            await contended.call("BatchWriteItem", PUT)
        assert len(contended.paused) == TRIES_MAX

    asyncio.run(run())
