"""Places in memory, and places that do not do what they are asked."""

import contextlib

import msgspec

from hashrange.api.steps.operation import Caller
from hashrange.cli.copy_view import Quiet
from hashrange.clock import SystemClock
from hashrange.settings.kinds import Durability
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tools.copying.local import LocalPlace
from hashrange.tools.copying.place import CopyError, ask
from tests.api.indexes import index_of, projected

CALLER = Caller("000000000000", "us-east-1", "localhost")
NAME = "a-table"
TABLE = {
    "TableName": NAME,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "other", "AttributeType": "N"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [index_of("an-index", "other", **projected("KEYS_ONLY"))],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    "DeletionProtectionEnabled": True,
    "Tags": [{"Key": "of", "Value": "somebody"}],
}
EXPIRY = {"Enabled": True, "AttributeName": "until"}


class InMemory(LocalPlace):
    """Tables in memory."""

    def __init__(self, shown, engine, *, is_live=False, is_canonical=True):
        super().__init__(shown, engine, SystemClock(), separate=False)
        self.is_live, self.is_canonical = is_live, is_canonical
        self.master_key_id = None

    async def fill(self, count):
        """One table of items of about 300 bytes."""
        await ask(self, CALLER, "CreateTable", TABLE)
        expiry = {"TableName": NAME, "TimeToLiveSpecification": EXPIRY}
        await ask(self, CALLER, "UpdateTimeToLive", expiry)
        for number in range(count):
            await self.put(f"key {number}", other={"N": str(number % 3)}, text={"S": "x" * 300})
        await self.drain()

    async def put(self, key, **attributes):
        item = {"pk": {"S": key}, **attributes}
        await ask(self, CALLER, "PutItem", {"TableName": NAME, "Item": item})

    async def delete(self, key):
        await ask(self, CALLER, "DeleteItem", {"TableName": NAME, "Key": {"pk": {"S": key}}})

    async def unprotect(self):
        update = {"TableName": NAME, "DeletionProtectionEnabled": False}
        await ask(self, CALLER, "UpdateTable", update)

    async def contents(self):
        """All that can be seen of the table, but for dates and ids."""
        name = {"TableName": NAME}
        table = (await ask(self, CALLER, "DescribeTable", name))["Table"]
        members = {*TABLE, "ItemCount", "TableSizeBytes"} & table.keys()
        kept = {member: table[member] for member in members}
        kept["index"] = [
            {member: index[member] for member in ("ItemCount", "IndexStatus", "KeySchema")}
            for index in table["GlobalSecondaryIndexes"]
        ]
        tags = await ask(self, CALLER, "ListTagsOfResource", {"ResourceArn": table["TableArn"]})
        expiry = await ask(self, CALLER, "DescribeTimeToLive", name)
        items = (await ask(self, CALLER, "Scan", name))["Items"]
        return kept, tags, expiry, items


@contextlib.contextmanager
def memories(*names, **options):
    """Places in memory by these names."""
    with contextlib.ExitStack() as stack:
        engines = [SqliteEngine.open(None, durability=Durability.RELAXED) for _ in names]
        for engine in engines:
            stack.callback(engine.close)
        yield [
            InMemory(name, engine, **options) for name, engine in zip(names, engines, strict=True)
        ]


class Wrapped:
    """A place as another one is."""

    def __init__(self, place):
        self.place = place
        self.calls = 0

    def __getattr__(self, name):
        return getattr(self.place, name)

    async def call(self, caller, operation, body):
        self.calls += 1
        return await self.place.call(caller, operation, body)


class Failing(Wrapped):
    """Fails at one of its calls; with `late` after it did what it was asked."""

    def __init__(self, place, at, *, late):
        super().__init__(place)
        self._at, self._late = at, late

    async def call(self, caller, operation, body):
        fails = self.calls == self._at
        if fails and not self._late:
            self.calls += 1
            raise CopyError("it fails")
        try:
            return await super().call(caller, operation, body)
        finally:
            if fails:
                raise CopyError("it fails late")


class Careless(Wrapped):
    """Does something else with the write requests of batches than was asked."""

    def __init__(self, place, change):
        super().__init__(place)
        self._change = change

    async def call(self, caller, operation, body):
        if operation == "BatchWriteItem":
            request = msgspec.json.decode(body)
            puts = request["RequestItems"][NAME]
            request["RequestItems"][NAME] = self._change(puts)
            body = msgspec.json.encode(request)
        return await super().call(caller, operation, body)


class Slow(Wrapped):
    """Leaves all but one item of each batch unprocessed."""

    async def call(self, caller, operation, body):
        if operation != "BatchWriteItem":
            return await super().call(caller, operation, body)
        puts = msgspec.json.decode(body)["RequestItems"][NAME]
        first = {"RequestItems": {NAME: puts[:1]}}
        await super().call(caller, operation, msgspec.json.encode(first))
        left = {NAME: puts[1:]} if puts[1:] else {}
        return msgspec.json.encode({"UnprocessedItems": left})


class Told(Quiet):
    """Keeps what it is told."""

    def __init__(self):
        self.notes, self.differences, self.moved_total = [], [], 0

    def note(self, text):
        self.notes.append(text)

    def differs(self, text):
        self.differences.append(text)

    def moved(self, items):
        self.moved_total += items
