"""What is told of records that were given up, by value."""

import json

from hashrange.background.triggers.batches import Condition, GivenUp
from hashrange.background.triggers.events import Entry
from hashrange.background.triggers.failures import FailureContext, append_line, failure_record
from hashrange.tables.log.shards import with_stream
from hashrange.tables.streams.finding import TableStream
from tests.unit.tables.definitions import NOON_MS, definition

TABLE = with_stream(definition(number=7, name="Orders"), "KEYS_ONLY", 1, NOON_MS)
STREAM = TABLE.streams[0]
TOLD = FailureContext(
    stream=TableStream(TABLE, STREAM, {}),
    shard=TABLE.log.shards[0],
    destination="http://127.0.0.1:9000/",
    request_id="8c5e2d2e-0001-4000-8000-000000000000",
    now_ms=NOON_MS + 90_500,
)
ENTRIES = tuple(
    Entry(number, str(number), NOON_MS + number * 1000, b'{"eventID":"%d"}' % number)
    for number in (3, 4, 5)
)


# Programs that read Lambda's failures find each member where they look for it.
def test_it_has_the_members_of_lambda():
    given_up = GivenUp(ENTRIES, Condition.RETRIES, 4, "status 500: oops")
    assert failure_record(given_up, TOLD) == {
        "requestContext": {
            "requestId": TOLD.request_id,
            "functionArn": "http://127.0.0.1:9000/",
            "condition": "RetryAttemptsExhausted",
            "approximateInvokeCount": 4,
        },
        "responseContext": {
            "statusCode": 200,
            "executedVersion": "$LATEST",
            "functionError": "Unhandled",
            "reason": "status 500: oops",
        },
        "version": "1.0",
        "timestamp": "2026-01-01T12:01:30.500Z",
        "DDBStreamBatchInfo": {
            "shardId": f"shardId-{NOON_MS:020}-00000001",
            "startSequenceNumber": "3",
            "endSequenceNumber": "5",
            "approximateArrivalOfFirstRecord": "2026-01-01T12:00:03Z",
            "approximateArrivalOfLastRecord": "2026-01-01T12:00:05Z",
            "batchSize": 3,
            "streamArn": TOLD.stream.arn,
        },
        "payload": '{"Records":[{"eventID":"3"},{"eventID":"4"},{"eventID":"5"}]}',
    }


def test_a_function_that_names_the_records_has_no_error():
    given_up = GivenUp(ENTRIES, Condition.RETRIES, 4, "it names them", is_answered=True)
    told = failure_record(given_up, TOLD)["responseContext"]
    assert told["functionError"] is None


def test_records_that_were_never_sent_have_no_response():
    told = failure_record(GivenUp(ENTRIES[:1], Condition.AGE, 0), TOLD)
    assert told["requestContext"]["condition"] == "RecordAgeExceeded"
    assert "responseContext" not in told


def test_each_has_a_line(tmp_path):
    path = tmp_path / "failed.jsonl"
    for text in ("a\nb", "c"):
        append_line(path, {"payload": text})
    lines = path.read_text("utf-8").splitlines()
    assert [json.loads(line)["payload"] for line in lines] == ["a\nb", "c"]
