"""The access log: what a line has, and which lines there are when files are moved or disks fail."""

import asyncio
import json
import os
from datetime import UTC, datetime

import pytest

from hashrange.clock import MovableClock
from hashrange.server.access_log import WAITING_BYTES_MAX, AccessLog, line_of
from hashrange.wire.exchange import Peer, Request, Response

AT = datetime(2026, 11, 28, 12, 0, 0, 7_000, UTC)
SCOPE = b"AKIDEXAMPLE/20261128/us-east-1/dynamodb/aws4_request"


def fields_of(request, response, received=0):
    line = line_of(request, response, at=AT, duration_ns=1_234_567, bytes_received=received)
    return json.loads(json.dumps({each: getattr(line, each) for each in line.__struct_fields__}))


def request_of(body=b"", method=b"POST", path=b"/", query=b"", **headers):
    named = {name.replace("_", "-").encode(): value for name, value in headers.items()}
    return Request(method, path, query, named, body, peer=Peer("10.0.0.7", False))


def test_a_line_of_dynamodb():
    request = request_of(
        b'{"TableName": "Orders", "Key": {"pk": {"S": "private"}}}',
        x_amz_target=b"DynamoDB_20120810.GetItem",
        authorization=b"AWS4-HMAC-SHA256 Credential=" + SCOPE + b", Signature=5e0c",
        user_agent=b"Boto3/1.40",
    )
    found = fields_of(request, Response(200, b"{}", request_id=b"7C"), received=56)
    assert found == {
        "ts": "2026-11-28T12:00:00.007Z",
        "request_id": "7C",
        "address": "10.0.0.7",
        "method": "POST",
        "path": "/",
        "operation": "GetItem",
        "tables": "Orders",
        "access_key": "AKIDEXAMPLE",
        "status": 200,
        "error": "",
        "duration_ms": 1.235,
        "bytes_received": 56,
        "bytes_sent": 2,
        "user_agent": "Boto3/1.40",
    }


@pytest.mark.parametrize(
    ("request_", "response", "expected"),
    [
        (
            request_of(x_amz_target=b"DynamoDB_20120810.PutItem"),
            Response(400, b'{"__type": "com.amazonaws.dynamodb.v20120810#Throttling"}'),
            {"operation": "PutItem", "error": "Throttling"},
        ),
        (
            request_of(b"Action=CreateUser&UserName=eve&Version=2010-05-08"),
            Response(403, b"<x/>", fault="AccessDenied"),
            {"operation": "CreateUser", "error": "AccessDenied", "tables": ""},
        ),
        (
            request_of(method=b"GET", path=b"/metrics"),
            Response(200, b"text"),
            {"operation": "", "path": "/metrics", "error": ""},
        ),
        (
            request_of(path=b"/service/GraniteServiceVersion20100801/operation/ListMetrics"),
            Response(400, b"", fault="InvalidParameterValue"),
            {"operation": "ListMetrics", "error": "InvalidParameterValue"},
        ),
        (
            request_of(query=b"X-Amz-Credential=" + SCOPE.replace(b"/", b"%2F") + b"&X-Amz-Si=1"),
            Response(200, b"{}"),
            {"access_key": "AKIDEXAMPLE", "path": "/"},
        ),
        (
            request_of(x_amz_target=b'DynamoDB_20120810."\n{', authorization=b"Credential=\n/"),
            Response(400, b"{"),
            {"operation": "", "access_key": "", "error": "400"},
        ),
    ],
    ids=["refusal", "form", "page", "cbor", "presigned", "hostile"],
)
def test_lines(request_, response, expected):
    found = fields_of(request_, response)
    assert {name: found[name] for name in expected} == expected


class Log:
    """An access log, and requests that it has seen."""

    def __init__(self, path, **options):
        self.log = AccessLog(path, MovableClock(), lambda response: response, **options)
        self.handler = self.log.around(self.answer)

    async def answer(self, request):
        return Response(200, request.body)

    async def seen(self, *bodies):
        for body in bodies:
            await self.handler(request_of(body, path=b"/" + body))
        await self.log.flush()


def paths_in(file):
    return [json.loads(line)["path"] for line in file.read_text().splitlines()]


# What logrotate does, with and without copytruncate; nobody signals the server.
def test_a_file_that_is_moved_or_truncated_is_followed_by_another(tmp_path):
    async def go():
        path = tmp_path / "access.log"
        seen = Log(path)
        await seen.seen(b"one")
        path.rename(tmp_path / "access.log.1")
        await seen.seen(b"two", b"three")
        assert paths_in(path) == ["/two", "/three"]
        os.truncate(path, 0)
        await seen.seen(b"four")
        await seen.log.close()
        assert paths_in(path) == ["/four"]
        assert paths_in(tmp_path / "access.log.1") == ["/one"]

    asyncio.run(go())


def test_a_directory_that_is_back_gets_lines_again(tmp_path):
    async def go():
        path = tmp_path / "logs" / "access.log"
        path.parent.mkdir()
        seen = Log(path)
        path.parent.rename(tmp_path / "moved")
        await seen.seen(b"one")
        await seen.seen(b"two", b"three")
        path.parent.mkdir()
        await seen.seen(b"four")
        await seen.log.close()
        assert seen.log.dropped_total == 3
        assert paths_in(path) == ["/four"]

    asyncio.run(go())


def test_lines_that_the_disk_does_not_take_are_counted(tmp_path):
    def full(_descriptor, _data):
        raise OSError(28, "No space left on device")

    async def go():
        seen = Log(tmp_path / "access.log", write=full)
        await seen.seen(b"one", b"two")
        return seen.log.figures()

    assert asyncio.run(go()) == {"access_log_lines_dropped_total": 2}


# Whatever the disk does, memory is bounded.
def test_lines_that_wait_are_bounded(tmp_path):
    async def go():
        seen = Log(tmp_path / "access.log")
        path = b"/" + b"x" * 256
        request, size = request_of(path=path, user_agent=b"y" * 256), 0
        while not seen.log.dropped_total:
            await seen.handler(request)
        await seen.log.close()
        size = (tmp_path / "access.log").stat().st_size
        assert WAITING_BYTES_MAX - 2_000 < size <= WAITING_BYTES_MAX

    asyncio.run(go())
