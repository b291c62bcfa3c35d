"""The console's routes, as requests: who is answered, and what is refused."""

import gzip
import json
from urllib.parse import urlsplit

import pytest

from tests.api.conftest import client_of
from tests.api.imports import begun, ended, lines, numbered, put
from tests.api.indexes import index_of
from tests.api.tables import keyed
from tests.console.asking import JSON, TARGET, ask, call, post
from tests.served import served


@pytest.fixture(scope="module")
def endpoint():
    with served() as server:
        yield server.endpoint


def test_a_browser_is_led_to_the_console(endpoint):
    accept = {"Accept": "text/html,application/xhtml+xml"}
    status, headers, _ = ask(endpoint, "GET", "/", accept)
    assert (status, headers["Location"]) == (302, "/_console/")
    assert ask(endpoint, "GET", "/_console")[1]["Location"] == "/_console/"


def test_other_clients_get_what_they_got(endpoint):
    status, _, body = ask(endpoint, "GET", "/", {"Accept": "*/*"})
    assert (status, body) == (200, b"healthy: dynamodb.us-east-1.amazonaws.com ")


@pytest.mark.parametrize("path", ["/", "/tables", "/tables/a.b/settings", "/partiql?q=1", "/no"])
def test_every_address_has_the_page(endpoint, path):
    status, headers, body = ask(endpoint, "GET", f"/_console{path}")
    assert status == 200
    assert b'<div id="app">' in body
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_files_are_compressed_and_kept(endpoint):
    page = ask(endpoint, "GET", "/_console/")[2].decode()
    path = page.partition('type="module" src="')[2].partition('"')[0]
    status, headers, plain = ask(endpoint, "GET", path)
    assert (status, headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    assert "immutable" in headers["Cache-Control"]
    _, zipped_headers, zipped = ask(endpoint, "GET", path, {"Accept-Encoding": "gzip, br"})
    assert zipped_headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped) == plain
    assert ask(endpoint, "HEAD", path)[2] == b""
    again = ask(endpoint, "GET", path, {"If-None-Match": headers["ETag"]})
    assert (again[0], again[2]) == (304, b"")
    assert ask(endpoint, "GET", "/_console/static/0123/app.js")[0] == 404


def test_the_page_changes_with_its_files(endpoint):
    _, headers, _ = ask(endpoint, "GET", "/_console/")
    assert headers["Cache-Control"] == "no-cache"
    assert ask(endpoint, "GET", "/_console/", {"If-None-Match": headers["ETag"]})[0] == 304


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST", "OPTIONS"])
def test_pages_are_only_read(endpoint, method):
    assert ask(endpoint, method, "/_console/tables")[0] == 405


def test_an_operation_is_performed(endpoint):
    assert call(endpoint, "ListTables") == (200, {"TableNames": []})
    status, answer = call(endpoint, "DescribeTable", {"TableName": "nothing"})
    assert (status, answer["__type"].rpartition("#")[2]) == (400, "ResourceNotFoundException")


def test_other_apis_are_reached(endpoint):
    target = "AnyScaleFrontendService.DescribeScalableTargets"
    status, _, body = post(endpoint, "aws", {"ServiceNamespace": "dynamodb"}, X_Amz_Target=target)
    assert (status, json.loads(body)) == (200, {"ScalableTargets": []})


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Origin": "OWN", "Sec-Fetch-Site": "same-site"},
        {"Origin": "OWN", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_other_pages_are_refused(endpoint, headers):
    sent = {name: endpoint if text == "OWN" else text for name, text in headers.items()}
    status, _, body = ask(endpoint, "POST", "/_console/api/aws", {**sent, **TARGET, **JSON}, b"{}")
    assert status == 403
    assert b"AccessDeniedException" in body


# A page that lets its own name stand for 127.0.0.1 has an origin of its own.
def test_other_names_of_the_server_are_refused(endpoint):
    port = urlsplit(endpoint).port
    headers = {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}
    assert ask(endpoint, "POST", "/_console/api/aws", {**headers, **TARGET}, b"{}")[0] == 403
    assert ask(endpoint, "GET", "/_console/", headers)[0] == 403


def test_unknown_routes_are_not_the_page(endpoint):
    status, _, body = ask(endpoint, "GET", "/_console/api/no")
    assert (status, json.loads(body)["__type"].rpartition("#")[2]) == (
        404,
        "UnknownOperationException",
    )


@pytest.mark.parametrize(
    "headers", [{"X_Console_Region": "a/b"}, {"X_Console_Account": "1"}, {"X_Console_Service": "É"}]
)
def test_malformed_scopes_are_refused(endpoint, headers):
    sent = {name: text.encode().decode("latin-1") for name, text in headers.items()}
    status, answer = call(endpoint, "ListTables", **sent)
    assert (status, answer["__type"].rpartition("#")[2]) == (400, "ValidationException")


def test_off_there_is_nothing():
    with served(console="off") as server:
        assert ask(server.endpoint, "GET", "/_console/")[0] == 404
        assert ask(server.endpoint, "GET", "/", {"Accept": "text/html"})[0] == 200


PLANS = [
    ("SELECT * FROM tab WHERE pk = 'a'", {"access": "key", "partitions": 1}),
    ("SELECT * FROM tab WHERE pk IN ['a', 'b']", {"access": "query", "partitions": 2}),
    ("SELECT * FROM tab WHERE n > 1", {"access": "scan", "partitions": None, "filtered": True}),
    ("SELECT * FROM tab.idx WHERE g = 'a'", {"access": "query", "index": "idx"}),
    ("DELETE FROM tab WHERE pk = 'a'", {"access": "write"}),
]


@pytest.fixture(scope="module")
def planned():
    with served() as server:
        client_of(server.endpoint).create_table(
            TableName="tab",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")
            ],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[index_of("idx", "g")],
        )
        yield server.endpoint


