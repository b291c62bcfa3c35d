"""Tables that one server changes while another one uses them: no write goes by what was before."""

import threading
import uuid

import pytest

from hashrange.assembly.verifying import verify
from hashrange.settings.settings import Settings
from tests.api.conftest import client_of
from tests.api.refusals import table_request
from tests.api.streams import changes_of, streaming
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.served import ServerThread

T = "table"
WRITERS = 2
INDEX = {
    "IndexName": "by-n",
    "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
ATTRIBUTES = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "n")]


@pytest.fixture
def endpoints():
    url = url_of(str(uuid.uuid4()))
    servers = [ServerThread(Settings(port=0, engine=url, drain_seconds=1)) for _ in range(2)]
    yield [server.endpoint for server in servers]
    for server in servers:
        server.close()
    assert verify(url) == []


@pytest.fixture
def one(endpoints):
    client = client_of(endpoints[0])
    client.create_table(**table_request(TableName=T))
    return client


@pytest.fixture
def other(endpoints):
    return client_of(endpoints[1])


class Load:
    """Writers that put items through one server until the end; all of them are answered."""

    def __init__(self, client):
        self._client = client
        self._over = threading.Event()
        self.answered = [0] * WRITERS
        self.errors = []
        self._threads = [
            threading.Thread(target=self._run, args=(lane,)) for lane in range(WRITERS)
        ]

    def _run(self, lane):
        while not self._over.is_set():
            number = self.answered[lane] + 1
            item = {"pk": {"S": f"{lane}-{number % 50}"}, "n": {"S": f"{number % 7}"}}
            item["number"] = {"N": str(number)}
            try:
                self._client.put_item(TableName=T, Item=item)
            except Exception as error:  # noqa: BLE001 - seen by who looks at the end
                self.errors.append(error)
                return
            self.answered[lane] = number

    def further(self, count=20):
        """Wait until each has written so many more."""
        enough = [number + count for number in self.answered]
        until(lambda: self.errors or all(map(int.__ge__, self.answered, enough)))

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        self.further()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join()
        assert self.errors == []


def index_status(client):
    indexes = client.describe_table(TableName=T)["Table"].get("GlobalSecondaryIndexes", [])
    return [index["IndexStatus"] for index in indexes]


def scanned(client, **more):
    pages = client.get_paginator("scan").paginate(TableName=T, **more)
    items = [item for page in pages for item in page["Items"]]
    return sorted((item["pk"]["S"], item["number"]["N"]) for item in items)


# An index is added on one server and removed again, while another one writes: every item is in it.
def test_an_index_added_elsewhere_has_every_item(one, other):
    with Load(other) as load:
        one.update_table(
            TableName=T,
            AttributeDefinitions=ATTRIBUTES,
            GlobalSecondaryIndexUpdates=[{"Create": INDEX}],
        )
        load.further()
        until(lambda: index_status(other) == ["ACTIVE"])
        load.further()
    assert scanned(other, IndexName="by-n") == scanned(one) != []
    with Load(other) as load:
        one.update_table(
            TableName=T, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-n"}}]
        )
        load.further()
        until(lambda: index_status(other) == [])
    with pytest.raises(other.exceptions.ClientError, match="does not have the specified index"):
        other.scan(TableName=T, IndexName="by-n")


# Whatever is answered after the stream was enabled elsewhere is in it; after its end nothing is.
def test_a_stream_enabled_elsewhere_misses_nothing(one, other, endpoints):
    streams = client_of(endpoints[1], "dynamodbstreams")
    with Load(other) as load:
        described = one.update_table(TableName=T, **streaming())["TableDescription"]
        arn = described["LatestStreamArn"]
        begun = [number + 2 for number in load.answered]  # one may be under way
        load.further()
        until(lambda: other.describe_table(TableName=T)["Table"]["TableStatus"] == "ACTIVE")
        one.update_table(TableName=T, StreamSpecification={"StreamEnabled": False})
        ended = [number + 1 for number in load.answered]
        load.further()
    numbers = {(0, 0)}
    for record in changes_of(streams, arn):
        image = record["dynamodb"]["NewImage"]
        lane, number = int(image["pk"]["S"][0]), int(image["number"]["N"])
        assert (lane, number) not in numbers
        numbers.add((lane, number))
    for lane in range(WRITERS):
        seen = sorted(number for each, number in numbers if each == lane and number)
        assert seen == list(range(seen[0], seen[-1] + 1))
        assert seen[0] <= begun[lane]
        assert seen[-1] <= ended[lane]


# What the table is like, its time to live and its throughput, is told by every server at once.
def test_what_one_server_sets_the_other_tells(one, other):
    other.put_item(TableName=T, Item={"pk": {"S": "1"}})
    one.update_time_to_live(
        TableName=T, TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"}
    )
    told = other.describe_time_to_live(TableName=T)["TimeToLiveDescription"]
    assert told["AttributeName"] == "until"
    one.update_table(
        TableName=T,
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 3},
    )
    described = other.describe_table(TableName=T)["Table"]
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 7


# A name means another table at once: a write that was planned with the old key must not get in.
def test_a_table_made_anew_with_another_key(one, other):
    other.put_item(TableName=T, Item={"pk": {"S": "1"}})
    one.delete_table(TableName=T)
    one.create_table(
        **table_request(
            TableName=T,
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "N"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        )
    )
    with pytest.raises(other.exceptions.ClientError, match="Missing the key id"):
        other.put_item(TableName=T, Item={"pk": {"S": "2"}})
    other.put_item(TableName=T, Item={"id": {"N": "1"}})
    assert one.scan(TableName=T)["Items"] == [{"id": {"N": "1"}}]


# The secret of tokens is stored in the database.
def test_the_token_of_a_page_is_good_at_the_other_server(one, other):
    for key in "ab":
        one.put_item(TableName=T, Item={"pk": {"S": key}})
    statement = f'SELECT * FROM "{T}"'
    whole = one.execute_statement(Statement=statement)["Items"]
    page = one.execute_statement(Statement=statement, Limit=1)
    rest = other.execute_statement(Statement=statement, NextToken=page["NextToken"])
    assert page["Items"] + rest["Items"] == whole
