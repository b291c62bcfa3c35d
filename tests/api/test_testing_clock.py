"""Time that passes at once, as tests of applications see it."""

import contextlib
import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from hashrange.clock import OFFSET_MS_MAX
from hashrange.testing_pages import ClockError
from tests.api.conftest import client_of
from tests.api.streams import arn_of, changes_of, iterator_of, records_from, shards_of, streaming
from tests.pace import seconds
from tests.served import served

PREFIX = {
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}


# With workers the requests reach processes other than the one that does the work in the background.
@pytest.fixture(
    scope="module", params=["one process", pytest.param("workers", marks=pytest.mark.long)]
)
def server(request, tmp_path_factory):
    more = {}
    if request.param == "workers":
        more = {"memory": False, "data": tmp_path_factory.mktemp("clock") / "data", "workers": 2}
    # Neither the delay of expiry nor a stream may need the time of these tests.
    with served(testing=True, **more) as server:
        yield server


@pytest.fixture(scope="module")
def client(server):
    client = client_of(server.endpoint)
    yield client
    client.close()


@pytest.fixture(scope="module")
def streams(server):
    client = client_of(server.endpoint, "dynamodbstreams")
    yield client
    client.close()


@pytest.fixture
def table(client, request):
    def create(**more):
        name = f"{request.node.name.partition('[')[0]}-{len(names)}"
        client.create_table(TableName=name, **{"BillingMode": "PAY_PER_REQUEST", **PREFIX, **more})
        names.append(name)
        return name

    names = []
    yield create
    for name in names:
        with contextlib.suppress(client.exceptions.ResourceNotFoundException):
            client.delete_table(TableName=name)


def put(client, table, key, **more):
    client.put_item(TableName=table, Item={"pk": {"S": key}, **more})


def keys_in(client, table):
    items = client.scan(TableName=table, ConsistentRead=True)["Items"]
    return sorted(item["pk"]["S"] for item in items)


def expires(client, table, attribute="until"):
    chosen = {"Enabled": True, "AttributeName": attribute}
    client.update_time_to_live(TableName=table, TimeToLiveSpecification=chosen)


def in_hours(clock, hours):
    """A value of a time to live."""
    return {"N": str(int((clock.now() + timedelta(hours=hours)).timestamp()))}


# What a test of an application wants of time to live: it is over, and the item is gone, now.
def test_expired_items_are_gone_when_advance_returns(client, streams, clock, table):
    name = table(**streaming())
    expires(client, name)
    for hours in range(1, 41):
        put(client, name, f"{hours:02}", until=in_hours(clock, hours))
    clock.advance(hours=20, minutes=1)
    assert keys_in(client, name) == [f"{hours:02}" for hours in range(21, 41)]
    records = changes_of(streams, arn_of(client, name))
    removed = [record for record in records if record["eventName"] == "REMOVE"]
    assert {record["userIdentity"]["PrincipalId"] for record in removed} == {
        "dynamodb.amazonaws.com"
    }
    assert len(removed) == 20
    clock.advance(days=1)
    assert keys_in(client, name) == []


# The index by which items expire is built in the background: that is waited for, too.
def test_items_that_are_there_before_they_can_expire(client, clock, table):
    name = table()
    for number in range(60):
        put(client, name, f"{number:02}", until=in_hours(clock, 1 if number < 40 else 100))
    expires(client, name)
    clock.advance(hours=2)
    assert keys_in(client, name) == [f"{number:02}" for number in range(40, 60)]


def test_settle_does_what_is_due_without_moving_the_clock(client, clock, table):
    name = table()
    expires(client, name)
    put(client, name, "over", until=in_hours(clock, -1))
    put(client, name, "not over", until=in_hours(clock, 1))
    clock.settle()
    assert keys_in(client, name) == ["not over"]
    assert clock.offset == timedelta()


