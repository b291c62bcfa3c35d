"""Streams on a server in memory whose clock stands still until it is told."""

import msgspec

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.background.dropper import Dropper
from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.tables.verifying.verify import findings
from tests.api.shapes import assert_shape
from tests.api.streams import changes_of, records_from, shards_of, streaming
from tests.unit.api.dynamodb.still_server import CALLER, TABLE, StillServer
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import HOUR_MS

DAY_MS = 24 * HOUR_MS
RULES = StreamRules(shard_ms=4 * HOUR_MS, retention_ms=DAY_MS)
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}


class StillStreams(StillServer):
    """A server with a stream on its one table; as a client of the streams API too."""

    def __init__(self, *, transient_ms=0, rules=RULES, **more):
        super().__init__(transient_ms=transient_ms, **more)
        self.upkeep = LogMaintenance(self.store, self.catalog, rules, pacer=unhurried())

    def begin(self, **more):
        """Make the table with a stream, and give the stream's ARN."""
        request = {**TABLE, **ON_DEMAND, **streaming(), **more}
        return self.perform("CreateTable", **request)["LatestStreamArn"]

    def ask(self, operation, **request):
        """As `call`, of the streams API."""
        typed = msgspec.convert(request, OPERATIONS[operation].request)
        answer = self.run(self.pipeline.perform(operation, typed, CALLER))
        members = msgspec.json.decode(msgspec.json.encode(answer))
        assert_shape(operation, members, "dynamodbstreams")
        return members

    def describe_stream(self, **request):
        return self.ask("DescribeStream", **request)

    def get_shard_iterator(self, **request):
        return self.ask("GetShardIterator", **request)

    def get_records(self, **request):
        return self.ask("GetRecords", **request)

    def list_streams(self, **request):
        return self.ask("ListStreams", **request)

    def put(self, pk, **attributes):
        self.call("PutItem", Item={"pk": {"S": pk}, **attributes})

    def sweep(self):
        """Let streams be looked after, and what is marked be cleared too."""
        self.run(self.upkeep.drain())

    def clear(self):
        """Let dropped tables be cleared."""
        dropper = Dropper(self.engine, self.catalog, self, self.transient_ms, pacer=unhurried())
        self.run(dropper.clear())

    def shards(self, arn):
        return shards_of(self, arn)

    def changes(self, arn):
        """All records, those of parents first."""
        return changes_of(self, arn)

    def names(self, arn):
        """The keys of all records."""
        return [record["dynamodb"]["Keys"]["pk"]["S"] for record in self.changes(arn)]

    def names_from(self, iterator):
        """The keys of the records from there on, in that shard."""
        records = records_from(self, iterator)
        return [record["dynamodb"]["Keys"]["pk"]["S"] for record in records]

    def check(self):
        """Nothing is wrong with what is stored."""
        assert self.run(findings(self.engine)) == []
