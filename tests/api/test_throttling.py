# Throttled requests look to SDKs as those of the service do, and are served when they come again.
"""`--throttle on`, as clients see it."""

import contextlib
import json
import uuid

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from hashrange.settings.kinds import Throttle
from hashrange.tables.keys.keyspace import hash16
from hashrange.testing_pages import ServerClock
from tests.api.conftest import client_of
from tests.api.indexes import index_of
from tests.copied_pages import fresh
from tests.pace import until

KIB = 1024
ONCE = Config(retries={"total_max_attempts": 1})
RETRIES = Config(retries={"mode": "standard", "total_max_attempts": 8})
NEW_PARTITIONS = 4
"""Of a table on demand; each has an equal part of the hashes."""


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(throttle=Throttle.ON, testing=True)


@pytest.fixture(scope="module")
def client(endpoint):
    return client_of(endpoint, config=ONCE)


@pytest.fixture(scope="module")
def clock(endpoint):
    return ServerClock(endpoint)


def table(client, *, units=None, **more):
    """Creates a table, on demand unless it has units a second."""
    name = f"t-{uuid.uuid4()}"
    billing = {"BillingMode": "PAY_PER_REQUEST"}
    if units is not None:
        read, write = units
        billing = {
            "ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}
        }
    request = {
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    }
    client.create_table(TableName=name, **billing, **{**request, **more})
    return name


def arn_of(client, name):
    return client.describe_table(TableName=name)["Table"]["TableArn"]


def item(pk, units=1, **more):
    pad = {"pad": {"S": "x" * ((units - 1) * KIB + 512)}} if units > 1 else {}
    return {"pk": {"S": pk}, **pad, **more}


def drained(client, name):
    """The table of one write unit has spent more than it has for half a minute."""
    client.put_item(TableName=name, Item=item("large", 40))


def partition_of(pk):
    return hash16([{"S": pk}])[0] * NEW_PARTITIONS // 256


def heated(client, name):
    """The partition of the item `star` has spent more write units than it has for some seconds.

    Items beside it are written with it: by itself it would be hot for half a second.
    """
    beside = (str(number) for number in range(1000))
    keys = ["star", *(pk for pk in beside if partition_of(pk) == partition_of("star"))][:9]
    puts = [{"Put": {"TableName": name, "Item": item(pk, 390)}} for pk in keys]
    for _ in range(20):
        try:
            client.transact_write_items(TransactItems=puts)
        except ClientError:
            return