def test_streams_keep_records_for_a_day_and_open_shards_every_four_hours(
    client, streams, clock, table
):
    name = table(**streaming())
    arn = arn_of(client, name)
    put(client, name, "first")
    clock.advance(hours=5)
    put(client, name, "second")
    first, second = shards_of(streams, arn)
    assert second["ParentShardId"] == first["ShardId"]
    assert len(changes_of(streams, arn)) == 2
    clock.advance(hours=20)
    left = [record["dynamodb"]["Keys"]["pk"]["S"] for record in changes_of(streams, arn)]
    assert left == ["second"]
    clock.advance(hours=5)
    assert changes_of(streams, arn) == []
    assert first["ShardId"] not in [shard["ShardId"] for shard in shards_of(streams, arn)]


def test_iterators_of_shards_expire_after_fifteen_minutes(client, streams, clock, table):
    name = table(**streaming())
    arn = arn_of(client, name)
    put(client, name, "one")
    (shard,) = shards_of(streams, arn)
    iterator = iterator_of(streams, arn, shard["ShardId"])
    clock.advance(minutes=14)
    assert len(records_from(streams, iterator)) == 1
    clock.advance(minutes=2)
    with pytest.raises(streams.exceptions.ExpiredIteratorException):
        streams.get_records(ShardIterator=iterator)


def test_tokens_of_transactions_are_known_for_ten_minutes(client, clock, table):
    name = table()

    def write(key):
        item = {"pk": {"S": key}}
        client.transact_write_items(
            TransactItems=[{"Put": {"TableName": name, "Item": item}}],
            ClientRequestToken="the-token-of-this-test",
        )

    write("one")
    clock.advance(minutes=9)
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        write("two")
    clock.advance(minutes=2)
    write("two")
    assert keys_in(client, name) == ["one", "two"]


def test_tokens_of_statements_are_good_for_an_hour(client, clock, table):
    name = table()
    for pk in "ab":
        client.put_item(TableName=name, Item={"pk": {"S": pk}})
    statement = f'SELECT * FROM "{name}"'
    first = client.execute_statement(Statement=statement, Limit=1)
    again = {"Statement": statement, "NextToken": first["NextToken"]}
    clock.advance(minutes=59)
    assert len(client.execute_statement(**again)["Items"]) == 1
    clock.advance(minutes=2)
    with pytest.raises(ClientError, match="Given NextToken has already expired"):
        client.execute_statement(**again)


def test_decreases_are_counted_by_the_day(client, clock, table):
    units = {"ReadCapacityUnits": 20, "WriteCapacityUnits": 1}
    name = table(BillingMode="PROVISIONED", ProvisionedThroughput=units)
    # From the first hour of a day on, so that midnight does not come in between.
    hours_left = 24 - clock.now().hour
    clock.advance(hours=hours_left)

    def decrease(read):
        client.update_table(
            TableName=name,
            ProvisionedThroughput={"ReadCapacityUnits": read, "WriteCapacityUnits": 1},
        )

    for read in (19, 18, 17, 16):
        decrease(read)
    with pytest.raises(client.exceptions.LimitExceededException):
        decrease(15)
    clock.advance(days=1)
    decrease(15)


def test_descriptions_and_dates_have_the_time_of_the_clock(client, clock, table):
    moved = clock.advance(weeks=1)
    name = table()
    created = client.describe_table(TableName=name)["Table"]["CreationDateTime"]
    assert timedelta() <= created - moved < timedelta(minutes=5)
    assert clock.offset == timedelta(weeks=1)
    before = clock.reset()
    assert clock.offset == timedelta()
    assert moved - before > timedelta(days=6)


# Its times are of days to come, and it must not be CREATING or DELETING until then.
def test_table_of_the_days_to_come_is_of_use_after_a_reset(client, clock, table):
    clock.advance(days=7)
    name, other = table(), table()
    client.delete_table(TableName=other)
    clock.reset()
    assert client.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE"
    put(client, name, "one")
    client.update_table(TableName=name, DeletionProtectionEnabled=True)
    client.update_table(TableName=name, DeletionProtectionEnabled=False)
    client.delete_table(TableName=name)
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=other)


# A lost move would be an item that does not expire, in one test run of many.
def test_moves_at_the_same_time_add_up(clock):
    with ThreadPoolExecutor(8) as threads:
        moves = [
            threads.submit(clock.advance, seconds=number, settle=number % 2 == 0)
            for number in range(40)
        ]
        for move in moves:
            move.result()
    assert clock.offset == timedelta(seconds=sum(range(40)))


