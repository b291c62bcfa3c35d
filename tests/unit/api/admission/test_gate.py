"""The gate grants what the model grants, and charges what requests cost."""

import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashrange.api.admission.stored import decode, stored_or_new
from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.capacity.limiter import Limiter
from hashrange.capacity.resources import Terms, new_table
from hashrange.capacity.units import Charge, read_units, write_units
from hashrange.errors import DynamoError, Fault
from hashrange.tables.keys.keyspace import hash16
from hashrange.tables.keys.scaling_keys import capacity_key
from tests.api.indexes import index_of
from tests.api.streams import iterator_of, shards_of, streaming
from tests.unit.api.admission.throttled_server import ThrottledServer
from tests.unit.api.dynamodb.still_server import CALLER

NAME = "a-table"
KEYS = [f"key{number}" for number in range(6)]

steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "get", "delete", "batch", "wait"]),
        st.sampled_from(KEYS),
        st.integers(1, 30),
    ),
    max_size=60,
)


class Model:
    """The pure model of a table, and the sizes of its items."""

    def __init__(self, reads, writes, now_ms):
        terms = Terms(mode="PROVISIONED", read_units=reads, write_units=writes)
        self.table = new_table(f"arn:x:table/{NAME}", terms, now_ms, has_sort_key=False)
        self.limiter = Limiter({NAME: self.table}, hash16)
        self.sizes = {}

    def request(self, kind, key, size, now_ms):
        """Whether a request is admitted; it is charged then."""
        place = ({"S": key},)
        old = self.sizes.get(key, 0)
        if kind == "get":
            least, cost = read_units(0, consistent=False), read_units(old, consistent=False)
            charges = [Charge(NAME, place, read_units=units) for units in (least, cost)]
        else:
            least, cost = write_units(0), write_units(max(old, size))
            charges = [Charge(NAME, place, write_units=units) for units in (least, cost)]
        if self.limiter.admit(charges[:1], now_ms) is not None:
            return False
        self.limiter.charge(charges[1:], now_ms, charges[:1])
        if kind != "get":
            self.sizes[key] = size
        return True


def item_of(key, units):
    """An item of so many write units, and its bytes."""
    pad = "x" * math.floor((units - 0.5) * 1024)
    return {"pk": {"S": key}, "pad": {"S": pad}}, 2 + len(key) + 3 + len(pad)


@settings(max_examples=60, deadline=None)
@given(steps, st.integers(1, 12), st.integers(1, 12))
def test_the_server_grants_exactly_what_the_model_grants(history, reads, writes):
    server = ThrottledServer()
    server.create(ProvisionedThroughput={"ReadCapacityUnits": reads, "WriteCapacityUnits": writes})
    model = Model(reads, writes, server.time_ms)
    try:
        for kind, key, number in history:
            now_ms = server.time_ms
            item, size = item_of(key, number)
            if kind == "wait":
                server.later(number * 100)
            elif kind == "put":
                admitted = server.is_admitted("PutItem", Item=item)
                assert admitted == model.request("put", key, size, now_ms)
            elif kind == "get":
                admitted = server.is_admitted("GetItem", Key={"pk": {"S": key}})
                assert admitted == model.request("get", key, 0, now_ms)
            elif kind == "delete":
                admitted = server.is_admitted("DeleteItem", Key={"pk": {"S": key}})
                assert admitted == model.request("delete", key, 0, now_ms)
            else:
                check_batch(server, model, number, now_ms)
    finally:
        server.end()


def check_batch(server, model, number, now_ms):
    """A batch admits its items one by one, at their least cost, before any of them is charged."""
    sizes = {key: item_of(key, number)[1] for key in KEYS}
    least = [Charge(NAME, ({"S": key},), write_units=1.0) for key in KEYS]
    taken = [charge for charge in least if model.limiter.admit([charge], now_ms) is None]
    done = [charge.partition[0]["S"] for charge in taken]
    costs = [
        Charge(
            NAME, ({"S": key},), write_units=write_units(max(sizes[key], model.sizes.get(key, 0)))
        )
        for key in done
    ]
    model.limiter.charge(costs, now_ms, taken)
    model.sizes.update({key: sizes[key] for key in done})
    requests = [{"PutRequest": {"Item": item_of(key, number)[0]}} for key in KEYS]
    if not taken:
        assert not server.is_admitted("BatchWriteItem", RequestItems={NAME: requests})
        return
    answer = server.call("BatchWriteItem", RequestItems={NAME: requests})
    left = answer["UnprocessedItems"].get(NAME, [])
    left = {each["PutRequest"]["Item"]["pk"]["S"] for each in left}
    assert left == set(KEYS) - set(done)


