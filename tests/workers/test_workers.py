"""A server with workers as its clients and its operator see it, up to kill -9."""

import concurrent.futures
import contextlib
import http.client
import os
import signal
import socket
import urllib.request
from pathlib import Path

import pytest

from tests.copied_pages import fresh
from tests.crash.server import Client, verify
from tests.pace import seconds, until
from tests.unit.processes import run
from tests.workers.planted import Faults, PlantedServer
from tests.workers.processes import WORKERS, WorkedServer, get, make_table, put, put_again

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are for POSIX systems")


@contextlib.contextmanager
def worked(directory):
    """A server with a table, whose data are sound afterwards."""
    server = WorkedServer(directory)
    with contextlib.closing(Client(server.url)) as client:
        make_table(client)
    yield server
    assert server.terminate() == 0, "SIGTERM must end in exit code 0"
    assert verify(directory) == ""


@contextlib.contextmanager
def connected(server):
    """Two connections, which are handed to the two readers in turn."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(contextlib.closing(Client(server.url))) for _ in range(2)]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server for tests that harm nothing, and its directory."""
    directory = tmp_path_factory.mktemp("worked") / "data"
    with worked(directory) as server:
        yield server, directory


@pytest.fixture(scope="module")
def shared_clients(shared):
    """Two connections to it."""
    with connected(shared[0]) as clients:
        yield clients


@pytest.fixture
def server(tmp_path):
    """A server for one test."""
    with worked(tmp_path / "data") as server:
        yield server


@pytest.fixture
def clients(server):
    """Two connections to it."""
    with connected(server) as clients:
        yield clients


# Each reader keeps a snapshot open, and must begin it anew for what another one's client wrote.
def test_a_read_sees_what_was_acknowledged_to_another_workers_client(shared_clients):
    for number in range(150):
        one, other = shared_clients if number % 2 else shared_clients[::-1]
        value = {"pk": {"S": "k"}, "number": {"S": str(number)}}
        put(one, "k", number=str(number))
        assert get(other, "k") == {"pk": "k", "number": str(number)}
        queried = other.call(
            "Query",
            TableName="Worked",
            KeyConditionExpression="pk = :k",
            ExpressionAttributeValues={":k": {"S": "k"}},
        )
        assert queried["Items"] == [value]
        assert value in other.call("Scan", TableName="Worked")["Items"]


def count_up(client):
    answer = client.call(
        "UpdateItem",
        TableName="Worked",
        Key={"pk": {"S": "counter"}},
        UpdateExpression="ADD n :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
        ReturnValues="UPDATED_NEW",
    )
    return int(answer["Attributes"]["n"]["N"])


# Both decide on the same item at the same time, and none may overwrite the other.
def test_no_increment_is_lost_between_workers(shared_clients):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts = pool.map(lambda client: [count_up(client) for _ in range(100)], shared_clients)
    assert sorted(each for count in counts for each in count) == list(range(1, 201))


# All workers authenticate tokens with the secret of the data, which the writer has created.
def test_the_token_of_a_page_is_good_at_another_worker(shared_clients):
    for key in ("k", "l"):
        put(shared_clients[0], key)
    whole = shared_clients[0].call("ExecuteStatement", Statement='SELECT pk FROM "Worked"')["Items"]
    for one, other in (shared_clients, shared_clients[::-1]):
        page = one.call("ExecuteStatement", Statement='SELECT pk FROM "Worked"', Limit=1)
        rest = other.call(
            "ExecuteStatement", Statement='SELECT pk FROM "Worked"', NextToken=page["NextToken"]
        )
        assert page["Items"] + rest["Items"] == whole


