"""Triggers of a real server: what is written comes, in order, whatever fails in between."""

import json
import re
import threading
import time
import uuid

import pytest

from tests.api.conftest import client_of, start_server  # noqa: F401 - a fixture
from tests.api.streams import streaming
from tests.api.tables import keyed
from tests.copied_pages import fresh
from tests.triggers.receivers import OK, Receiver, names_of, write_file

TABLE = "Orders"
BACKLOG_MAX = 100
"""Changes that are written and not delivered yet."""
ON = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
OFF = {"StreamEnabled": False}


@pytest.fixture
def receive():
    """Makes receivers, and closes them."""
    made = []

    def make(*answer):
        made.append(Receiver(*answer))
        return made[-1]

    yield make
    for receiver in made:
        receiver.close()


@pytest.fixture
def serve(start_server, tmp_path):  # noqa: F811 - the fixture
    """A client of a server with a trigger of the table; the file is written first."""

    def start(destination, *, settings=None, **more):
        trigger = {
            "name": "test",
            "table": TABLE,
            "destination": destination,
            "starting_position": "LATEST",
            **more,
        }
        path = write_file(tmp_path / f"{uuid.uuid4()}.toml", trigger)
        return client_of(start_server(triggers=path, **(settings or {})))

    return start


def create(client, **more):
    client.create_table(TableName=TABLE, **keyed(pk="S"), **{**streaming(), **more})


def put(client, pk, **attributes):
    client.put_item(TableName=TABLE, Item={"pk": {"S": pk}, **attributes})


def count_of(record):
    return int(record["dynamodb"]["NewImage"]["n"]["N"])


