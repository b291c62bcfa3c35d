"""The console's routes, as requests: who is answered, and what is refused."""

import gzip
import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from tests.api.conftest import client_of
from tests.pace import seconds
from tests.served import ServerThread, served
from tests.static_credentials import ACCOUNT, SECRET, StaticCredentials, long_term, user
from tests.unit.policies.subjects import document

from hashrange.policies.decisions import Subject
from hashrange.settings.sources import load

TARGET = {"X-Amz-Target": "DynamoDB_20120810.ListTables"}
JSON = {"Content-Type": "application/x-amz-json-1.0"}


def ask(endpoint, method, path, headers=(), body=None):
    """Status, headers and body of one request."""
    connection = HTTPConnection(urlsplit(endpoint).netloc, timeout=seconds(20))
    connection.request(method, path, body, dict(headers))
    answer = connection.getresponse()
    found = answer.status, dict(answer.headers), answer.read()
    connection.close()
    return found


def post(endpoint, route, body=b"{}", **headers):
    """A request as a page of the console sends it."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Origin": endpoint, **JSON, **named}
    return ask(endpoint, "POST", f"/_console/api/{route}", sent, data)


def call(endpoint, operation, request=None, **headers):
    """An operation by way of the console: the status, and the answer."""
    target = f"DynamoDB_20120810.{operation}"
    status, _, body = post(endpoint, "aws", request or {}, X_Amz_Target=target, **headers)
    return status, json.loads(body)


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
    status, _, body = ask(
        endpoint, "POST", "/_console/api/aws", {**sent, **TARGET, **JSON}, b"{}"
    )
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
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "idx",
                    "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
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


def test_a_write_without_its_key_has_no_plan(planned):
    status, _, body = post(planned, "plan", {"Statement": "DELETE FROM tab WHERE n = 1"})
    assert (status, json.loads(body)["__type"].rpartition("#")[2]) == (400, "ValidationException")


WRITES = [
    ("PutItem", {}),
    ("DeleteTable", {"TableName": "abc"}),
    ("BatchWriteItem", {}),
    ("ExecuteStatement", {"Statement": "DELETE FROM tab WHERE pk = 'a'"}),
    ("ExecuteStatement", {"Statement": ["SELECT"]}),
    ("BatchExecuteStatement", {"Statements": [{"Statement": "SELECT * FROM tab"}, {"Statement": ""}]}),
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
    client_of(read_only).create_table(
        TableName="made",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )


def test_namespaces_are_listed_and_chosen():
    with served(namespaces="separate") as server:
        elsewhere = {"X_Console_Region": "eu-west-1", "X_Console_Account": "123456789012"}
        request = {
            "TableName": "abc",
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        }
        assert call(server.endpoint, "CreateTable", request, **elsewhere)[0] == 200
        assert call(server.endpoint, "ListTables") == (200, {"TableNames": []})
        assert call(server.endpoint, "ListTables", **elsewhere)[1] == {"TableNames": ["abc"]}
        _, _, body = ask(server.endpoint, "GET", "/_console/api/namespaces")
        expected = {"account": "123456789012", "region": "eu-west-1", "tables": 1}
        assert json.loads(body) == {"namespaces": [expected]}


def test_other_endpoints_are_those_of_the_setting():
    with served() as other, served(console_endpoint=f"other={other.endpoint}") as server:
        client_of(other.endpoint).create_table(
            TableName="there",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        )
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


@pytest.fixture
def guarded():
    """A server that verifies signatures, and its credentials: of alice, and of a reader."""
    reader = Subject(
        user("reader").principal,
        (document({"Effect": "Allow", "Action": "dynamodb:List*", "Resource": "*"}),),
    )
    credentials = StaticCredentials(long_term(), long_term("AKREADER", SECRET, reader))
    settings = {"port": "0", "memory": "true", "auth": "required", "testing": "true"}
    thread = ServerThread(load({**settings, "drain_seconds": "1"}, {}), credentials)
    yield thread.endpoint, credentials
    thread.close()


def sign_in(endpoint, access_key="AKIDEXAMPLE", secret_key=SECRET):
    body = {"accessKey": access_key, "secretKey": secret_key}
    return post(endpoint, "sign-in", body)


def cookie_of(endpoint, access_key="AKIDEXAMPLE"):
    status, headers, _ = sign_in(endpoint, access_key)
    assert status == 200
    return headers["Set-Cookie"]


def test_without_a_session_nothing_is_answered(guarded):
    endpoint, _ = guarded
    assert call(endpoint, "ListTables")[0] == 401
    assert ask(endpoint, "GET", "/_console/api/namespaces")[0] == 401
    _, _, body = ask(endpoint, "GET", "/_console/api/session")
    assert json.loads(body)["principal"] is None


def test_a_session_acts_as_its_principal(guarded):
    endpoint, _ = guarded
    text = cookie_of(endpoint)
    assert text.startswith(f"hashrange_console_{urlsplit(endpoint).port}=")
    assert "HttpOnly; SameSite=Strict" in text
    assert SECRET not in text
    cookie = text.partition(";")[0]
    assert call(endpoint, "ListTables", Cookie=cookie) == (200, {"TableNames": []})
    _, _, body = ask(endpoint, "GET", "/_console/api/session", {"Cookie": cookie})
    principal = json.loads(body)["principal"]
    assert principal == {"arn": f"arn:aws:iam::{ACCOUNT}:user/alice", "account": ACCOUNT}


def test_policies_hold_for_a_session(guarded):
    endpoint, _ = guarded
    cookie = cookie_of(endpoint, "AKREADER").partition(";")[0]
    assert call(endpoint, "ListTables", Cookie=cookie)[0] == 200
    status, answer = call(endpoint, "DescribeTable", {"TableName": "abc"}, Cookie=cookie)
    assert (status, answer["__type"].rpartition("#")[2]) == (400, "AccessDeniedException")


def test_a_wrong_secret_begins_no_session(guarded):
    endpoint, _ = guarded
    for keys in (("AKIDEXAMPLE", "wrong"), ("AKNOBODY", SECRET)):
        status, headers, _ = sign_in(endpoint, *keys)
        assert (status, "Set-Cookie" in headers) == (401, False)
    assert post(endpoint, "sign-in", b"[1]")[0] == 400


def test_a_revoked_key_ends_its_session(guarded):
    endpoint, credentials = guarded
    cookie = cookie_of(endpoint).partition(";")[0]
    credentials.revoke("AKIDEXAMPLE")
    assert call(endpoint, "ListTables", Cookie=cookie)[0] == 401


def test_a_session_that_was_signed_out_stays_so(guarded):
    endpoint, _ = guarded
    cookie = cookie_of(endpoint).partition(";")[0]
    _, headers, _ = post(endpoint, "sign-out", Cookie=cookie)
    assert "Max-Age=0" in headers["Set-Cookie"]
    assert call(endpoint, "ListTables", Cookie=cookie)[0] == 401


def test_a_changed_cookie_is_no_session(guarded):
    endpoint, _ = guarded
    cookie = cookie_of(endpoint).partition(";")[0]
    name, _, text = cookie.partition("=")
    said, _, signature = text.partition(".")
    for other in (f"{said}A.{signature}", f"{said}.{signature[:-1]}0", said, "", ".", "é.é"):
        sent = f"{name}={other}".encode().decode("latin-1")
        assert call(endpoint, "ListTables", Cookie=sent)[0] == 401


def moved(endpoint, **units):
    status, _, _ = ask(endpoint, "POST", "/testing/clock", JSON, json.dumps(units).encode())
    assert status == 200


def test_an_idle_session_ends(guarded):
    endpoint, _ = guarded
    cookie = cookie_of(endpoint).partition(";")[0]
    moved(endpoint, minutes=29)
    status, headers, _ = post(endpoint, "aws", Cookie=cookie, **{"X_Amz_Target": TARGET["X-Amz-Target"]})
    assert status == 200
    renewed = headers["Set-Cookie"].partition(";")[0]
    moved(endpoint, minutes=2)
    assert call(endpoint, "ListTables", Cookie=cookie)[1]["__type"].endswith("ExpiredTokenException")
    assert call(endpoint, "ListTables", Cookie=renewed)[0] == 200


def test_a_busy_session_ends_too(guarded):
    endpoint, _ = guarded
    cookie = cookie_of(endpoint).partition(";")[0]
    for _ in range(25):
        moved(endpoint, minutes=29)
        _, headers, _ = post(endpoint, "aws", Cookie=cookie, **{"X_Amz_Target": TARGET["X-Amz-Target"]})
        cookie = headers.get("Set-Cookie", cookie).partition(";")[0]
    assert call(endpoint, "ListTables", Cookie=cookie)[0] == 401


# Other endpoints are reached with the keys of the server's environment.
def test_other_endpoints_are_for_those_who_may(guarded):
    with served() as other:
        settings = {"port": "0", "memory": "true", "auth": "required", "drain_seconds": "1"}
        reader = Subject(
            user("reader").principal,
            (document({"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}),),
        )
        credentials = StaticCredentials(long_term(), long_term("AKREADER", SECRET, reader))
        named = {"console_endpoint": f"other={other.endpoint}"}
        thread = ServerThread(load({**settings, **named}, {}), credentials)
        for key, expected in (("AKIDEXAMPLE", 200), ("AKREADER", 400)):
            cookie = cookie_of(thread.endpoint, key).partition(";")[0]
            sent = {"Cookie": cookie, "X_Console_Endpoint": "other"}
            assert call(thread.endpoint, "ListTables", **sent)[0] == expected
        thread.close()


def test_a_sign_in_is_in_the_audit_log(tmp_path):
    settings = {"port": "0", "memory": "true", "auth": "required", "drain_seconds": "1"}
    thread = ServerThread(
        load({**settings, "audit": str(tmp_path / "audit")}, {}), StaticCredentials(long_term())
    )
    cookie_of(thread.endpoint)
    thread.close()
    text = "".join(each.read_text() for each in (tmp_path / "audit").rglob("*.json*"))
    assert '"eventName":"ConsoleLogin"' in text
    assert "signin.amazonaws.com" in text
    assert SECRET not in text

