"""Destinations whose streams are of another server: what arrives there, and what failures show."""

import uuid

import pytest

from hashrange.testing_pages import ServerClock
from tests.api.conftest import client_of
from tests.api.destinations import (
    awaited,
    changes_in,
    described,
    disable,
    enable,
    statuses,
    with_destination,
)
from tests.api.kinesis import arn_of, created
from tests.api.refusals import table_request
from tests.api.remote_streams import THROTTLED, remote_server
from tests.api.test_identities import made_administrator
from tests.pace import until
from tests.served import served
from tests.servers.fleet import metric_at

ELSEWHERE = {"region": "eu-west-1", "account": "123456789012"}
PATTERN = "arn:aws:kinesis:eu-west-1:123456789012:stream/*"
REMOTE = arn_of("remote", **ELSEWHERE)


def put(dynamodb, table, count, keys=1, first=0):
    for number in range(first, first + count):
        item = {"pk": {"S": str(number % keys)}, "n": {"N": str(number)}}
        dynamodb.put_item(TableName=table, Item=item)


def until_shown(dynamodb, table, status):
    """The description of the only destination, once it has a status."""
    until(lambda: described(dynamodb, table)[0]["DestinationStatus"] == status)
    return described(dynamodb, table)[0].get("DestinationStatusDescription")


@pytest.fixture(scope="module")
def remote():
    with remote_server() as server:
        yield server


@pytest.fixture(scope="module")
def source(start_server, remote):
    """A server whose streams elsewhere are those of `remote`."""
    return start_server(kinesis_endpoint=f"{PATTERN}={remote.url}")


@pytest.fixture
def dynamodb(source):
    return client_of(source)


@pytest.fixture
def table(dynamodb):
    name = f"table-{uuid.uuid4()}"
    dynamodb.create_table(**table_request(TableName=name))
    return name


@pytest.fixture(autouse=True)
def well(remote):
    """Nothing is left of the test before."""
    remote.fault, remote.refuse = None, lambda _at: None
    remote.taken.clear()
    remote.sent.clear()


# The stream is of another region and account, as in AWS; streams that no pattern names are local.
def test_changes_arrive_at_another_server(start_server):
    target = start_server()
    there = client_of(target, "kinesis")
    there.create_stream(StreamName="remote", ShardCount=3)
    endpoint = start_server(stream_shards=2, kinesis_endpoint=f"{PATTERN}={target}")
    dynamodb, here = client_of(endpoint), client_of(endpoint, "kinesis")
    dynamodb.create_table(**table_request(TableName="orders"))
    answer = enable(dynamodb, "orders", REMOTE, "MICROSECOND")
    assert answer["DestinationStatus"] == "ENABLING"
    assert until_shown(dynamodb, "orders", "ACTIVE") is None
    put(dynamodb, "orders", 120, keys=7)
    found = awaited(there, "remote", 120)
    assert {each["tableName"] for each in found} == {"orders"}
    precisions = {each["dynamodb"]["ApproximateCreationDateTimePrecision"] for each in found}
    assert precisions == {"MICROSECOND"}
    for key in range(7):
        images = [each["dynamodb"]["NewImage"] for each in found]
        numbers = [int(each["n"]["N"]) for each in images if each["pk"]["S"] == str(key)]
        assert numbers == [*range(key, 120, 7)]
    assert metric_at(endpoint, "destination_units_total") == 120
    disable(dynamodb, "orders", REMOTE)
    put(dynamodb, "orders", 1, first=120)
    local = with_destination(dynamodb, here, "orders")
    put(dynamodb, "orders", 1, first=121)
    awaited(here, local, 1)
    assert len(changes_in(there, "remote")) == 120


