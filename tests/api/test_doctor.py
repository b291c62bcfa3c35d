# Whoever is throttled asks why, of whom, and what to do; a diagnosis that misses it costs a night.
"""`hashrange doctor`: each finding is provoked on a server; a healthy table has none."""

import contextlib
import json
import threading
import uuid
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from hashrange.cli.commands import main
from hashrange.settings.kinds import HotKeys, Throttle
from hashrange.testing_pages import ServerClock
from hashrange.tools.rules import RULES
from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of
from tests.api.streams import streaming
from tests.api.tables import keyed
from tests.copied_pages import fresh
from tests.triggers.receivers import Receiver, write_file

KIB = 1024
ONCE = Config(retries={"total_max_attempts": 1})
ENABLE = {"ContributorInsightsAction": "ENABLE"}


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(throttle=Throttle.ON, hot_keys=HotKeys.ON)


@pytest.fixture(scope="module")
def client(endpoint):
    return client_of(endpoint, config=ONCE)


@pytest.fixture
def doctor(capsys):
    """Runs the command; gives the exit code and what it printed as JSON."""

    def running(url, table, *more):
        try:
            for page in ("metrics", "top.json"):
                fresh(f"{url}/{page}")
        except HTTPError as refused:  # an endpoint without pages
            refused.close()
        code, printed, errors = ran(capsys, table, "--endpoint", url, "--json", *more)
        assert errors == ""
        return code, json.loads(printed)

    return running