@pytest.fixture
def server():
    made = ThrottledServer()
    yield made
    made.end()


def test_a_change_of_the_table_keeps_the_levels_of_buckets(server):
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": 10})
    for number in range(10):
        assert server.put(str(number))
    assert not server.put("more")
    server.update(ProvisionedThroughput={"ReadCapacityUnits": 20, "WriteCapacityUnits": 20})
    assert not server.put("more"), "units do not come from an update"
    server.later(500)
    assert sum(server.put(str(number)) for number in range(20)) == 10, "twice as many a second"


def test_a_request_that_fails_returns_what_was_taken(server):
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 2})
    server.put("a")
    before = server.capacity().table.write.level
    text = "SET #a = :v"
    fault, _ = server.refused(
        "UpdateItem",
        Key={"pk": {"S": "a"}},
        UpdateExpression=f"{text} + :one",
        ExpressionAttributeNames={"#a": "pad"},
        ExpressionAttributeValues={":v": {"N": "1"}, ":one": {"S": "x"}},
    )
    assert fault.name == "VALIDATION"
    assert server.capacity().table.write.level == before


def test_the_row_survives_a_restart_and_a_row_that_cannot_be_read(server):
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": 10})
    for number in range(10):
        server.put(str(number))
    server.run(server.capacities.keep(all_now=True))
    opened = server.run(server.catalog.open(NAME))
    (row,) = server.run(server.engine.read((capacity_key(opened.number),)))
    stored = decode(row)
    assert stored.capacity.table.write.level < 1
    assert stored.capacity.table.minute.write_units == 10
    again = stored_or_new(row, opened.table, server.time_ms)
    assert again.capacity == stored.capacity
    new = stored_or_new(b"\x93garbage", opened.table, server.time_ms)
    assert new.capacity.table.write.level == 10


def test_a_table_and_its_index_get_units_before_their_first_request(server):
    units = {"ReadCapacityUnits": 10, "WriteCapacityUnits": 10}
    index = index_of(
        "by-state", "state", ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    )
    attributes = [{"AttributeName": each, "AttributeType": "S"} for each in ("pk", "state")]
    server.create(
        ProvisionedThroughput=units, GlobalSecondaryIndexes=[index], AttributeDefinitions=attributes
    )
    server.later(60_000)
    capacity = server.capacity()
    assert (capacity.table.read.level, capacity.table.write.level) == (610, 610)
    assert capacity.indexes["by-state"].write.level == 305


def test_of_an_idle_table_the_units_of_five_minutes_are_kept(server):
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": 10})
    server.later(3_600_000)
    assert server.capacity().table.write.level == 3000


# What was not used of fewer units does not become a burst of more.
def test_units_count_since_they_were_raised(server):
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    server.later(100_000)
    units = {"ReadCapacityUnits": 10, "WriteCapacityUnits": 10}
    server.call("UpdateTable", TableName=NAME, ProvisionedThroughput=units)
    server.later(2000)
    assert server.capacity().table.write.level == 30


# A bucket is not refilled for each request, so its time does not tell whether it was used.
def test_the_last_request_is_stored_too(server):
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": 10})
    server.put("a")
    server.run(server.capacities.keep(all_now=True))
    server.put("b")
    for _ in range(3):
        server.later(11_000)
        server.keep()
    opened = server.run(server.catalog.open(NAME))
    (row,) = server.run(server.engine.read((capacity_key(opened.number),)))
    written = [each.write_units for each in decode(row).capacity.table.partitions]
    assert sum(written) == 2


