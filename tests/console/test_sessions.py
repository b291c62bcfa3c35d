"""Sign-in to the console: sessions, their ends, and what they may do."""

import json
from urllib.parse import urlsplit

import pytest

from hashrange.access.policies.decisions import Subject
from hashrange.settings.sources import load
from tests.api.conftest import client_of
from tests.api.imports import creation
from tests.console.asking import JSON, TARGET, ask, call, post, session_of
from tests.served import ServerThread, served
from tests.static_credentials import ACCOUNT, SECRET, StaticCredentials, long_term, user
from tests.unit.access.policies.subjects import document


@pytest.fixture
def guarded():
    """A server that verifies signatures, and its credentials: of alice, and of a reader."""
    reader = Subject(
        user("reader").principal,
        (document({"Effect": "Allow", "Action": "dynamodb:List*", "Resource": "*"}),),
    )
    exporter = Subject(
        user("exporter").principal,
        (document({"Effect": "Allow", "Action": "dynamodb:ListExports", "Resource": "*"}),),
    )
    credentials = StaticCredentials(
        long_term(),
        long_term("AKREADER", SECRET, reader),
        long_term("AKEXPORTER", SECRET, exporter),
    )
    settings = {"port": "0", "memory": "true", "auth": "required", "testing": "true"}
    thread = ServerThread(load({**settings, "drain_seconds": "1"}, {}), credentials)
    yield thread.endpoint, credentials
    thread.close()


def sign_in(endpoint, access_key="AKIDEXAMPLE", secret_key=SECRET):
    body = {"accessKey": access_key, "secretKey": secret_key}
    return post(endpoint, "sign-in", body)


def begun(endpoint, access_key="AKIDEXAMPLE"):
    return session_of(sign_in(endpoint, access_key))


def test_without_a_session_nothing_is_answered(guarded):
    endpoint, _ = guarded
    assert call(endpoint, "ListTables")[0] == 401
    assert ask(endpoint, "GET", "/_console/api/namespaces")[0] == 401
    _, _, body = ask(endpoint, "GET", "/_console/api/session")
    assert json.loads(body)["principal"] is None


def test_a_session_acts_as_its_principal(guarded):
    endpoint, _ = guarded
    answer = sign_in(endpoint)
    text, session = answer[1]["Set-Cookie"], session_of(answer)
    assert text.startswith(f"hashrange_console_{urlsplit(endpoint).port}=")
    assert "HttpOnly; SameSite=Strict" in text
    assert SECRET not in text
    assert call(endpoint, "ListTables", **session) == (200, {"TableNames": []})
    _, _, body = ask(endpoint, "GET", "/_console/api/session", session)
    principal = json.loads(body)["principal"]
    assert principal == {"arn": f"arn:aws:iam::{ACCOUNT}:user/alice", "account": ACCOUNT}


def test_policies_hold_for_a_session(guarded):
    endpoint, _ = guarded
    session = begun(endpoint, "AKREADER")
    assert call(endpoint, "ListTables", **session)[0] == 200
    status, answer = call(endpoint, "DescribeTable", {"TableName": "abc"}, **session)
    assert (status, answer["__type"].rpartition("#")[2]) == (400, "AccessDeniedException")


def test_policies_hold_for_jobs(guarded):
    endpoint, _ = guarded
    client = client_of(endpoint, aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key=SECRET)
    client.create_table(**creation("table"))
    recovery = {"PointInTimeRecoveryEnabled": True}
    client.update_continuous_backups(TableName="table", PointInTimeRecoverySpecification=recovery)
    table = client.describe_table(TableName="table")["Table"]["TableArn"]
    client.export_table_to_point_in_time(TableArn=table, S3Bucket="none")
    seen = {}
    for key in ("AKIDEXAMPLE", "AKREADER", "AKEXPORTER"):
        session = begun(endpoint, key)
        answer = json.loads(ask(endpoint, "GET", "/_console/api/jobs", session)[2])
        seen[key] = [each["kind"] for each in answer["jobs"]], answer["denied"]
    assert seen == {
        "AKIDEXAMPLE": (["export"], []),
        "AKREADER": (["export"], []),
        "AKEXPORTER": (["export"], ["backup", "bulk", "import"]),
    }
    assert ask(endpoint, "GET", "/_console/api/jobs")[0] == 401


def test_a_wrong_secret_begins_no_session(guarded):
    endpoint, _ = guarded
    for keys in (("AKIDEXAMPLE", "wrong"), ("AKNOBODY", SECRET)):
        status, headers, _ = sign_in(endpoint, *keys)
        assert (status, "Set-Cookie" in headers) == (401, False)
    assert post(endpoint, "sign-in", b"[1]")[0] == 400