def test_units_are_exact_to_the_millisecond(clock):
    clock.advance(weeks=1, days=-1, hours=1.5, milliseconds=1)
    clock.advance(microseconds=999)
    assert clock.offset == timedelta(weeks=1, days=-1, hours=1.5, milliseconds=1)
    with pytest.raises(TypeError):
        clock.advance(year=1)


def asked(endpoint, method, body=None, path="/testing/clock"):
    """The status and the answer, as curl shows them."""
    connection = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=seconds(30))
    with contextlib.closing(connection):
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("", "Input data was truncated"),
        ("days=2", "JSON is malformed"),
        ("[1]", "Expected `object`"),
        ('{"dayz": 2}', "unknown field `dayz`"),
        ('{"days": "2"}', "Expected `float | null`"),
        ('{"days": 2, "settle": 1}', "Expected `bool`"),
        ("{}", "names neither a unit of time nor reset"),
        ('{"settle": true}', "names neither a unit of time nor reset"),
        ('{"reset": true, "days": 0}', "exclude each other"),
        ('{"days": -1}', "only moves forward"),
        ('{"days": 1, "hours": -25}', "only moves forward"),
        ('{"days": 36526}', "at most 36525 days"),
        ('{"days": 1e300}', "at most 36525 days"),
        ("[" * 100_000, "the body is JSON like"),
        ('"\ud800"', "the body is JSON like"),
    ],
)
def test_bad_body_is_refused_and_moves_nothing(server, body, text):
    status, answer = asked(server.endpoint, "POST", body.encode("utf-8", "surrogatepass"))
    assert status == 400
    assert text in json.loads(answer)["message"]
    assert server.clock.offset == timedelta()


def test_clock_is_read_and_moved_without_python(server, clock):
    status, answer = asked(server.endpoint, "POST", '{"hours": 1, "settle": false}')
    assert status == 200
    moved = json.loads(answer)
    assert moved["offset_ms"] == 3_600_000
    status, answer = asked(server.endpoint, "GET")
    assert json.loads(answer)["now"].endswith("Z")
    assert 0 <= json.loads(answer)["now_ms"] - moved["now_ms"] < 60_000
    assert asked(server.endpoint, "POST", '{"reset": true}')[0] == 200
    assert asked(server.endpoint, "DELETE")[0] == 404


def test_clock_stops_at_its_limit(clock):
    clock.advance(milliseconds=OFFSET_MS_MAX)
    with pytest.raises(ClockError, match="at most 36525 days"):
        clock.advance(milliseconds=1)
    assert clock.offset == timedelta(milliseconds=OFFSET_MS_MAX)


# A server that is used by people has one time, and nothing more to be asked for.
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_without_testing_there_is_no_such_path(endpoint, method):
    answer = asked(endpoint, method, '{"days": 2}')
    assert answer[0] == 404
    assert answer == asked(endpoint, method, '{"days": 2}', path="/testing/none")


def test_without_testing_the_option_is_named():
    with served() as server, pytest.raises(ClockError, match="start hashrange with --testing"):
        server.clock.advance(days=2)
    with pytest.raises(OSError, match="refused"):
        server.clock.now()


def test_clock_without_a_server_is_that_of_the_environment(server, process_environment):
    from hashrange.testing import clock  # noqa: PLC0415 - as its readers write it

    process_environment(AWS_ENDPOINT_URL_DYNAMODB=server.endpoint)
    clock.advance(days=2)
    assert server.clock.offset == clock.offset == timedelta(days=2)
    clock.reset()
    process_environment(AWS_ENDPOINT_URL_DYNAMODB="localhost:8000")
    with pytest.raises(ClockError, match="is not a URL like"):
        clock.now()


def test_moved_clock_changes_no_answer_to_those_who_sign(client, clock, table):
    clock.advance(days=365)
    name = table()
    put(client, name, "one")
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        client.put_item(
            TableName=name,
            Item={"pk": {"S": "one"}},
            ConditionExpression="attribute_not_exists(pk)",
        )