# The event is what Lambda's handlers read, member by member.
def test_event_is_that_of_lambda(serve, receive):
    receiver = receive()
    client = serve(receiver.url)
    create(client)
    put(client, "a", n={"N": "1"}, b={"B": b"\x00\xff"})
    client.delete_item(TableName=TABLE, Key={"pk": {"S": "a"}})
    first, last = receiver.until(lambda records: len(records) == 2)
    arn = client.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
    assert first["eventSourceARN"] == arn
    assert (first["eventName"], last["eventName"]) == ("INSERT", "REMOVE")
    assert first["eventSource"] == "aws:dynamodb"
    assert first["awsRegion"] == "us-east-1"
    changed = first["dynamodb"]
    assert changed["Keys"] == {"pk": {"S": "a"}}
    assert changed["NewImage"] == {"pk": {"S": "a"}, "n": {"N": "1"}, "b": {"B": "AP8="}}
    assert changed["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert int(changed["SequenceNumber"]) < int(last["dynamodb"]["SequenceNumber"])
    # Lambda has it as 1728730529.0, which some filters and functions see.
    assert isinstance(changed["ApproximateCreationDateTime"], float)
    assert set(changed) == {
        *("ApproximateCreationDateTime", "Keys", "NewImage", "SequenceNumber"),
        *("SizeBytes", "StreamViewType"),
    }
    assert set(first) == {
        *("eventID", "eventName", "eventVersion", "eventSource", "awsRegion", "dynamodb"),
        "eventSourceARN",
    }
    assert receiver.headers[0]["Content-Type"] == "application/json"
    assert receiver.headers[0]["X-Hashrange-Trigger"] == "test"


# A handler tells a user's delete from one of time to live by it.
def test_service_is_named_in_lambdas_letters(serve, receive):
    receiver = receive()
    client = serve(receiver.url)
    create(client)
    client.update_time_to_live(
        TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"}
    )
    put(client, "a", until={"N": str(time.time_ns() // 10**9 - 60)})
    last = receiver.until(lambda records: len(records) == 2)[-1]
    assert last["eventName"] == "REMOVE"
    assert last["userIdentity"] == {"principalId": "dynamodb.amazonaws.com", "type": "Service"}


# Writers, shards that follow each other, several at once: each change of an item once, in order.
@pytest.mark.long
def test_changes_of_an_item_come_in_order_across_shards(serve, receive):
    # The writers keep to the pace of the deliveries, or on a slow machine these take for ever.
    room = threading.Semaphore(BACKLOG_MAX)

    def answer(records):
        room.release(len(records))
        return OK

    receiver = receive(answer)
    client = serve(
        receiver.url, batch_size=7, settings={"stream_shards": 3, "stream_shard_seconds": 1}
    )
    create(client)
    stop = threading.Event()
    counts = {}

    def write(pk):
        count = 0
        while not stop.is_set():
            if room.acquire(timeout=0.1):
                count += 1
                put(client, pk, n={"N": str(count)})
        counts[pk] = count

    writers = [threading.Thread(target=write, args=(f"w{number}",)) for number in range(4)]
    for writer in writers:
        writer.start()
    try:
        # Each shard ends within two seconds: that of each item has had a child by then.
        shards = receiver.until(lambda records: len({_log(record) for record in records}) >= 7)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    total = sum(counts.values())
    records = shards + receiver.until(lambda records: len(shards) + len(records) >= total)
    seen = {pk: [] for pk in counts}
    for record in records:
        seen[names_of([record])[0]].append(count_of(record))
    assert seen == {pk: list(range(1, count + 1)) for pk, count in counts.items()}
    assert max(len(batch) for batch in receiver.batches) <= 7


def _log(record):
    """Of which shard a record is."""
    return record["dynamodb"]["SequenceNumber"][:10]


# Without a stream there is nothing to read; when there is one, all of it.
def test_stream_that_comes_later_is_read_from_its_beginning(serve, receive):
    receiver = receive()
    client = serve(receiver.url)
    create(client, StreamSpecification=OFF)
    put(client, "before")
    client.update_table(TableName=TABLE, StreamSpecification=ON)
    put(client, "first")
    client.update_table(TableName=TABLE, StreamSpecification=OFF)
    put(client, "between")
    client.update_table(TableName=TABLE, StreamSpecification=ON)
    put(client, "second")
    client.delete_table(TableName=TABLE)
    create(client)
    put(client, "third")
    records = receiver.until(lambda records: "third" in names_of(records))
    assert names_of(records) == ["first", "second", "third"]


def test_batch_that_failed_is_sent_again_and_holds_up_the_rest(serve, receive):
    failures = iter([(500, None, {}), (200, None, {"X-Amz-Function-Error": "Unhandled"})])
    receiver = receive(lambda _: next(failures, OK))
    client = serve(receiver.url, batch_size=1)
    create(client)
    put(client, "a")
    put(client, "b")
    records = receiver.until(lambda records: "b" in names_of(records))
    assert names_of(records) == ["a", "a", "a", "b"]


# What Lambda tells of records that were given up, and the records themselves.
def test_poison_record_is_found_and_told(serve, receive, tmp_path):
    def answer(records):
        return (500, {"oops": 1}, {}) if "poison" in names_of(records) else OK

    receiver = receive(answer)
    client = serve(
        receiver.url,
        retries=1,
        bisect_on_error=True,
        batch_window_seconds=1,
        on_failure="failures.jsonl",
    )
    create(client)
    for pk in ("a", "b", "poison", "c", "d"):
        put(client, pk)
    receiver.until(lambda _: any("d" in names_of(batch) for batch in receiver.batches))
    delivered = names_of([record for batch in receiver.batches for record in batch])
    assert delivered == ["a", "b", "c", "d"]
    (line,) = (tmp_path / "failures.jsonl").read_text("utf-8").splitlines()
    told = json.loads(line)
    # The last one is counted once the server has its answer.
    while (found := _metrics(client))["records_total"] < 4:
        client.list_tables()
    assert found["records_given_up_total"] == 1
    assert found["failures_total"] >= 2
    assert 0 <= found["lag_seconds"] < 60
    assert told["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert told["DDBStreamBatchInfo"]["batchSize"] == 1
    assert names_of(json.loads(told["payload"])["Records"]) == ["poison"]


def _metrics(client):
    text = fresh(f"{client.meta.endpoint_url}/metrics")
    found = re.findall(
        r'^hashrange_trigger_(\w+){.*trigger="test".*} ([\d.]+)$', text, re.MULTILINE
    )
    return {name: float(value) for name, value in found}


def test_answer_may_say_which_records_failed(serve, receive):
    left = {"b"}

    def answer(records):
        failed = [record for record in records if names_of([record])[0] in left]
        left.clear()
        names = [{"itemIdentifier": each["dynamodb"]["SequenceNumber"]} for each in failed]
        return 200, {"batchItemFailures": names}, {}

    receiver = receive(answer)
    client = serve(receiver.url, partial_batch_responses=True, batch_window_seconds=1)
    create(client)
    # Written at once: a stall between two of them would end the batch.
    items = [{"TableName": TABLE, "Item": {"pk": {"S": pk}}} for pk in ("a", "b", "c")]
    client.transact_write_items(TransactItems=[{"Put": each} for each in items])
    receiver.until(lambda records: len(records) == 5)
    assert [names_of(batch) for batch in receiver.batches] == [["a", "b", "c"], ["b", "c"]]


def test_filters_choose(serve, receive):
    receiver = receive()
    new = {"dynamodb": {"NewImage": {"kind": {"S": [{"prefix": "in"}]}}}}
    client = serve(receiver.url, filters=[json.dumps(new), '{"eventName": ["REMOVE"]}'])
    create(client)
    put(client, "a", kind={"S": "invoice"})
    put(client, "b", kind={"S": "order"})
    client.delete_item(TableName=TABLE, Key={"pk": {"S": "b"}})
    records = receiver.until(lambda records: len(records) == 2)
    assert [(record["eventName"], *names_of([record])) for record in records] == [
        ("INSERT", "a"),
        ("REMOVE", "b"),
    ]


# Lambda's bound, that of a body which an endpoint must be able to take.
def test_event_has_six_megabytes_at_most(serve, receive):
    receiver = receive()
    client = serve(receiver.url, batch_window_seconds=1)
    create(client)
    text = "x" * 390_000
    for number in range(20):
        put(client, str(number), text={"S": text})
    records = receiver.until(lambda records: len(records) >= 20)
    assert names_of(records) == [str(number) for number in range(20)]
    lengths = [int(headers["Content-Length"]) for headers in receiver.headers]
    assert max(lengths) <= 6 * 1024**2


# A callable is a handler of Lambda as it is.
def test_function_is_called_like_a_handler(serve, receive, tmp_path):
    name = f"handlers_{uuid.uuid4().hex}"
    receiver = receive()
    (tmp_path / f"{name}.py").write_text(
        "import json, urllib.request\n"
        "failed = []\n"
        "def handler(event, context):\n"
        "    if not failed:\n"
        "        failed.append(context.aws_request_id)\n"
        "        raise ValueError('once')\n"
        "    assert context.get_remaining_time_in_millis() > 1000\n"
        "    assert context.function_name == 'test' and context.aws_request_id == failed[0]\n"
        f"    urllib.request.urlopen({receiver.url!r}, json.dumps(event).encode()).close()\n"
    )
    client = serve(f"{name}:handler")
    create(client)
    put(client, "a")
    assert names_of(receiver.next()) == ["a"]
