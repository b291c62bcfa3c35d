"""How a server ends: at once for whoever only listens, after the answer for whoever asked."""

import json
import re
import signal
import socket
import subprocess
import sys

import pytest

from tests.pace import seconds
from tests.unit.processes import ENVIRONMENT, HASHRANGE, serving

FOREVER = ["--memory", "--drain-seconds", "86400"]
"""Whoever waits for this fails the test."""
BODY = b"{}"
REQUEST = (
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n"
    b"X-Amz-Target: DynamoDB_20120810.ListTables\r\nX-Amz-Date: 20260101T000000Z\r\n"
    b"Authorization: AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
    b"SignedHeaders=host, Signature=" + b"0" * 64 + b"\r\nContent-Length: 2\r\n\r\n"
)


def address_of(printed):
    return "127.0.0.1", int(re.search(r"listens on http://127\.0\.0\.1:(\d+)", printed)[1])


def ended(process):
    """Whether it ended by itself, and well."""
    return process.wait(timeout=seconds(60)) == 0


def until_refused(address):
    """Until the server accepts nobody any more: then it knows that it stops."""
    for _ in range(100_000):
        try:
            socket.create_connection(address, timeout=seconds(10)).close()
        except ConnectionError:
            return
    pytest.fail("the server goes on accepting")


# Some SDKs keep their connections open for long after the last request.
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_idle_connections_hold_nothing_up(number):
    with (
        serving(*FOREVER) as (process, printed),
        socket.create_connection(address_of(printed), timeout=seconds(60)) as idle,
    ):
        idle.sendall(REQUEST + BODY)
        assert idle.recv(65536).startswith(b"HTTP/1.1 200")
        process.send_signal(number)
        assert ended(process)
        assert idle.recv(1) == b""


def test_request_that_has_begun_is_answered():
    with serving(*FOREVER) as (process, printed):
        address = address_of(printed)
        with socket.create_connection(address, timeout=seconds(60)) as client:
            client.sendall(REQUEST + BODY[:1])
            # A request is only known to have begun when a later one has been answered.
            with socket.create_connection(address, timeout=seconds(60)) as other:
                other.sendall(REQUEST + BODY)
                assert other.recv(65536)
            process.send_signal(signal.SIGTERM)
            until_refused(address)
            assert process.poll() is None, "the request was given up"
            client.sendall(BODY[1:])
            answer = b""
            while part := client.recv(65536):
                answer += part
        assert ended(process)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert b"connection: close" in head.lower()
    assert json.loads(body) == {"TableNames": []}


# A request that never ends must not keep the server for longer than it was told.
def test_request_that_never_ends_is_cut_off():
    with (
        serving("--memory", "--drain-seconds", "0") as (process, printed),
        socket.create_connection(address_of(printed), timeout=seconds(60)) as client,
    ):
        client.sendall(REQUEST)
        process.send_signal(signal.SIGTERM)
        assert ended(process)


# The default must be shorter than what supervisors grant, 10 seconds at least, and what people do.
def test_default_drain_is_short():
    answer = subprocess.run(
        [
            sys.executable,
            "-c",
            "from hashrange.settings.sources import load; print(load({}).drain_seconds)",
        ],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
        timeout=seconds(60),
    )
    assert int(answer.stdout) + 1 <= 5


# Whoever starts a server and is killed cannot stop it; but their end of the pipe is closed.
def test_end_of_input_stops_the_server():
    command = [*HASHRANGE, "serve", "--port", "0", "--memory", "--stop-with-input"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=ENVIRONMENT, **pipes) as process:
        assert process.stdout.readline().startswith(b"hashrange")
        process.stdin.write(b"what is typed is no matter\n")
        process.stdin.flush()
        assert process.poll() is None
        process.stdin.close()
        assert ended(process)


def test_without_being_asked_for_the_end_of_input_is_no_matter():
    command = [*HASHRANGE, "serve", "--port", "0", "--memory"]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=ENVIRONMENT, **pipes) as process:
        address = address_of(process.stdout.readline())
        with socket.create_connection(address, timeout=seconds(60)) as client:
            client.sendall(REQUEST + BODY)
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
        process.send_signal(signal.SIGTERM)
        assert ended(process)
