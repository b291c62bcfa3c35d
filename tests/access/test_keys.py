"""Requests that nobody who may has signed: they end before any policy is asked."""

import http.client
import json
import time
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from hashrange.access.signatures.signing import Credentials, signed_headers
from tests.access.callers import EVERYTHING
from tests.access.conftest import POSTGRES
from tests.access.tenants import NAME, TENANT, key

BODY = json.dumps({"TableName": NAME, "Key": key(TENANT)}).encode()
MINUTE_MS = 60_000

# Sessions and further users are made in the test, where the server is in its process.
pytestmark = pytest.mark.parametrize("engine", ["memory", POSTGRES], indirect=True, scope="session")


def refusal(world, keys):
    with pytest.raises(ClientError) as error:
        world.server.client(keys).get_item(TableName=NAME, Key=key(TENANT))
    return error.value.response["Error"]["Code"]


def send(world, keys, *, target="GetItem", body=BODY, sent=None, age_ms=0, **changed):
    """Sign a request and send another; the type of the answer, None if it is good."""
    place = urlsplit(world.server.endpoint)
    credentials = Credentials(
        access_key=keys["aws_access_key_id"],
        secret_key=keys["aws_secret_access_key"],
        session_token=keys.get("aws_session_token"),
        region="us-east-1",
    )
    headers = {
        "Host": place.netloc,
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{target}",
    }
    now_ms = int(time.time() * 1000) - age_ms
    signed = {**signed_headers(headers, body, credentials, now_ms), **changed}
    signed = {name: value for name, value in signed.items() if value is not None}
    connection = http.client.HTTPConnection(place.hostname, place.port)
    connection.request("POST", "/", body=body if sent is None else sent, headers=signed)
    response = connection.getresponse()
    answer = json.loads(response.read() or b"{}")
    connection.close()
    return answer.get("__type", "").rpartition("#")[2] or None


@pytest.fixture(scope="module")
def keys(world):
    return world.keys["administrator"]


@pytest.fixture(scope="module")
def session(world):
    return world.server.callers.session("reader", "one", EVERYTHING)


def test_good_requests_are_let_in(world, keys, session):
    assert send(world, keys) is None
    assert send(world, session) is None
    assert send(world, keys, age_ms=14 * MINUTE_MS) is None


def test_wrong_and_unknown_keys(world, keys):
    wrong = {**keys, "aws_secret_access_key": "guessed"}
    assert refusal(world, wrong) == "InvalidSignatureException"
    unknown = {**keys, "aws_access_key_id": "AKIANOBODYHASTHISKEY"}
    assert refusal(world, unknown) == "UnrecognizedClientException"


def test_stolen_and_missing_tokens(world, keys, session):
    other = world.server.callers.session("reader", "two", EVERYTHING)
    stolen = {**other, "aws_session_token": session["aws_session_token"]}
    assert refusal(world, stolen) == "UnrecognizedClientException"
    without = {name: value for name, value in session.items() if "token" not in name}
    assert refusal(world, without) == "UnrecognizedClientException"
    added = {**keys, "aws_session_token": session["aws_session_token"]}
    assert refusal(world, added) == "UnrecognizedClientException"


def test_sessions_that_have_ended(world):
    ended = world.server.callers.session("reader", "ended", EVERYTHING, expires_ms=1)
    assert refusal(world, ended) == "ExpiredTokenException"


def test_revoked_keys(world):
    keys = world.server.callers.user("leaver", EVERYTHING)
    assert send(world, keys) is None
    world.server.callers.revoke(keys)
    assert send(world, keys) == "UnrecognizedClientException"


@pytest.mark.parametrize("minutes", [-16, 16, 60 * 24])
def test_requests_of_another_time(world, keys, minutes):
    told = send(world, keys, age_ms=minutes * MINUTE_MS)
    assert told == "InvalidSignatureException"


def test_tampered_requests(world, keys):
    assert send(world, keys, sent=BODY.replace(b"acme", b"evil")) == "InvalidSignatureException"
    for changed in (
        {"X-Amz-Target": "DynamoDB_20120810.DeleteItem"},
        {"Host": "127.0.0.1:1"},
        {"X-Amz-Date": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() - 60))},
    ):
        assert send(world, keys, **changed) == "InvalidSignatureException"
    assert send(world, keys, Authorization=None) == "MissingAuthenticationTokenException"
