"""The client of endpoints, against a server that answers as it is told."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hashrange.access.signatures.signing import Credentials
from hashrange.api.steps.operation import Caller
from hashrange.clock import SystemClock
from hashrange.tools.copying.endpoint import TRIES_MAX, Endpoint, endpoint_parts, region_of
from hashrange.tools.copying.place import CopyError, RefusedError
from hashrange.wire.arns import parsed
from tests.pace import seconds
from tests.rows import rows

CALLER = Caller("000000000000", "us-east-1", "localhost")
CREDENTIALS = Credentials(
    access_key="the-key", secret_key="the-secret", session_token=None, region="eu-west-1"
)
HANG_UP = object()
OK = (200, b'{"TableNames":["a-table"]}')


def error(code, status=400, member="message", text="told"):
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", member: text}
    return status, json.dumps(body).encode()


class Scripted:
    """Gives its answers in order, and keeps what it was asked."""

    def __init__(self):
        self.answers, self.asked = [], []
        self.left = threading.Event()
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                script.asked.append((self.headers["X-Amz-Target"].rpartition(".")[2], body))
                answer = script.answers.pop(0)
                if answer is HANG_UP:
                    self.close_connection = True
                    return
                status, body, *headers = answer
                self.send_response(status)
                for name, text in headers:
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def finish(self):
                super().finish()
                script.left.set()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        serve = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        serve.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server():
    scripted = Scripted()
    yield scripted
    scripted.close()


@pytest.fixture
def ask(server):
    """Asks the server; the seconds between its tries are kept and not waited for."""
    pauses = []

    async def pause(seconds):
        pauses.append(seconds)

    def ask(*answers, operation="ListTables", url=None):
        server.answers[:] = answers
        endpoint = Endpoint(
            endpoint_parts(url or server.url),
            CREDENTIALS,
            SystemClock(),
            connections=2,
            pause=pause,
        )

        async def asked():
            # The first answer is what makes lost connections worth another try.
            return await endpoint.call(CALLER, operation, b"{}")

        try:
            return asyncio.run(asked())
        finally:
            endpoint.close()

    ask.pauses = pauses
    return ask


def test_answer_is_that_of_the_server(ask, server):
    assert ask(OK) == OK[1]
    assert server.asked == [("ListTables", b"{}")]
    assert ask.pauses == []


# What every SDK tries again, and with pauses that grow up to their bounds.
@pytest.mark.parametrize(
    "passing",
    [
        error("ProvisionedThroughputExceededException"),
        error("ThrottlingException"),
        error("RequestLimitExceeded"),
        error("InternalServerError", 500),
        error("ServiceUnavailable", 503),
        (502, b"<html>bad gateway</html>"),
        (200, b"{}", ("x-amz-crc32", "1")),
    ],
)
def test_what_passes_is_tried_again(ask, server, passing):
    assert ask(passing, passing, passing, OK) == OK[1]
    assert len(server.asked) == 4
    assert [0 <= each <= 0.05 * 2**tries for tries, each in enumerate(ask.pauses, 1)] == [True] * 3


def test_there_is_a_last_try(ask, server):
    with pytest.raises(RefusedError, match="refuses ListTables: told"):
        ask(*[error("ThrottlingException")] * TRIES_MAX)
    assert len(server.asked) == TRIES_MAX


@pytest.mark.parametrize("member", ["message", "Message"])
def test_refusal_is_told_in_its_words(ask, server, member):
    with pytest.raises(RefusedError, match="refuses Scan: told") as refused:
        ask(error("ValidationException", member=member), operation="Scan")
    assert refused.value.code == "ValidationException"
    assert len(server.asked) == 1


# The text of the service does not say whom it does not know.
def test_refused_credentials_are_named(ask):
    with pytest.raises(RefusedError) as refused:
        ask(error("UnrecognizedClientException", text="The security token is invalid."))
    assert "access key the-key for eu-west-1" in str(refused.value)
    assert "the-secret" not in str(refused.value)


# A table that was made by a request whose answer was lost is not there "already".
@pytest.mark.parametrize("answer", [HANG_UP, error("InternalServerError", 500)])
def test_what_changes_tables_is_asked_for_once(ask, server, answer):
    with pytest.raises(CopyError):
        ask(answer, operation="CreateTable")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "answer", [(404, b"not found"), (405, b"{}"), (403, b'{"error":1}'), (200, b"<html>")]
)
def test_other_servers_are_known_as_such(ask, answer):
    with pytest.raises(CopyError, match=f"does not speak DynamoDB: it answers {answer[0]}"):
        ask(answer)


# A wrong address is told at once, and not after a minute of tries.
def test_nobody_there_is_told_at_once(ask, server):
    with pytest.raises(CopyError, match="does not answer: connection refused"):
        ask(url="http://127.0.0.1:1")
    with pytest.raises(CopyError, match="does not answer"):
        ask(HANG_UP)
    assert ask.pauses == []


def test_lost_connections_are_made_again(server):
    async def pause(_seconds):
        pass

    endpoint = Endpoint(
        endpoint_parts(server.url), CREDENTIALS, SystemClock(), connections=1, pause=pause
    )

    async def twice():
        return [await endpoint.call(CALLER, "ListTables", b"{}") for _ in range(2)]

    server.answers[:] = [OK, HANG_UP, HANG_UP, OK]
    try:
        assert asyncio.run(twice()) == [OK[1], OK[1]]
    finally:
        endpoint.close()
    assert len(server.asked) == 4


# A scan with a limit ends while other pages are asked for.
def test_a_connection_that_is_made_after_the_close_is_closed(server):
    class Closing(SystemClock):
        def now_ms(self):
            endpoint.close()
            return super().now_ms()

    endpoint = Endpoint(
        endpoint_parts(server.url), CREDENTIALS, Closing(), connections=1, pause=asyncio.sleep
    )
    server.answers[:] = [OK]
    assert asyncio.run(endpoint.call(CALLER, "ListTables", b"{}")) == OK[1]
    assert server.left.wait(seconds(10))


def test_tables_come_in_pages(server):
    endpoint = Endpoint(
        endpoint_parts(server.url), CREDENTIALS, SystemClock(), connections=1, pause=asyncio.sleep
    )
    server.answers[:] = [
        (200, b'{"TableNames":["one"],"LastEvaluatedTableName":"one"}'),
        (200, b'{"TableNames":["two"]}'),
    ]
    try:
        tables = asyncio.run(endpoint.tables())
    finally:
        endpoint.close()
    assert [table.name for table in tables] == ["one", "two"]
    assert {table.caller.region for table in tables} == {"eu-west-1"}
    assert json.loads(server.asked[1][1]) == {"ExclusiveStartTableName": "one"}


def test_other_json_is_no_list_of_tables(server):
    endpoint = Endpoint(
        endpoint_parts(server.url), CREDENTIALS, SystemClock(), connections=1, pause=asyncio.sleep
    )
    server.answers[:] = [(200, b'{"status":"healthy"}')]
    try:
        with pytest.raises(CopyError, match="does not speak DynamoDB: it answers 200"):
            asyncio.run(endpoint.tables())
    finally:
        endpoint.close()


@pytest.mark.parametrize(
    "url",
    ["http://", "http://host:x", "http://host:0", "http://h/path", "http://h?a=1", "http://u:p@h"],
)
def test_bad_urls_are_refused(url):
    with pytest.raises(ValueError, match=r"is not a URL|an endpoint has no path"):
        endpoint_parts(url)


@rows(
    ("host", "region"),
    [
        ("dynamodb.eu-west-1.amazonaws.com", "eu-west-1"),
        ("dynamodb-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
        ("dynamodb.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("123456789012.ddb.us-east-2.amazonaws.com", "us-east-2"),
        ("vpce-1a2b.dynamodb.us-east-1.vpce.amazonaws.com", "us-east-1"),
        ("dynamodb.eu-west-1.api.aws", "eu-west-1"),
        ("dynamodb.internal.example", None),
        ("127.0.0.1:8000", None),
    ],
)
def test_region_stands_in_names_of_aws(host, region):
    assert region_of(f"https://{host}") == region


# DynamoDB Local's ARNs must be understood, or its tables would have no account.
def test_arn_of_dynamodb_local_is_one():
    arn = parsed("arn:aws:dynamodb:ddblocal:000000000000:table/a-table")
    assert arn is not None
    assert arn.account == "000000000000"