# Keys are read from the file for each request, as programs that renew them expect.
def test_requests_are_signed(tmp_path, start_server):
    place = tmp_path / "data"
    keys = made_administrator(str(place))
    file = tmp_path / "credentials"
    lines = "[hashrange]\naws_access_key_id = {}\naws_secret_access_key = {}\n"
    with served(memory=False, data=place, auth="required") as target:
        there = client_of(target.endpoint, "kinesis", **keys)
        name = created(there)
        stream = there.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
        arn = stream["StreamARN"]
        where = f"{arn}={target.endpoint}?credentials={file}&profile=hashrange"
        dynamodb = client_of(start_server(kinesis_endpoint=where))
        dynamodb.create_table(**table_request(TableName="signed"))
        for text, expected in (
            (None, "no credentials of the profile hashrange in"),
            (lines.format("nobody", "secret"), "UnrecognizedClientException"),
            (lines.format(keys["aws_access_key_id"], "wrong"), "InvalidSignatureException"),
        ):
            if text is not None:
                file.write_text(text)
            enable(dynamodb, "signed", arn)
            assert expected in until_shown(dynamodb, "signed", "ENABLE_FAILED")
        file.write_text(lines.format(*keys.values()))
        enable(dynamodb, "signed", arn)
        until_shown(dynamodb, "signed", "ACTIVE")
        put(dynamodb, "signed", 3)
        assert len(awaited(there, name, 3)) == 3


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (
            (400, {"__type": "com.amazonaws#ResourceNotFoundException", "message": "no stream"}),
            "The endpoint of the stream answers: ResourceNotFoundException: no stream",
        ),
        (
            (400, {"__type": "AccessDeniedException", "Message": "not you"}),
            "The endpoint of the stream answers: AccessDeniedException: not you",
        ),
        ((404, b"<html>"), "The endpoint of the stream answers: 404: <html>"),
    ],
)
def test_a_stream_that_is_refused(dynamodb, remote, table, fault, text):
    remote.fault = fault
    enable(dynamodb, table, REMOTE)
    assert until_shown(dynamodb, table, "ENABLE_FAILED") == text
    remote.fault = None
    enable(dynamodb, table, REMOTE)
    assert until_shown(dynamodb, table, "ACTIVE") is None


# A server that takes a part of the records gets the others again, and no change before an earlier
# one of its item. What it took is not sent twice.
def test_records_that_are_not_taken_at_once(dynamodb, remote, source, table):
    enable(dynamodb, table, REMOTE)
    until_shown(dynamodb, table, "ACTIVE")
    before = metric_at(source, "destination_throttled_records_total")
    remote.refuse = lambda at: THROTTLED if at % 4 == 0 else None
    put(dynamodb, table, 60, keys=5)
    until(lambda: len(remote.taken) >= 60)
    assert remote.numbers() == {str(key): [*range(key, 60, 5)] for key in range(5)}
    refused = sum(remote.sent.values()) - 60
    assert refused > 0
    until(lambda: metric_at(source, "destination_throttled_records_total") - before == refused)


# The first failures are not shown; then the reason is, until changes are taken again.
def test_failures_are_shown(dynamodb, remote, source, table):
    enable(dynamodb, table, REMOTE)
    until_shown(dynamodb, table, "ACTIVE")
    remote.fault = (500, {"__type": "InternalFailure", "message": "broken"})
    put(dynamodb, table, 3)
    until(lambda: "DestinationStatusDescription" in described(dynamodb, table)[0])
    shown = described(dynamodb, table)[0]
    assert shown["DestinationStatus"] == "ACTIVE"
    expected = "The endpoint of the stream answers: InternalFailure: broken"
    assert shown["DestinationStatusDescription"] == expected
    assert metric_at(source, "destination_errors_total") >= 3
    assert metric_at(source, "destination_lag_seconds") > 0
    for body in (b"[]", b'{"Records": []}', b"not JSON"):
        remote.fault = (200, body)
        text = "The endpoint of the stream answers: an answer to PutRecords"
        until(
            lambda: described(dynamodb, table)[0]["DestinationStatusDescription"].startswith(text)  # noqa: B023
        )
    remote.fault = None
    until(lambda: "DestinationStatusDescription" not in described(dynamodb, table)[0])
    assert remote.numbers() == {"0": [0, 1, 2]}


