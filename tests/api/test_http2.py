"""HTTP/2 without TLS, as Kinesis's client of JavaScript speaks it: a client of frames."""

import json
import socket
from base64 import b64decode, b64encode
from urllib.parse import urlsplit

import pytest
from h2 import events
from h2.config import H2Configuration
from h2.connection import H2Connection

from hashrange.access.signatures.canonical import canonical_headers
from hashrange.access.signatures.sigv4 import caller
from tests.api.conftest import client_of
from tests.pace import seconds
from tests.served import served

SIGNED = {
    "authorization": "AWS4-HMAC-SHA256 Credential=local/20261101/us-east-1/kinesis/aws4_request,"
    " SignedHeaders=host, Signature=00",
    "x-amz-date": "20261101T000000Z",
    "content-type": "application/x-amz-json-1.1",
}


class Http2:
    """A connection, and what was answered on its streams."""

    def __init__(self, endpoint):
        parts = urlsplit(endpoint)
        self.authority = parts.netloc
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=seconds(30))
        self.frames = H2Connection(
            H2Configuration(header_encoding="utf-8", validate_outbound_headers=False)
        )
        self.frames.initiate_connection()
        self.headers, self.bodies, self.ended = {}, {}, set()
        self.is_open = True
        self.flush()

    def flush(self):
        try:
            self.socket.sendall(self.frames.data_to_send())
        except ConnectionError:  # the server closes without reading all that was sent
            self.is_open = False

    def ask(self, body=None, *, method="POST", path="/", sized=True, **headers):
        """Begin a stream; its number. Without a body the stream stays open."""
        number = self.frames.get_next_available_stream_id()
        pseudo = [(":method", method), (":path", path), (":scheme", "http")]
        sent = {"content-length": str(len(body))} if sized and body is not None else {}
        more = [(name.replace("_", "-"), value) for name, value in headers.items()]
        self.frames.send_headers(
            number,
            [*pseudo, (":authority", self.authority), *SIGNED.items(), *sent.items(), *more],
            end_stream=method == "GET",
        )
        self.flush()
        if body is not None:
            self.send(number, body)
        return number

    def kinesis(self, operation, **members):
        body = json.dumps(members).encode()
        return self.ask(body, x_amz_target=f"Kinesis_20131202.{operation}")

    def send(self, number, body):
        """Send a whole body, as fast as the server takes it."""
        while body:
            room = self.frames.local_flow_control_window(number)
            room = min(room, self.frames.max_outbound_frame_size)
            if room <= 0:
                self.receive()
                continue
            part, body = body[:room], body[room:]
            self.frames.send_data(number, part)
            self.flush()
        self.frames.end_stream(number)
        self.flush()

    def receive(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            self.is_open = False
            return
        for event in self.frames.receive_data(data):
            match event:
                case events.ResponseReceived(stream_id=number, headers=headers):
                    self.headers[number] = dict(headers)
                case events.DataReceived(stream_id=number):
                    self.bodies[number] = self.bodies.get(number, b"") + event.data
                    self.frames.acknowledge_received_data(event.flow_controlled_length, number)
                case events.StreamEnded(stream_id=number) | events.StreamReset(stream_id=number):
                    self.ended.add(number)
                case _:
                    pass
        self.flush()

    def answer(self, number):
        """Status and body of a stream; the status of one that was reset is None."""
        while number not in self.ended and self.is_open:
            self.receive()
        status = self.headers.get(number, {}).get(":status")
        return status, self.bodies.get(number, b"")

    def called(self, operation, **members):
        status, body = self.answer(self.kinesis(operation, **members))
        assert status == "200", body
        return json.loads(body) if body else None


@pytest.fixture(scope="module")
def server():
    with served() as server:
        yield server


@pytest.fixture
def http2(server):
    found = Http2(server.endpoint)
    yield found
    found.socket.close()


# Both ways more than the 64 KB that a peer may send before the other has read.
def test_records_larger_than_the_window(http2):
    http2.called("CreateStream", StreamName="large", ShardCount=1)
    data = b64encode(bytes(range(256)) * 2500).decode()
    for _ in range(3):
        http2.called("PutRecord", StreamName="large", PartitionKey="k", Data=data)
    (shard,) = http2.called("ListShards", StreamName="large")["Shards"]
    iterator = http2.called(
        "GetShardIterator",
        StreamName="large",
        ShardId=shard["ShardId"],
        ShardIteratorType="TRIM_HORIZON",
    )["ShardIterator"]
    records = http2.called("GetRecords", ShardIterator=iterator)["Records"]
    assert [b64decode(each["Data"]) == b64decode(data) for each in records] == [True] * 3


def test_streams_are_answered_as_their_bodies_are_whole(http2):
    first = http2.ask(x_amz_target="Kinesis_20131202.ListStreams")
    others = [http2.kinesis("DescribeLimits") for _ in range(30)]
    assert {http2.answer(each)[0] for each in others} == {"200"}
    http2.send(first, b"{}")
    assert http2.answer(first)[0] == "200"


# As in HTTP/1.1: the same refusals, pages, headers and limits.
def test_answers_are_those_of_http_1(http2):
    number = http2.ask(b"{}", sized=False, x_amz_target="Kinesis_20131202.DescribeLimits")
    assert http2.answer(number)[0] == "200"
    assert len(http2.headers[number]["x-amzn-requestid"]) == 52
    assert "connection" not in http2.headers[number]
    status, body = http2.answer(http2.kinesis("DescribeStream", StreamName="none"))
    assert (status, json.loads(body)["__type"]) == ("400", "ResourceNotFoundException")
    assert http2.answer(http2.ask(method="GET", path="/health")) == ("200", b"ok\n")
    assert http2.answer(http2.ask(method="GET", path="/nothing"))[0] == "404"
    too_large = http2.ask(content_length=str(10**9))
    assert http2.answer(too_large)[0] == "413"


# What HTTP/1.1 cannot say must not become another request.
@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/health\r\nx: y", {}),
        ("/health HTTP/1.1", {}),
        ("/health", {"note": "a\r\n\r\nGET / HTTP/1.1"}),
    ],
)
def test_requests_within_requests(http2, path, headers):
    number = http2.ask(method="GET", path=path, **headers)
    assert http2.answer(number) == (None, b"")


def test_a_stream_that_its_client_gives_up(http2):
    given_up = http2.ask(x_amz_target="Kinesis_20131202.ListStreams")
    http2.frames.reset_stream(given_up)
    http2.flush()
    assert http2.called("DescribeLimits")["ShardLimit"] > 0


def test_frames_that_are_none(server, http2):
    http2.socket.sendall(b"\0\0\4\0\0\0\0\0\1oops")
    while http2.is_open:
        http2.receive()
    assert client_of(server.endpoint, "kinesis").describe_limits()["ShardLimit"] > 0


def test_the_server_stops_while_a_client_is_connected():
    with served(memory=True) as server:
        http2 = Http2(server.endpoint)
        assert http2.called("DescribeLimits")
    while http2.is_open:
        http2.receive()
    http2.socket.close()


# The client signs the name of HTTP/2 for the host.
def test_the_authority_is_signed_as_the_host(http2):
    signed = SIGNED["authorization"].replace("SignedHeaders=host", "SignedHeaders=:authority")
    headers = [*SIGNED.items(), ("authorization", signed)]
    found = caller({name.encode(): value.encode() for name, value in headers}, b"")
    assert found.scope.signed_headers == (":authority",)
    host = http2.authority.encode()
    assert canonical_headers({b"host": host}, [b":authority"]) == b":authority:%b\n" % host
