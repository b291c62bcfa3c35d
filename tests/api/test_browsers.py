"""Web pages in a browser on this machine: foreign ones neither read nor change anything."""

# Without signatures the server believes everybody who reaches it, and pages reach it through the
# browser: with an Origin, or under a name of their own that resolves to 127.0.0.1.

import http.client
import json
from datetime import timedelta
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.api.conftest import CONFIG, REGION
from tests.crash.server import AUTHORIZATION
from tests.pace import seconds
from tests.served import served

EVIL = {"Origin": "https://evil.example"}
ALLOW = "Access-Control-Allow-Origin"
PAGES = ["/", "/ping", "/health", "/livez", "/readyz", "/metrics", "/top.json", "/localnodes"]
PAGES += ["/_localstack/health", "/_localstack/init", "/_localstack/info"]


def exchange(endpoint, method="POST", path="/", *, body=b"", headers=()):
    parts = urlsplit(endpoint)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=seconds(20))
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def perform(endpoint, operation, body, **headers):
    usual = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "X-Amz-Date": "20261121T100000Z",
        "Authorization": AUTHORIZATION,
    }
    return exchange(endpoint, body=json.dumps(body).encode(), headers={**usual, **headers})


def put(endpoint, table, pk, **headers):
    item = {"TableName": table, "Item": {"pk": {"S": pk}}}
    return perform(endpoint, "PutItem", item, **headers)


def exists(dynamodb, table, pk):
    return "Item" in dynamodb.get_item(TableName=table, Key={"pk": {"S": pk}})


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example"]
)
def test_foreign_origin_is_refused_before_its_request_is_executed(
    endpoint, dynamodb, simple, pk, origin
):
    # The second as a form would send it, for which a browser asks no permission.
    for more in ({}, {"Content-Type": "text/plain"}):
        status, headers, body = put(endpoint, simple, pk, Origin=origin, **more)
        assert status == 403
        assert json.loads(body)["__type"] == "com.amazon.coral.service#AccessDeniedException"
        assert ALLOW not in headers
    assert not exists(dynamodb, simple, pk)


# A head that is known must not let in a request with the same head and an Origin.
def test_foreign_origin_is_refused_among_others(endpoint, dynamodb, simple, pk):
    for _ in range(3):
        assert put(endpoint, simple, "other")[0] == 200
        assert put(endpoint, simple, pk, **EVIL)[0] == 403
    assert not exists(dynamodb, simple, pk)


def test_local_origin_reads_its_answer(endpoint, dynamodb, simple, pk):
    status, headers, _ = put(endpoint, simple, pk, Origin="http://localhost:3000")
    assert (status, headers[ALLOW], headers["Vary"]) == (200, "http://localhost:3000", "Origin")
    assert exists(dynamodb, simple, pk)


def preflight(endpoint, origin):
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    return exchange(endpoint, "OPTIONS", headers=asked)


def test_preflights(endpoint):
    status, headers, body = preflight(endpoint, "http://127.0.0.1:3000")
    assert (status, body) == (200, b"")
    assert headers[ALLOW] == "http://127.0.0.1:3000"
    assert headers["Access-Control-Allow-Methods"] == "POST"
    status, headers, _ = preflight(endpoint, "https://evil.example")
    assert (status, headers[ALLOW], headers["Access-Control-Allow-Methods"]) == (403, None, None)


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_not_for_foreign_pages(endpoint, path):
    assert exchange(endpoint, "GET", path)[0] == 200
    assert exchange(endpoint, "GET", path, headers={"Host": "evil.example"})[0] == 403
    status, headers, _ = exchange(endpoint, "GET", path, headers=EVIL)
    assert (status, headers[ALLOW]) == (403, None)


# Of a server under test, whose clock whoever reaches it can move.
def test_clock_is_not_for_foreign_pages():
    with served(testing=True, memory=True) as server:
        move = json.dumps({"advance_seconds": 60}).encode()
        for headers in (EVIL, {"Host": "evil.example"}):
            answer = exchange(server.endpoint, "POST", "/testing/clock", body=move, headers=headers)
            assert answer[0] == 403
        assert server.clock.offset == timedelta()


def test_foreign_host_is_refused_before_its_request_is_executed(endpoint, dynamodb, simple, pk):
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.nip.io"):
        for _ in range(2):
            status, _, body = put(endpoint, simple, pk, Host=host)
            assert status == 403
            assert "--hosts" in json.loads(body)["Message"]
    assert not exists(dynamodb, simple, pk)
    for host in (
        "localhost",
        "[::1]:8000",
        "192.168.1.5",
        "123456789012.ddb.us-east-1.amazonaws.com",
    ):
        assert put(endpoint, simple, pk, Host=host)[0] == 200


def client_by(name, endpoint):
    """A client that addresses the server by another name."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=CONFIG,
    )

    def rename(request, **_):
        request.headers["Host"] = name

    client.meta.events.register("before-send.dynamodb", rename)
    return client


def test_sdk_shows_which_setting_would_help(endpoint):
    with pytest.raises(ClientError, match=r"the name hashrange: .* --hosts") as error:
        client_by("hashrange", endpoint).list_tables()
    assert error.value.response["Error"]["Code"] == "AccessDeniedException"
    assert "TableNames" in client_by("localhost", endpoint).list_tables()


def test_settings_open_it(start_server):
    endpoint = start_server(cors="https://app.example", hosts="hashrange,*.internal")
    assert preflight(endpoint, "https://app.example")[0] == 200
    assert preflight(endpoint, "http://localhost")[0] == 403
    for name in ("hashrange", "host.docker.internal", "localhost"):
        assert "TableNames" in client_by(name, endpoint).list_tables()
    endpoint = start_server(cors="*", hosts="*")
    status, headers, _ = preflight(endpoint, "null")
    assert (status, headers[ALLOW], headers["Vary"]) == (200, "*", None)
    assert exchange(endpoint, "GET", "/health", headers={"Host": "evil.example"})[0] == 200
