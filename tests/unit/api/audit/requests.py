"""A recorder on a catalog of one table, and requests for it."""

import asyncio
import json

import msgspec

from hashrange.api.audit.recorder import DataEvents, Recorder
from hashrange.api.audit.trail import event_ids
from hashrange.api.steps.operation import Caller
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.table import KeyAttribute
from hashrange.tables.catalog.catalog import Catalog
from hashrange.wire.exchange import Peer, Request, Response
from tests.unit.tables.definitions import definition

MUSIC = definition(
    name="Music",
    account="123456789012",
    region="us-west-2",
    partition=KeyAttribute("Artist", "S"),
    sort=KeyAttribute("SongTitle", "S"),
)
CALLER = Caller("111122223333", "us-west-2", "localhost")
NOW_MS = 1_547_912_514_000
"""2019-01-19T15:41:54Z, as in the Developer Guide."""
AUTHORIZATION = (
    b"AWS4-HMAC-SHA256 Credential=111122223333/20190119/us-west-2/dynamodb/aws4_request, "
    b"SignedHeaders=host, Signature=" + b"0" * 64
)


def catalog():
    """A catalog that has the table Music in its cache."""

    async def made():
        found = Catalog(DictEngine())
        await found.create(lambda _number: MUSIC, "Music")
        await found.open("Music")
        return found

    return asyncio.run(made())


class Recording:
    """A recorder whose events are kept."""

    def __init__(self, tables=None):
        self.events = []
        self.times = []
        self.recorder = Recorder(
            self._put,
            catalog(),
            now_ms=lambda: NOW_MS,
            event_ids=event_ids(bytes(16)),
            identified=lambda response: msgspec.structs.replace(
                response, request_id=b"4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQN"
            ),
            selection=DataEvents(tables=tables),
        )

    def _put(self, event, at_ms):
        self.events.append(event)
        self.times.append(at_ms)

    def record(self, operation, body, caller=CALLER, *, status=200, answer=b"{}"):
        """Record a request; the event, None if there is none."""
        self.events.clear()
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {b"user-agent": b"aws-cli/1.15.64", b"authorization": AUTHORIZATION}
        request = Request(b"POST", b"/", b"", headers | {b"x-amz-date": b"20190119T154154Z"}, sent)
        request.peer = Peer("192.0.2.0", False)
        self.recorder.record(request, operation, caller, Response(status, answer))
        return self.events[0] if self.events else None


def error(code, message):
    """The body of an error."""
    fault = f"com.amazonaws.dynamodb.v20120810#{code}"
    return json.dumps({"__type": fault, "message": message}).encode()