def ran(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", *arguments])
    printed = capsys.readouterr()
    return ended.value.code or 0, printed.out, printed.err


def table(client, *, units=None, **more):
    """Creates a table, on demand unless it has units a second."""
    name = f"t-{uuid.uuid4()}"
    billing = {"BillingMode": "PAY_PER_REQUEST"}
    if units is not None:
        billing = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": throughput(units)}
    client.create_table(TableName=name, **{**keyed(pk="S"), **billing, **more})
    return name


def throughput(units):
    return {"ReadCapacityUnits": units, "WriteCapacityUnits": units}


def put(client, name, pk="a", *, kib=0, times=1, **more):
    """Writes an item several times; what is throttled is let be."""
    pad = {"pad": {"S": "x" * (kib * KIB - 100)}} if kib else {}
    item = {"pk": {"S": pk}, **pad, **more}
    for _ in range(times):
        with contextlib.suppress(ClientError):
            client.put_item(TableName=name, Item=item)


def rules_of(found):
    return {each["rule"] for each in found["findings"]}


def only(found, rule):
    (each,) = [each for each in found["findings"] if each["rule"] == rule]
    return each


def test_a_healthy_table(doctor, client, endpoint, capsys):
    name = table(client, units=100)
    put(client, name)
    code, found = doctor(endpoint, name)
    assert (code, found) == (0, {"table": name, "seconds": None, "findings": [], "not_known": []})
    code, printed, _errors = ran(capsys, name, "--endpoint", endpoint)
    assert (code, printed) == (0, f"{name}: nothing was found\n")


def test_lack_of_units_with_its_keys(doctor, client, endpoint, capsys):
    name = table(client, units=1)
    client.update_contributor_insights(TableName=name, **ENABLE)
    put(client, name, "star", kib=40)
    put(client, name, "star", times=5)
    code, found = doctor(endpoint, name)
    assert code == 1
    each = only(found, "throttled-by-units")
    text = f"5 writes of table {name} were throttled (WriteProvisionedThroughputThrottleEvents; "
    assert each["text"] == text + 'most of them of the keys ["star"])'
    assert each["page"] == "auto-scaling.md#what-happens"
    printed = ran(capsys, name, "--endpoint", endpoint)[1]
    assert f"warning: {text}" in printed


# Four partitions, each of 1,000 write units a second: one item has those of one. A server samples
# keys once somebody has asked for them.
def test_a_hot_partition_and_its_limit(doctor, client, endpoint):
    name = table(client)
    doctor(endpoint, name)
    put(client, name, "star", times=200)
    put(client, name, "star", kib=390, times=6)
    code, found = doctor(endpoint, name)
    assert code == 1
    assert rules_of(found) >= {"throttled-by-partition", "hot-partition", "large-item"}
    assert "100% of the units of 4 partitions" in only(found, "hot-partition")["text"]
    assert "its hottest key" in only(found, "hot-partition")["text"]


def test_an_index_that_throttles_its_table(doctor, client, endpoint):
    name = table(
        client,
        units=100,
        AttributeDefinitions=attributes(pk="S", a="S"),
        GlobalSecondaryIndexes=[{**index_of("by-a", "a"), "ProvisionedThroughput": throughput(1)}],
    )
    put(client, name, kib=40, a={"S": "x"})
    put(client, name, times=3, a={"S": "y"})
    found = doctor(endpoint, name)[1]
    assert rules_of(found) >= {"index-back-pressure", "slower-index", "unread-index"}
    assert "throttled-by-units" not in rules_of(found)
    each = only(found, "index-back-pressure")
    assert each["subject"] == "by-a"
    assert "WriteProvisionedThroughputThrottleEvents" in each["text"]


def test_an_index_that_is_read_is_not_unread(doctor, client, endpoint):
    name = table(
        client,
        AttributeDefinitions=attributes(pk="S", a="S"),
        GlobalSecondaryIndexes=[index_of("by-a", "a")],
    )
    put(client, name, a={"S": "x"})
    assert rules_of(doctor(endpoint, name)[1]) == {"unread-index"}
    client.scan(TableName=name, IndexName="by-a")
    assert rules_of(doctor(endpoint, name)[1]) == set()


def test_a_maximum(doctor, client, endpoint):
    name = table(client, OnDemandThroughput={"MaxWriteRequestUnits": 1, "MaxReadRequestUnits": 1})
    put(client, name, kib=40)
    put(client, name, times=2)
    assert rules_of(doctor(endpoint, name)[1]) >= {"throttled-by-maximum"}


def test_the_quota_of_a_table(doctor, start_server):
    endpoint = start_server(throttle=Throttle.ON, table_units=5)
    client = client_of(endpoint, config=ONCE)
    name = table(client)
    put(client, name, kib=40)
    put(client, name, times=2)
    assert rules_of(doctor(endpoint, name)[1]) >= {"throttled-by-account"}


def test_scans_and_large_items(doctor, client, endpoint):
    name = table(client)
    for pk in "abc":
        put(client, name, pk, kib=300)
    for _ in range(5):
        client.scan(TableName=name, ConsistentRead=True)
    found = doctor(endpoint, name)[1]
    assert rules_of(found) >= {"scans", "large-item", "large-sample"}
    assert "100% of the read units" in only(found, "scans")["text"]
    assert only(found, "large-sample")["text"].endswith("has 300 KB")


# DynamoDB does not delete items that expired over five years ago.
def test_expired_items(doctor, client, endpoint):
    name = table(client)
    spec = {"Enabled": True, "AttributeName": "until"}
    client.update_time_to_live(TableName=name, TimeToLiveSpecification=spec)
    put(client, name, "old", until={"N": "86400"})
    put(client, name, "new", until={"N": "99999999999"})
    put(client, name, "none", until={"S": "later"})
    each = only(doctor(endpoint, name)[1], "ttl-lag")
    assert each["text"].startswith(f"1 of 3 sampled items of table {name} have expired by until")
    found = doctor(endpoint, name, "--sample", "0")[1]
    assert rules_of(found) == set()
    assert found["not_known"] == ["large and expired items: there is no sample"]


def test_conflicts(doctor, start_server):
    endpoint = start_server(fault="PutItem:*:1:TransactionConflictException")
    client = client_of(endpoint, config=ONCE)
    name = table(client)
    put(client, name, times=3)
    found = doctor(endpoint, name)[1]
    assert only(found, "conflicts")["text"] == (
        "3 of 3 writes on this server ended with TransactionConflictException"
    )
    assert "--throttle on" in found["not_known"][0]


def test_a_stream_that_is_late(doctor, start_server, tmp_path):
    receiver = Receiver(lambda _: (500, None, {}))
    trigger = {"name": "t", "table": "Orders", "destination": receiver.url}
    path = write_file(tmp_path / "triggers.toml", {**trigger, "starting_position": "LATEST"})
    endpoint = start_server(triggers=path, testing=True)
    client = client_of(endpoint)
    client.create_table(TableName="Orders", **keyed(pk="S"), **streaming())
    put(client, "Orders")
    try:
        receiver.next()
        ServerClock(endpoint).advance(minutes=2, settle=False)
        assert "stream-lag" in rules_of(doctor(endpoint, "Orders")[1])
    finally:
        receiver.close()


# What was before the interval does not count.
def test_an_interval(doctor, client, endpoint):
    name = table(client, units=1)
    put(client, name, kib=40)
    put(client, name, times=2)
    assert rules_of(doctor(endpoint, name)[1]) == {
        "throttled-by-units",
        "large-sample",
        "large-item",
    }
    code, found = doctor(endpoint, name, "--interval", "0.1")
    assert code == 1
    assert rules_of(found) == {"large-sample", "large-item"}
    assert found["seconds"] >= 0.1


@pytest.fixture
def api_only(endpoint):
    """The server behind one that passes on requests of the API and has no pages, as its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept = ("Content-Type", "X-Amz-Target", "X-Amz-Date", "Authorization")
            headers = {name: self.headers[name] for name in kept if name in self.headers}
            connection = HTTPConnection(urlsplit(endpoint).netloc)
            connection.request("POST", "/", body, headers)
            answer = connection.getresponse()
            data = answer.read()
            connection.close()
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


# Another server of the API has no figures: what its operations say is judged, and the rest is told.
def test_an_endpoint_without_figures(doctor, client, api_only):
    name = table(client)
    put(client, name, kib=40)
    code, found = doctor(api_only, name)
    assert (code, rules_of(found)) == (1, {"large-item", "large-sample"})
    assert found["not_known"] == [
        "throttles, scans, conflicts, streams: the endpoint has no figures"
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("never-made",), "has no table never-made"),
        (("t", "--sample", "1001"), "not in the range"),
        (("t", "--interval", "nan"), "not a number"),
        (("t", "--endpoint", "there"), "'there'"),
        (("t", "--endpoint", "http://127.0.0.1:9"), "127.0.0.1:9"),
        ((), "the name of the table is missing"),
    ],
)
def test_what_cannot_be_examined(capsys, endpoint, arguments, told):
    place = () if "--endpoint" in arguments else ("--endpoint", endpoint)
    code, printed, errors = ran(capsys, *arguments, *place)
    assert (code, printed, errors.count("\n")) == (2, "", 1)
    assert told in errors


# A table has to be a day old for "idle-units": tests/unit/tools/doctor/test_history.py has it.
def test_each_live_rule_is_provoked():
    text = Path(__file__).read_text("utf-8")
    assert [rule.id for rule in RULES if rule.is_live and f'"{rule.id}"' not in text] == []


def test_the_pages_of_remedies_exist():
    docs = Path(__file__).parents[2] / "docs"
    for rule in RULES:
        name, _, section = rule.page.partition("#")
        if rule.is_live and name != "design.md":
            titles = [
                line.lstrip("#").strip() for line in (docs / name).read_text("utf-8").splitlines()
            ]
            sections = {title.lower().replace(" ", "-") for title in titles}
            assert not section or section in sections, rule.page