def refusal(call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    return error.value.response


def test_a_provisioned_table_throttles_with_reason_and_arn(client):
    name = table(client, units=(1, 1))
    drained(client, name)
    answer = refusal(client.put_item, TableName=name, Item=item("a"))
    assert answer["Error"]["Code"] == "ProvisionedThroughputExceededException"
    assert answer["Error"]["Message"].startswith("The level of configured provisioned throughput")
    assert answer["ThrottlingReasons"] == [
        {"reason": "TableWriteProvisionedThroughputExceeded", "resource": arn_of(client, name)}
    ]
    assert client.get_item(TableName=name, Key={"pk": {"S": "large"}})["Item"]


def test_a_partition_of_an_on_demand_table_throttles(client):
    name = table(client)
    heated(client, name)
    answer = refusal(client.put_item, TableName=name, Item=item("star"))
    assert answer["Error"]["Code"] == "ThrottlingException"
    assert answer["throttlingReasons"] == [
        {"reason": "TableWriteKeyRangeThroughputExceeded", "resource": arn_of(client, name)}
    ]


def test_an_index_that_starves_throttles_writes_of_its_table(client):
    index = index_of(
        "by-state", "state", ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    )
    attributes = [{"AttributeName": each, "AttributeType": "S"} for each in ("pk", "state")]
    name = table(
        client, units=(100, 100), GlobalSecondaryIndexes=[index], AttributeDefinitions=attributes
    )
    client.put_item(TableName=name, Item=item("a", 40, state={"S": "OPEN"}))
    answer = refusal(client.put_item, TableName=name, Item=item("b"))
    assert answer["Error"]["Code"] == "ProvisionedThroughputExceededException"
    assert "global secondary indexes" in answer["Error"]["Message"]
    (reason,) = answer["ThrottlingReasons"]
    assert reason["reason"] == "IndexWriteProvisionedThroughputExceeded"
    assert reason["resource"] == f"{arn_of(client, name)}/index/by-state"


def test_batches_return_what_is_throttled_and_fail_only_as_a_whole(client):
    name, free = table(client, units=(1, 1)), table(client, units=(100, 100))
    drained(client, name)
    puts = [{"PutRequest": {"Item": item(str(number))}} for number in range(3)]
    answer = client.batch_write_item(RequestItems={name: puts, free: puts})
    assert answer["UnprocessedItems"] == {name: puts}
    answer = refusal(client.batch_write_item, RequestItems={name: puts})
    assert answer["Error"]["Code"] == "ProvisionedThroughputExceededException"
    # A read of 40 KiB costs ten units at once.
    client.get_item(TableName=name, Key={"pk": {"S": "large"}}, ConsistentRead=True)
    keys = [{"pk": {"S": str(number)}} for number in range(3)]
    answer = client.batch_get_item(RequestItems={name: {"Keys": keys}, free: {"Keys": keys}})
    assert answer["UnprocessedKeys"] == {name: {"Keys": keys}}
    assert len(answer["Responses"][free]) == 3
    answer = refusal(client.batch_get_item, RequestItems={name: {"Keys": keys}})
    assert answer["Error"]["Code"] == "ProvisionedThroughputExceededException"


def test_transactions_are_cancelled_as_a_whole(client):
    name, free = table(client, units=(1, 1)), table(client)
    drained(client, name)
    actions = [{"Put": {"TableName": each, "Item": item("a")}} for each in (free, name)]
    answer = refusal(client.transact_write_items, TransactItems=actions)
    assert answer["Error"]["Code"] == "TransactionCanceledException"
    codes = [reason["Code"] for reason in answer["CancellationReasons"]]
    assert codes == ["None", "ProvisionedThroughputExceeded"]
    assert "Item" not in client.get_item(TableName=free, Key={"pk": {"S": "a"}})
    heated(client, free)
    answer = refusal(
        client.transact_write_items,
        TransactItems=[{"Put": {"TableName": free, "Item": item("star")}}],
    )
    assert answer["CancellationReasons"][0]["Code"] == "ThrottlingError"


# Text, reason and codes of an index that is short of the units of its own maximum. In a
# transaction it is the fault of the request. Measured, September 2026.
def test_an_index_with_a_maximum(client):
    index = index_of(
        "short", "g", OnDemandThroughput={"MaxReadRequestUnits": 1, "MaxWriteRequestUnits": 1}
    )
    definitions = [{"AttributeName": each, "AttributeType": "S"} for each in ("pk", "g")]
    name = table(client, AttributeDefinitions=definitions, GlobalSecondaryIndexes=[index])
    entry = item("large", 40, g={"S": "g"})
    client.put_item(TableName=name, Item=entry)
    text = (
        "Throughput exceeds the current capacity for one or more global secondary indexes. "
        "DynamoDB is automatically scaling your index so please try again shortly."
    )
    insert = {"Statement": f"INSERT INTO \"{name}\" VALUE {{'pk': 'x', 'g': 'g'}}"}
    put = {"Put": {"TableName": name, "Item": entry}}
    for call, request in (
        (client.put_item, {"TableName": name, "Item": entry}),
        (client.transact_write_items, {"TransactItems": [put]}),
        (client.execute_transaction, {"TransactStatements": [insert]}),
    ):
        answer = refusal(call, **request)
        assert answer["Error"] == {"Code": "ThrottlingException", "Message": text}
        assert answer["throttlingReasons"] == [
            {
                "reason": "IndexWriteMaxOnDemandThroughputExceeded",
                "resource": f"{arn_of(client, name)}/index/short",
            }
        ]
        assert "CancellationReasons" not in answer
    (answer,) = client.batch_execute_statement(Statements=[insert])["Responses"]
    assert answer["Error"] == {"Code": "ThrottlingError", "Message": text}


def test_statements_of_a_batch_have_the_codes_of_both_faults(client):
    name, hot = table(client, units=(1, 1)), table(client)
    drained(client, name)
    heated(client, hot)
    statements = [
        {"Statement": f"INSERT INTO \"{name}\" VALUE {{'pk': 'x'}}"},
        {"Statement": f"UPDATE \"{hot}\" SET a = 1 WHERE pk = 'star'"},
        {"Statement": f"INSERT INTO \"{hot}\" VALUE {{'pk': 'y'}}"},
    ]
    found = client.batch_execute_statement(Statements=statements)["Responses"]
    codes = [each.get("Error", {}).get("Code") for each in found[:2]]
    assert codes == ["ProvisionedThroughputExceeded", "ThrottlingError"]
    answer = refusal(
        client.execute_statement, Statement=f"INSERT INTO \"{name}\" VALUE {{'pk': 'x'}}"
    )
    assert answer["Error"]["Code"] == "ProvisionedThroughputExceededException"


# The table owes the units of minutes, and the clock moves on while the SDK waits for its retry.
def test_retries_of_sdks_succeed(endpoint, client, clock):
    retrying = client_of(endpoint, config=RETRIES)
    codes = []

    def wait(response, **_more):
        codes.append(response[0].status_code)
        clock.advance(minutes=10)

    retrying.meta.events.register_first("needs-retry.dynamodb.PutItem", wait)
    name = table(client, units=(1, 1))
    client.put_item(TableName=name, Item=item("large", 200))
    answer = retrying.put_item(TableName=name, Item=item("a"))
    assert codes == [400, 200]
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1


def test_time_brings_units_back(client, clock):
    name = table(client, units=(1, 1))
    drained(client, name)
    refusal(client.put_item, TableName=name, Item=item("a"))
    clock.advance(seconds=60)
    client.put_item(TableName=name, Item=item("a"))


# Four partitions, of which a scan reads each: measured by users of the service.
def test_a_scan_of_one_item_reads_four_partitions(client):
    name = table(client)
    client.put_item(TableName=name, Item=item("a"))
    for consistent, units in ((False, 2.0), (True, 4.0)):
        answer = client.scan(
            TableName=name, ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL"
        )
        assert answer["Count"] == 1
        assert answer["ConsumedCapacity"]["CapacityUnits"] == units
    statement = f'SELECT * FROM "{name}"'
    answer = client.execute_statement(Statement=statement, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 2.0
    one = table(client, units=(5, 5))
    answer = client.scan(TableName=one, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 0.5


def shards_of(endpoint, client, name):
    streams = client_of(endpoint, "dynamodbstreams", config=ONCE)
    arn = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    return streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]


STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}


def test_a_split_splits_the_shard_of_the_stream(start_server):
    endpoint = start_server(throttle=Throttle.ON, testing=True, partition_bytes=50_000)
    client, clock = client_of(endpoint, config=ONCE), ServerClock(endpoint)
    name = table(client, **STREAM)
    first = shards_of(endpoint, client, name)
    assert len(first) == 4
    for number in range(20):
        client.put_item(TableName=name, Item=item(str(number), 30))

    def is_split():
        clock.advance(seconds=6)
        # With several processes, the one that has requests does the work.
        client.get_item(TableName=name, Key={"pk": {"S": "x"}})
        return len(shards_of(endpoint, client, name)) > 4

    until(is_split)
    shards = shards_of(endpoint, client, name)
    children = [shard for shard in shards if "ParentShardId" in shard]
    assert len(children) >= 2
    parents = {shard["ParentShardId"] for shard in children}
    closed = {
        shard["ShardId"]
        for shard in shards
        if "EndingSequenceNumber" in shard["SequenceNumberRange"]
    }
    assert parents <= closed | {shard["ShardId"] for shard in first}
    client.put_item(TableName=name, Item=item("after the split"))


def test_a_shard_is_read_five_times_a_second(endpoint, client):
    name = table(client, **STREAM)
    streams = client_of(endpoint, "dynamodbstreams", config=ONCE)
    arn = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    shard = shards_of(endpoint, client, name)[0]["ShardId"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    codes = []
    for _ in range(40):
        try:
            streams.get_records(ShardIterator=iterator)
        except ClientError as error:
            codes.append(error.response["Error"]["Code"])
    assert set(codes) == {"ThrottlingException"}


def test_a_quota_of_on_demand_tables_is_of_the_account(client, clock):
    limits = {"MaxReadRequestUnits": 1, "MaxWriteRequestUnits": 1}
    name = table(client, OnDemandThroughput=limits)
    drained(client, name)
    answer = refusal(client.put_item, TableName=name, Item=item("a"))
    assert answer["Error"]["Code"] == "ThrottlingException"
    reasons = {each["reason"] for each in answer["throttlingReasons"]}
    assert reasons == {"TableWriteMaxOnDemandThroughputExceeded"}


# Of all processes: their allowances of the row counts as used.
def test_partitions_are_in_the_pages(endpoint, client):
    name = table(client)
    heated(client, name)

    def counted():
        with contextlib.suppress(ClientError):  # the table has spent its units, too
            client.put_item(TableName=name, Item=item("another"))
        page = json.loads(fresh(f"{endpoint}/top.json"))
        (use,) = [each for each in page["capacity"] if each["table"] == name]
        return use if sum(each["write_units"] for each in use["partitions"]) >= 1000 else None

    use = until(counted)
    assert use["partition_count"] == len(use["partitions"]) >= 4
    assert (use["read_rate"], use["write_rate"]) == (12_000, 4000)
    starts = [each["start"] for each in use["partitions"]]
    assert starts == sorted(starts)
    assert [each["end"] for each in use["partitions"]] == [*starts[1:], ""]
    scraped = fresh(f"{endpoint}/metrics")
    assert f'hashrange_partitions{{index="",table="{name}"}} {use["partition_count"]}.0' in scraped
    labels = f'{{index="",kind="write",partition="0",table="{name}"}}'
    assert f"hashrange_partition_units_total{labels}" in scraped


def test_a_table_stays_in_the_view_when_it_is_changed(endpoint, client):
    name = table(client, units=(10, 10))
    client.put_item(TableName=name, Item=item("a"))
    units = {"ReadCapacityUnits": 10, "WriteCapacityUnits": 20}
    client.update_table(TableName=name, ProvisionedThroughput=units)
    page = json.loads(fresh(f"{endpoint}/top.json"))
    uses = [each for each in page["capacity"] if each["table"] == name]
    assert [(use["read_rate"], use["write_rate"]) for use in uses] == [(10, 20)]