# A server that does not answer holds up nothing else, and is given up when it was never there.
def test_a_server_that_does_not_answer(start_server, remote):
    nowhere = "arn:aws:kinesis:*:*:stream/nowhere-*=http://127.0.0.1:1"
    endpoint = start_server(testing=True, kinesis_endpoint=f"{nowhere};{PATTERN}={remote.url}")
    dynamodb, clock = client_of(endpoint), ServerClock(endpoint)
    for name in ("lost", "well", "late"):
        dynamodb.create_table(**table_request(TableName=name))
    enable(dynamodb, "lost", arn_of("nowhere-1"))
    enable(dynamodb, "well", REMOTE)
    until_shown(dynamodb, "well", "ACTIVE")
    put(dynamodb, "well", 3)
    until(lambda: len(remote.taken) == 3)
    assert statuses(dynamodb, "lost") == [(arn_of("nowhere-1"), "ENABLING")]
    clock.advance(minutes=2)
    text = until_shown(dynamodb, "lost", "ENABLE_FAILED")
    assert text.startswith("The endpoint of the stream cannot be reached: ")


# A disabled destination gets the changes before; those that a server refuses for minutes are left.
def test_a_disabled_destination_ends(start_server, remote):
    endpoint = start_server(testing=True, kinesis_endpoint=f"{PATTERN}={remote.url}")
    dynamodb, clock = client_of(endpoint), ServerClock(endpoint)
    dynamodb.create_table(**table_request(TableName="ending"))
    enable(dynamodb, "ending", REMOTE)
    until_shown(dynamodb, "ending", "ACTIVE")
    remote.fault = (503, b"")
    put(dynamodb, "ending", 2)
    dynamodb.disable_kinesis_streaming_destination(TableName="ending", StreamArn=REMOTE)
    remote.fault = None
    until_shown(dynamodb, "ending", "DISABLED")
    assert remote.numbers() == {"0": [0, 1]}
    enable(dynamodb, "ending", REMOTE)
    until_shown(dynamodb, "ending", "ACTIVE")
    remote.fault = (503, b"")
    put(dynamodb, "ending", 3, first=2)
    until(lambda: metric_at(endpoint, "destination_errors_total") > 0)
    dynamodb.disable_kinesis_streaming_destination(TableName="ending", StreamArn=REMOTE)
    assert statuses(dynamodb, "ending") == [(REMOTE, "DISABLING")]
    clock.advance(minutes=6)
    assert until_shown(dynamodb, "ending", "DISABLED") is None
    remote.fault = None


# The setting may be taken away: changes wait, and the description says what is missing.
def test_an_endpoint_that_is_configured_no_more(tmp_path, remote):
    place = {"memory": False, "data": tmp_path / "data"}
    with served(**place, kinesis_endpoint=f"{PATTERN}={remote.url}") as server:
        dynamodb = client_of(server.endpoint)
        dynamodb.create_table(**table_request(TableName="kept"))
        enable(dynamodb, "kept", REMOTE)
        until_shown(dynamodb, "kept", "ACTIVE")
        put(dynamodb, "kept", 1)
        until(lambda: len(remote.taken) == 1)
    with served(**place) as server:
        dynamodb = client_of(server.endpoint)
        put(dynamodb, "kept", 3, first=1)
        until(lambda: "DestinationStatusDescription" in described(dynamodb, "kept")[0])
        shown = described(dynamodb, "kept")[0]
        text = "No endpoint of the stream is configured"
        assert (shown["DestinationStatus"], shown["DestinationStatusDescription"]) == (
            "ACTIVE",
            text,
        )
    with served(**place, kinesis_endpoint=f"{PATTERN}={remote.url}") as server:
        until(lambda: len(remote.taken) == 4)
        dynamodb = client_of(server.endpoint)
        until(lambda: "DestinationStatusDescription" not in described(dynamodb, "kept")[0])
    assert remote.numbers() == {"0": [0, 1, 2, 3]}
