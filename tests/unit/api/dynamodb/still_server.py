"""Operations on a server in memory whose clock stands still until it is told."""

import asyncio
import contextlib
import uuid

import msgspec
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller, TableChoices
from hashrange.background.expirer import Expirer
from hashrange.background.index_jobs import index_jobs
from hashrange.errors import DynamoError
from hashrange.limits.requests import PAGE_BYTES_MAX
from hashrange.observe.counts import UnitCounts
from hashrange.settings.kinds import Durability
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.writing.store import Store
from tests.api.shapes import assert_shape
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import NOON_MS

SHOWN_MS = 1000
NO_CHOICES = TableChoices()
TABLE = {
    "TableName": "a-table",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}
CALLER = Caller("000000000000", "us-east-1", "localhost")


class Noted:
    """Notes each consumption by itself."""

    def __init__(self, spent):
        self._spent = spent

    def __getitem__(self, table):
        self._spent.append(UnitCounts())
        return self._spent[-1]


class StillServer:
    """Operations on one table, the work of the background on demand, and the time."""

    steady = None

    def __init__(
        self,
        *,
        transient_ms=SHOWN_MS,
        choices=NO_CHOICES,
        wrap=None,
        opened=None,
        page_bytes_max=PAGE_BYTES_MAX,
    ):
        """`wrap` makes of the engine the one that the operations are given; `opened` another."""
        self.time_ms, self.page_bytes_max = NOON_MS, page_bytes_max
        self.spent = []
        self._loop, self._stack = asyncio.new_event_loop(), contextlib.AsyncExitStack()
        self.engine = self.run(self._stack.enter_async_context(opened or self._in_memory()))
        self.transient_ms, self.choices = transient_ms, choices
        self.wrapped = self.engine if wrap is None else wrap(self.engine)
        self.restart()

    def restart(self):
        """Begin anew with all that a process remembers."""
        self.catalog = Catalog(self.wrapped)
        self.store = Store(
            self.wrapped, self, steady=self.steady, page_bytes_max=self.page_bytes_max
        )
        self.pipeline = Pipeline(
            self.store,
            self.catalog,
            lambda *_: self.noted(),
            transient_ms=self.transient_ms,
            choices=self.choices,
        )

    @contextlib.asynccontextmanager
    async def _in_memory(self):
        engine = SqliteEngine.open(None, durability=Durability.RELAXED, now_ms=self.now_ms)
        with contextlib.closing(engine):
            yield engine

    def noted(self):
        return Noted(self.spent)

    def now_ms(self):
        return self.time_ms

    def monotonic_ns(self):
        return self.time_ms * 1_000_000

    def random_bytes(self, count):
        return uuid.uuid4().bytes[:count]

    def new_uuid(self):
        return str(uuid.uuid4())

    def call(self, operation, **request):
        return self.run(self.performed(operation, **request))

    async def performed(self, operation, **request):
        kind = OPERATIONS[operation].request
        typed = msgspec.convert({"TableName": "a-table", **request}, kind)
        answer = await self.pipeline.perform(operation, typed, CALLER)
        members = msgspec.json.decode(msgspec.json.encode(answer))
        assert_shape(operation, members)
        return members

    def perform(self, operation, **request):
        """The one member of the answer."""
        (member,) = self.call(operation, **request).values()
        return member

    def create(self, **request):
        self.perform("CreateTable", **{**TABLE, **request})
        self.later(SHOWN_MS)

    def update(self, **request):
        return self.perform("UpdateTable", **request)

    def describe(self):
        return self.perform("DescribeTable")

    def refused(self, operation="UpdateTable", **request):
        with pytest.raises(DynamoError) as error:
            self.call(operation, **request)
        return error.value.fault, error.value.message

    def later(self, ms):
        self.time_ms += ms

    def index(self):
        """Let indexes be built and removed."""
        self.run(index_jobs(self.engine, self.catalog, unhurried()).work())

    def expire(self, *, delay_seconds=0):
        """Let expired items be deleted; how many were."""
        expirer = Expirer(self.store, self.catalog, delay_seconds, pacer=unhurried())
        self.run(expirer.sweep())
        deleted = self.run(expirer.expire())
        assert expirer.deleted_total == deleted
        return deleted

    def run(self, coroutine):
        return self._loop.run_until_complete(coroutine)

    def end(self):
        self.run(self._stack.aclose())
        self._loop.close()
