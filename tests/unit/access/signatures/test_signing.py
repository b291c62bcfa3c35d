"""Signatures as botocore makes them."""

from datetime import UTC, datetime

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Theirs

from hashrange.access.signatures.signing import Credentials, signed_headers
from hashrange.access.signatures.sigv4 import caller
from tests.unit.tables.definitions import NOON_MS

OURS = Credentials(
    access_key="AKIDEXAMPLE",
    secret_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    session_token=None,
    region="eu-west-1",
)
HEADERS = {
    "Host": "localhost:8000",
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
}


@pytest.mark.parametrize("token", [None, "a/session+token=="])
@pytest.mark.parametrize("body", [b"{}", b'{"TableName":"\xc3\xa9"}'])
def test_signature_is_that_of_botocore(token, body):
    request = AWSRequest("POST", "http://localhost:8000/", headers=HEADERS, data=body)
    theirs = Theirs(OURS.access_key, OURS.secret_key, token)
    SigV4Auth(theirs, "dynamodb", OURS.region).add_auth(request)
    ours = Credentials(
        access_key=OURS.access_key,
        secret_key=OURS.secret_key,
        session_token=token,
        region=OURS.region,
    )
    at = datetime.strptime(request.headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    signed = signed_headers(HEADERS, body, ours, round(at.timestamp() * 1000))
    assert signed == dict(request.headers.items())


def test_server_reads_what_we_sign():
    signed = signed_headers(HEADERS, b"{}", OURS, NOON_MS)
    headers = {name.lower().encode(): text.encode() for name, text in signed.items()}
    identity = caller(headers, b"")
    assert (identity.scope.access_key, identity.scope.region) == (OURS.access_key, "eu-west-1")
    assert set(identity.scope.signed_headers) == {
        "content-type",
        "host",
        "x-amz-date",
        "x-amz-target",
    }


def test_secrets_are_in_no_text_of_them():
    assert "wJalr" not in repr(OURS)