@pytest.mark.parametrize("key", ["€", "a\r\nb: c", "x" * 1000, "", "a/b"])
def test_keys_that_are_none_are_refused(guarded, key):
    endpoint, _ = guarded
    for keys in ((key, SECRET), ("AKIDEXAMPLE", key)):
        assert sign_in(endpoint, *keys)[0] == 401
    body = {"accessKey": "AKIDEXAMPLE", "secretKey": SECRET, "sessionToken": key or "t"}
    assert post(endpoint, "sign-in", body)[0] == 401


def test_a_revoked_key_ends_its_session(guarded):
    endpoint, credentials = guarded
    session = begun(endpoint)
    credentials.revoke("AKIDEXAMPLE")
    assert call(endpoint, "ListTables", **session)[0] == 401


def test_a_session_that_was_signed_out_stays_so(guarded):
    endpoint, _ = guarded
    session = begun(endpoint)
    _, headers, _ = post(endpoint, "sign-out", **session)
    assert "Max-Age=0" in headers["Set-Cookie"]
    assert call(endpoint, "ListTables", **session)[0] == 401


def test_a_changed_cookie_is_no_session(guarded):
    endpoint, _ = guarded
    session = begun(endpoint)
    name, _, text = session["Cookie"].partition("=")
    said, _, signature = text.partition(".")
    other_end = signature[:-1] + ("1" if signature.endswith("0") else "0")
    for other in (f"{said}A.{signature}", f"{said}.{other_end}", said, "", ".", "é.é"):
        sent = f"{name}={other}".encode().decode("latin-1")
        assert call(endpoint, "ListTables", **{**session, "Cookie": sent})[0] == 401


# Browsers share the cookies of a host among its ports: other servers there read and plant them.
def test_a_cookie_without_its_proof_is_no_session(guarded):
    endpoint, _ = guarded
    session, other = begun(endpoint), begun(endpoint, "AKREADER")
    proof = "X-Console-Proof"
    for sent in (
        {},
        {proof: ""},
        {proof: "é"},
        {proof: other[proof]},
        {proof: session[proof] + "0"},
    ):
        found = {"Cookie": session["Cookie"], **sent}
        assert call(endpoint, "ListTables", **found)[0] == 401
        _, _, body = ask(endpoint, "GET", "/_console/api/session", found)
        assert json.loads(body)["principal"] is None
    assert call(endpoint, "ListTables", **session)[0] == 200


def moved(endpoint, **units):
    status, _, _ = ask(endpoint, "POST", "/testing/clock", JSON, json.dumps(units).encode())
    assert status == 200


def test_an_idle_session_ends(guarded):
    endpoint, _ = guarded
    session = begun(endpoint)
    moved(endpoint, minutes=29)
    status, headers, _ = post(endpoint, "aws", **session, X_Amz_Target=TARGET["X-Amz-Target"])
    assert status == 200
    renewed = {**session, "Cookie": headers["Set-Cookie"].partition(";")[0]}
    moved(endpoint, minutes=2)
    assert call(endpoint, "ListTables", **session)[1]["__type"].endswith("ExpiredTokenException")
    assert call(endpoint, "ListTables", **renewed)[0] == 200


# A page that polls behind its user's back would keep the session of an empty chair alive.
def test_requests_without_a_user_keep_no_session_alive(guarded):
    endpoint, _ = guarded
    session = begun(endpoint)
    sent = {**session, **TARGET, "X-Console-Unattended": "1"}
    moved(endpoint, minutes=29)
    status, headers, _ = post(endpoint, "aws", **sent)
    assert status == 200
    assert "Set-Cookie" not in headers
    moved(endpoint, minutes=2)
    assert post(endpoint, "aws", **sent)[0] == 401


def test_a_busy_session_ends_too(guarded):
    endpoint, _ = guarded
    session = begun(endpoint)
    for _ in range(25):
        moved(endpoint, minutes=29)
        _, headers, _ = post(endpoint, "aws", **session, X_Amz_Target=TARGET["X-Amz-Target"])
        if "Set-Cookie" in headers:
            session["Cookie"] = headers["Set-Cookie"].partition(";")[0]
    assert call(endpoint, "ListTables", **session)[0] == 401


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
            session = begun(thread.endpoint, key)
            sent = {**session, "X-Console-Endpoint": "other"}
            assert call(thread.endpoint, "ListTables", **sent)[0] == expected
        thread.close()


def test_a_sign_in_is_in_the_audit_log(tmp_path):
    settings = {"port": "0", "memory": "true", "auth": "required", "drain_seconds": "1"}
    thread = ServerThread(
        load({**settings, "audit": str(tmp_path / "audit")}, {}), StaticCredentials(long_term())
    )
    begun(thread.endpoint)
    thread.close()
    text = "".join(each.read_text() for each in (tmp_path / "audit").rglob("*.json*"))
    assert '"eventName":"ConsoleLogin"' in text
    assert "signin.amazonaws.com" in text
    assert SECRET not in text