# Work in the background is done by the process that no client speaks to.
def test_the_background_hears_of_tables_that_a_worker_has_changed(shared_clients):
    one, other = shared_clients
    put(one, "k", colour="red")
    one.call(
        "UpdateTable",
        TableName="Worked",
        AttributeDefinitions=[{"AttributeName": "colour", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[
            {
                "Create": {
                    "IndexName": "colours",
                    "KeySchema": [{"AttributeName": "colour", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            }
        ],
    )

    def is_built():
        table = other.call("DescribeTable", TableName="Worked")["Table"]
        return table["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"

    until(is_built)
    found = other.call(
        "Query",
        TableName="Worked",
        IndexName="colours",
        KeyConditionExpression="colour = :c",
        ExpressionAttributeValues={":c": {"S": "red"}},
    )
    assert found["Count"] == 1


def metric(server, name):
    lines = fresh(f"{server.url}/metrics").splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


PUTS = 'hashrange_requests_total{code="OK",operation="PutItem"}'


# Whichever reader is asked: the next connection is the other one's.
def test_metrics_are_those_of_all_processes_and_never_go_backwards(server, clients):
    for client in clients * 3:
        put(client, "k")
    # A process that does not report in time counts with its last report, which has to be one.
    until(lambda: metric(server, PUTS) == 6)
    until(lambda: metric(server, "hashrange_engine_writes_total") >= 6)
    for _ in range(2):
        assert metric(server, PUTS) == 6
        assert metric(server, "hashrange_engine_writes_total") >= 6
        until(lambda: metric(server, "hashrange_connections ") == 3)  # the one that asks, too
    server.kill_one("reader")
    until(server.is_whole)
    assert metric(server, PUTS) == 6
    assert metric(server, "hashrange_worker_restarts_total") == 1


# The other reader's connections stay, and whoever connects anew is served.
def test_a_killed_reader_loses_only_its_own_connections(server, clients):
    for number, client in enumerate(clients):
        put(client, str(number))
    server.kill_one("reader")
    lost = 0
    for number, client in enumerate(clients):
        try:
            assert get(client, str(number)) == {"pk": str(number)}
        except (OSError, http.client.HTTPException):
            lost += 1
    assert lost == 1
    for number in range(4):
        with contextlib.closing(Client(server.url)) as client:
            assert get(client, str(number % 2)) == {"pk": str(number % 2)}
    until(server.is_whole)


# Reads never notice; writes wait for the next writer, or are to be sent again.
# Its clients would wait, and its snapshot would keep the write-ahead log from starting anew.
def test_a_stopped_reader_is_replaced(tmp_path):
    server = PlantedServer(tmp_path / "data", Faults(heartbeat_seconds=0.2))
    with contextlib.closing(Client(server.url)) as client:
        make_table(client)
        put(client, "before")
    stopped = server.pids("reader")[0]
    os.kill(stopped, signal.SIGSTOP)
    until(lambda: stopped not in server.pids("reader") and server.is_whole())
    with connected(server) as clients:
        assert [get(client, "before") for client in clients] == [{"pk": "before"}] * 2
    assert server.terminate() == 0
    assert verify(tmp_path / "data") == ""


def test_a_killed_writer_is_replaced_and_reads_go_on_meanwhile(server, clients):
    one, other = clients
    put(one, "before")
    for number in range(2):
        server.kill_one("writer")
        assert get(other, "before") == {"pk": "before"}
        put_again(one, str(number))
        assert get(other, str(number)) == {"pk": str(number)}


# Nobody answers from data that another server may take: the directory is free when all are gone.
# As while its disk hangs: it waits for that within its loop. Readers answer, and cannot write.
def test_a_writer_that_does_not_answer_is_not_ready(server, clients):
    put(clients[0], "k", number="1")
    [writer] = server.pids("writer")
    os.kill(writer, signal.SIGSTOP)
    try:
        seen = [server.readiness() for _ in range(WORKERS)]
        silence = "the process that writes has not answered for 2 s; writes wait, reads go on"
        assert seen == [(503, f"not ready: {silence}\n")] * WORKERS
        assert [get(client, "k") for client in clients] == [{"pk": "k", "number": "1"}] * 2
    finally:
        os.kill(writer, signal.SIGCONT)
    for _ in range(WORKERS):  # it may need more than two seconds to answer again
        until(lambda: server.readiness()[0] == 200)
    put(clients[1], "k", number="2")


def test_processes_end_with_their_supervisor(server, tmp_path):
    client = Client(server.url)
    put(client, "k")
    left = [*server.pids("reader"), *server.pids("writer")]
    assert len(left) == 3
    server.kill()
    assert verify(tmp_path / "data") == ""
    with pytest.raises((OSError, http.client.HTTPException)):
        get(client, "k")
    client.close()
    # The fixture ends the next one.
    server.__init__(tmp_path / "data")
    client = Client(server.url)
    assert get(client, "k") == {"pk": "k"}
    client.close()


# As Ctrl-C and service managers do it: to all at once, and in no order.
def test_a_signal_to_all_processes_ends_them_in_order(tmp_path):
    server = WorkedServer(tmp_path / "data")
    client = Client(server.url)
    make_table(client)
    put(client, "k")
    for pid in (*server.pids("writer"), *server.pids("reader")):
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGINT)
    put(client, "k")
    assert server.terminate() == 0
    client.close()
    assert verify(tmp_path / "data") == ""


# What has begun is answered: here a request whose second half comes after the signal.
def test_a_request_that_has_begun_is_answered_when_the_server_stops(tmp_path):
    # It ends at the answer; the second half may come late.
    server = WorkedServer(tmp_path / "data", "--drain-seconds", str(round(seconds(30))))
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=seconds(60)) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n")
        # Both readers have answered others: then these bytes have come to one of them as well.
        for _ in range(WORKERS):
            urllib.request.urlopen(f"{server.url}/health", timeout=seconds(60)).close()
        os.kill(server.pid, signal.SIGTERM)
        until(lambda: not listens(host, int(port)))
        connection.sendall(b"\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    assert server.ended() == 0


def listens(host, port):
    try:
        socket.create_connection((host, port), timeout=seconds(60)).close()
    except ConnectionError:
        return False
    return True


def test_what_cannot_be_is_refused_in_one_line(shared, tmp_path):
    server, data = shared
    port = server.url.rpartition(":")[2]
    options = ("serve", "--workers", "2")
    for more, refusal in (
        (("--port", port, "--data", tmp_path / "other"), f"127.0.0.1 port {port} is in use"),
        (("--port", "0", "--data", data), "is in use by process"),
        (("--port", "0", "--data", tmp_path / "no" / "where"), "No such file or directory"),
    ):
        refused = run(*options, *map(str, more))
        assert refused.returncode == 1, refused
        assert refusal in refused.stderr
        assert refused.stderr.count("\n") == 1
    assert not Path(tmp_path / "other").exists()


# A refusal that only the writer finds out.
def test_what_the_writer_refuses_is_told_in_one_line(tmp_path):
    (tmp_path / "hashrange.db").write_bytes(b"of something else" * 100)
    refused = run("serve", "--workers", "1", "--port", "0", "--data", str(tmp_path))
    assert refused.returncode == 1
    assert "not a database" in refused.stderr
    assert refused.stderr.count("\n") == 1
