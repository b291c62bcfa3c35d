"""Attempts at what servers of other regions tell each other: without their key nobody is heard."""

import http.client
import time
from urllib.parse import urlsplit

import pytest

from hashrange.access.signatures.signing import Credentials, signed_headers
from hashrange.model.replication import Replication
from hashrange.regions.peers.calls import packed, unpacked
from hashrange.regions.peers.client import PATH
from hashrange.regions.peers.messages import (
    ASK,
    CHANGES,
    HANDSHAKE,
    Changes,
    Handshake,
    HandshakeReply,
    Received,
)
from hashrange.regions.peers.signing import WINDOW_MS, Call, headers_of, proof
from hashrange.regions.replication.shared_settings import shared_settings
from hashrange.regions.replication.views import Member, View
from hashrange.server.certificates import ensure
from hashrange.settings.settings import Settings
from tests.access.callers import EVERYTHING, Callers
from tests.api.conftest import ServerThread, client_of
from tests.api.tables import keyed
from tests.pace import until
from tests.ports import free_port
from tests.unit.tables.definitions import definition

SECRET, OWN, PEER = "k" * 40, "us-east-1", "eu-west-1"
NAME = "a-table"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The place of a server that verifies signatures, and has a key for peers."""
    key = tmp_path_factory.mktemp("peers") / "key"
    key.write_text(SECRET)
    settings = Settings(
        port=0, memory=True, drain_seconds=1, auth="required", regions=OWN,
        namespaces="separate", peer=f"{PEER}=http://127.0.0.1:1", peer_key_file=key,
    )  # fmt: skip
    thread = ServerThread(settings)
    yield urlsplit(thread.endpoint)
    thread.close()


def handshake(draft=None):
    table = definition(number=1, name=NAME, region=PEER, replication=Replication(regions=(PEER,)))
    view = View("group", {PEER: Member(0, "ACTIVE")}, (PEER,), (0, ""))
    told = Handshake(
        account="000000000000", name=NAME, view=view, settings=shared_settings(table), draft=draft
    )
    return packed(told)


def send(place, headers, body, method="POST"):
    connection = http.client.HTTPConnection(place.hostname, place.port)
    connection.request(method, PATH, body=body, headers=headers)
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    return response.status, answer, response.headers


def signed(place, body, *, verb=HANDSHAKE, sender=PEER, receiver=OWN, secret=SECRET, age_ms=0):
    now_ms = int(time.time() * 1000) - age_ms
    return headers_of(Call(place.netloc, sender, receiver, verb), body, secret, now_ms)


def test_a_peer_is_heard(server):
    body = handshake()
    headers = signed(server, body)
    status, answer, given = send(server, headers, body)
    assert (status, unpacked(answer, HandshakeReply).standing) == (200, "ABSENT")
    assert given["X-Hashrange-Proof"] == proof(headers["Authorization"], answer, SECRET)


@pytest.mark.parametrize(
    "changed",
    [
        {"secret": None},
        {"secret": "w" * 40},
        {"age_ms": WINDOW_MS + 60_000},
        {"age_ms": -WINDOW_MS - 60_000},
        {"sender": OWN},
        {"sender": "ap-south-1"},
        {"receiver": PEER},
        {"receiver": "*"},
    ],
)
@pytest.mark.parametrize("verb", [HANDSHAKE, CHANGES, ASK])
def test_others_are_not_heard(server, verb, changed):
    body = handshake()
    status, answer, given = send(server, signed(server, body, verb=verb, **changed), body)
    assert status == 403
    assert "X-Hashrange-Proof" not in given
    assert SECRET.encode() not in answer


def test_a_call_that_was_altered_is_not_heard(server):
    body = handshake()
    headers = signed(server, body)
    assert send(server, headers, body + b"x")[0] == 403
    assert send(server, {**headers, "X-Hashrange-Verb": CHANGES}, body)[0] == 403
    assert send(server, {**headers, "Authorization": headers["Authorization"][:-1]}, body)[0] == 403


def test_users_of_the_tables_are_no_peers(server):
    keys = Credentials(
        access_key="peer", secret_key="guessed", session_token=None, region=OWN, service="dynamodb"
    )
    body = handshake()
    headers = signed(server, body, secret=None)
    now_ms = int(time.time() * 1000)
    assert send(server, signed_headers(headers, body, keys, now_ms), body)[0] == 403


def test_the_key_of_peers_opens_no_table(server):
    keys = {"aws_access_key_id": "peer", "aws_secret_access_key": SECRET}
    client = client_of(f"http://{server.netloc}", **keys)
    with pytest.raises(client.exceptions.ClientError) as error:
        client.create_table(TableName=NAME, **keyed(pk="S"))
    assert error.value.response["Error"]["Code"] == "UnrecognizedClientException"


def test_garbage_with_the_key_is_refused(server):
    for body in (b"", b"x", packed([1]), handshake(draft=b"{}"), handshake(draft=b"\xff")):
        assert send(server, signed(server, body), body)[0] == 400
    assert send(server, signed(server, b"", verb="other"), b"")[0] == 400
    assert send(server, signed(server, b""), b"", method="GET")[0] == 404


def test_changes_of_a_table_that_is_no_replica_are_not_taken(server):
    body = packed(Changes(account="000000000000", name=NAME, group="group"))
    status, answer, _ = send(server, signed(server, body, verb=CHANGES), body)
    assert (status, unpacked(answer, Received)) == (200, Received(standing="ABSENT"))


def test_servers_that_verify_signatures_replicate_over_tls(tmp_path):
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    ensure(*files, [], int(time.time() * 1000))
    key = tmp_path / "peers"
    key.write_text(SECRET)
    callers = Callers()
    keys = callers.user("administrator", EVERYTHING)
    ports = {OWN: free_port(), PEER: free_port()}
    threads, clients = [], []
    for region, other in ((OWN, PEER), (PEER, OWN)):
        settings = Settings(
            port=ports[region], memory=True, drain_seconds=1, auth="required",
            namespaces="separate", regions=region, tls_cert=files[0], tls_key=files[1],
            peer=f"{other}=https://127.0.0.1:{ports[other]}", peer_key_file=key, peer_ca=files[0],
        )  # fmt: skip
        threads.append(ServerThread(settings, callers))
        options = {"region_name": region, "verify": str(files[0])}
        clients.append(client_of(threads[-1].endpoint, **keys, **options))
    try:
        first, second = clients
        first.create_table(TableName=NAME, **keyed(pk="S"))
        first.put_item(TableName=NAME, Item={"pk": {"S": "1"}})
        updates = [{"Create": {"RegionName": PEER}}]
        first.update_table(TableName=NAME, ReplicaUpdates=updates)

        def states(client):
            replicas = client.describe_table(TableName=NAME)["Table"].get("Replicas", [])
            return [each["ReplicaStatus"] for each in replicas]

        until(lambda: states(first) == ["ACTIVE"])
        second.put_item(TableName=NAME, Item={"pk": {"S": "2"}})
        until(lambda: all(client.scan(TableName=NAME)["Count"] == 2 for client in clients))
    finally:
        for thread in threads:
            thread.close()