def test_metrics_have_the_names_of_cloudwatch(server):
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    server.put("a")
    server.put("a")
    assert server.metrics.throttles == {
        (NAME, "", "WriteThrottleEvents"): 1,
        (NAME, "", "WriteProvisionedThroughputThrottleEvents"): 1,
        (NAME, "", "ThrottledRequests"): 1,
    }


# A partition that outgrows its bytes is split; the bytes are those of the engine's counters.
def test_partitions_are_split_for_size():
    server = ThrottledServer(bytes_max=20_000)
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": 100})
    for number in range(30):
        server.put(str(number), 3)
    server.later(6000)
    server.keep()
    server.later(6000)
    server.keep()
    partitions = server.capacity().table.partitions
    assert len(partitions) >= 4
    total = sum(each.item_bytes for each in partitions)
    assert total == pytest.approx(30 * 2.5 * 1024, rel=0.02)
    server.end()


# Without --namespaces separate the account and the region of an ARN do not matter.
def test_a_table_is_limited_by_whatever_arn_it_is_named(server):
    server.create(ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    arn = f"arn:aws:dynamodb:eu-west-1:111122223333:table/{NAME}"
    item = {"pk": {"S": "a"}}
    assert server.is_admitted("PutItem", TableName=arn, Item=item)
    assert not server.is_admitted("PutItem", TableName=arn, Item=item)
    assert server.call("Scan", TableName=arn)["Count"] == 1
    server.later(5000)
    writes = {arn: [{"PutRequest": {"Item": item}}]}
    server.call("BatchWriteItem", RequestItems=writes)
    assert server.capacity().table.minute.write_units == 2


# An operator raises the quota of a table, or lowers it for a test, and starts the server again.
def test_a_row_follows_the_quota_of_a_table(server):
    server.create(BillingMode="PAY_PER_REQUEST")
    server.put("a")
    server.run(server.capacities.keep(all_now=True))
    opened = server.run(server.catalog.open(NAME))
    (row,) = server.run(server.engine.read((capacity_key(opened.number),)))
    for quota in (50.0, 100_000.0):
        capacity = stored_or_new(row, opened.table, server.time_ms, quota).capacity
        assert (capacity.quota_read.rate, capacity.quota_write.capacity) == (quota, quota)
        assert capacity.quota_write.level <= quota
        assert capacity.table.rates() == (12_000, 4000), "the least that a new table has"
        capacity.table.write_peaks.previous = 45_000.0
        assert capacity.table.rates()[1] == max(4000, min(quota, 90_000))


class Reader:
    """As a client of the streams API, of a server whose clock stands still."""

    def __init__(self, server):
        self._server = server

    def describe_stream(self, **request):
        return self._asked("DescribeStream", **request)

    def get_shard_iterator(self, **request):
        return self._asked("GetShardIterator", **request)

    def get_records(self, **request):
        return self._asked("GetRecords", **request)

    def _asked(self, operation, **request):
        typed = msgspec.convert(request, OPERATIONS[operation].request)
        answer = self._server.run(self._server.pipeline.perform(operation, typed, CALLER))
        return msgspec.json.decode(msgspec.json.encode(answer))


# "Best practices for DynamoDB Streams": 2 MB a second for each shard, in however few reads.
def test_a_shard_is_read_two_megabytes_a_second(server):
    server.create(**streaming("NEW_IMAGE"), BillingMode="PAY_PER_REQUEST")
    arn, reader = server.described()["LatestStreamArn"], Reader(server)
    for number in range(8):
        server.later(1000)
        assert server.put("hot", 380, number=str(number))
    iterators = [iterator_of(reader, arn, each["ShardId"]) for each in shards_of(reader, arn)]
    hot = next(each for each in iterators if reader.get_records(ShardIterator=each)["Records"])
    server.later(2000)
    reads = [reader.get_records(ShardIterator=hot, Limit=2) for _ in range(3)]
    assert all(len(each["Records"]) == 2 for each in reads)
    with pytest.raises(DynamoError) as error:
        reader.get_records(ShardIterator=hot, Limit=2)
    assert error.value.fault is Fault.THROTTLED
    server.later(1000)
    assert reader.get_records(ShardIterator=hot, Limit=2)["Records"]