@pytest.mark.parametrize(("statement", "expected"), PLANS)
def test_the_plan_of_a_statement(planned, statement, expected):
    status, _, body = post(planned, "plan", {"Statement": statement})
    plan = json.loads(body)
    assert status == 200
    assert {name: plan[name] for name in expected} == expected


def test_a_plan_runs_nothing(planned):
    client = client_of(planned)
    client.put_item(TableName="tab", Item={"pk": {"S": "a"}})
    post(planned, "plan", {"Statement": "DELETE FROM tab WHERE pk = 'a'"})
    assert "Item" in client.get_item(TableName="tab", Key={"pk": {"S": "a"}})


@pytest.mark.parametrize("body", [b"", b"[1", b"{}", b'{"Statement": 1}', b"[" * 100_000])
def test_a_malformed_plan_is_refused(planned, body):
    status, _, answer = post(planned, "plan", body)
    assert (status, "__type" in json.loads(answer)) == (400, True)


def test_a_write_without_its_key_has_no_plan(planned):
    status, _, body = post(planned, "plan", {"Statement": "DELETE FROM tab WHERE n = 1"})
    assert (status, json.loads(body)["__type"].rpartition("#")[2]) == (400, "ValidationException")


WRITES = [
    ("PutItem", {}),
    ("DeleteTable", {"TableName": "abc"}),
    ("BatchWriteItem", {}),
    ("ExecuteStatement", {"Statement": "DELETE FROM tab WHERE pk = 'a'"}),
    ("ExecuteStatement", {"Statement": ["SELECT"]}),
    (
        "BatchExecuteStatement",
        {"Statements": [{"Statement": "SELECT * FROM tab"}, {"Statement": ""}]},
    ),
    ("ExecuteTransaction", {"TransactStatements": []}),
]


@pytest.fixture(scope="module")
def read_only():
    with served(console="read-only") as server:
        yield server.endpoint


@pytest.mark.parametrize(("operation", "request_"), WRITES)
def test_read_only_refuses_what_writes(read_only, operation, request_):
    status, answer = call(read_only, operation, request_)
    assert (status, answer["__type"].rpartition("#")[2]) == (400, "AccessDeniedException")
    assert "--console read-only" in answer["Message"]


# The last Action of a form counts for the API of forms: two different ones must not pass.
@pytest.mark.parametrize("form", [b"Action=CreateUser", b"Action=GetUser&Action=CreateUser", b""])
def test_read_only_refuses_forms_that_write(read_only, form):
    headers = {"Content_Type": "application/x-www-form-urlencoded", "X_Console_Service": "iam"}
    assert post(read_only, "aws", form, **headers)[0] == 400


def test_read_only_reads_and_leaves_sdks_alone(read_only):
    assert call(read_only, "ListTables")[0] == 200
    statement = {"Statement": "SELECT * FROM missing1"}
    assert call(read_only, "ExecuteStatement", statement)[1]["__type"].endswith(
        "ResourceNotFoundException"
    )
    client_of(read_only).create_table(TableName="made", **keyed(pk="S"))


def test_namespaces_are_listed_and_chosen():
    with served(namespaces="separate") as server:
        elsewhere = {"X_Console_Region": "eu-west-1", "X_Console_Account": "123456789012"}
        request = {"TableName": "abc", **keyed(pk="S")}
        assert call(server.endpoint, "CreateTable", request, **elsewhere)[0] == 200
        assert call(server.endpoint, "ListTables") == (200, {"TableNames": []})
        assert call(server.endpoint, "ListTables", **elsewhere)[1] == {"TableNames": ["abc"]}
        _, _, body = ask(server.endpoint, "GET", "/_console/api/namespaces")
        expected = {"account": "123456789012", "region": "eu-west-1", "tables": 1}
        assert json.loads(body) == {"namespaces": [expected]}


def test_other_endpoints_are_those_of_the_setting():
    with served() as other, served(console_endpoint=f"other={other.endpoint}") as server:
        client_of(other.endpoint).create_table(TableName="there", **keyed(pk="S"))
        assert call(server.endpoint, "ListTables", X_Console_Endpoint="other") == (
            200,
            {"TableNames": ["there"]},
        )
        assert call(server.endpoint, "ListTables")[1] == {"TableNames": []}
        status, answer = call(server.endpoint, "ListTables", X_Console_Endpoint="http://10.0.0.1")
        assert (status, answer["__type"].rpartition("#")[2]) == (400, "ValidationException")
        status, answer = call(
            server.endpoint, "DescribeTable", {"TableName": "none"}, X_Console_Endpoint="other"
        )
        assert answer["__type"].rpartition("#")[2] == "ResourceNotFoundException"


def test_jobs_are_listed(tmp_path):
    put(tmp_path, "in/1.json", lines(*numbered(3)))
    with served(s3=f"bucket={tmp_path}") as server:
        client = client_of(server.endpoint)
        imported = ended(client, begun(client, "imported", "in/")["ImportArn"])
        status, _, body = ask(server.endpoint, "GET", "/_console/api/jobs")
        job = {
            "kind": "import",
            "name": imported["ImportArn"].rpartition("/")[2],
            "arn": imported["ImportArn"],
            "table": "imported",
            "account": imported["ImportArn"].split(":")[4],
            "region": "us-east-1",
            "state": "COMPLETED",
            "progress": 1.0,
            "begunMs": round(imported["StartTime"].timestamp() * 1000),
            "endedMs": round(imported["EndTime"].timestamp() * 1000),
            "secondsLeft": None,
            "mayCancel": False,
            "failure": None,
        }
        assert (status, json.loads(body)) == (200, {"jobs": [job], "denied": []})
