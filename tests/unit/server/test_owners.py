"""A claim of an access key counts only where it was proved before."""

import pytest

from hashrange.errors import DynamoError
from hashrange.server.callers import SignatureCheck
from hashrange.server.request_rates import RequestRates
from hashrange.wire.exchange import Peer
from tests.static_credentials import ACCOUNT, StaticCredentials, long_term, session
from tests.unit.server.test_signatures import sign

HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.GetItem",
}


@pytest.fixture
def checking():
    """A check of signatures at one time, a signed request, and the name of its principal."""
    request, now_ms = sign(b"{}", HEADERS)
    credential = long_term()
    rates = RequestRates(None, lambda: 0)
    check = SignatureCheck(StaticCredentials(credential), lambda: now_ms, rates)
    return check, request, credential.subject.principal.arn


def test_a_key_is_of_its_principal_once_a_signature_was_right(checking):
    check, request, arn = checking
    assert check.owners.owner(request) == "192.0.2.7"
    check(request, "dynamodb")
    assert check.owners.owner(request) == arn
    # Before a signature is verified: that of the next request may be wrong.
    request.headers[b"authorization"] = request.headers[b"authorization"][:-4] + b"0000"
    assert check.owners.owner(request) == arn


# Whoever names a key of another spends its own share, not that of the principal of the key.
def test_a_claim_from_elsewhere_is_of_its_address(checking):
    check, request, _arn = checking
    check(request, "dynamodb")
    for address, owner in (("192.0.2.8", "192.0.2.8"), ("2001:db8::1:2", "2001:db8::")):
        request.peer = Peer(address, True)
        assert check.owners.owner(request) == owner


def test_a_wrong_signature_proves_nothing(checking):
    check, request, _arn = checking
    request.headers[b"authorization"] = request.headers[b"authorization"][:-4] + b"0000"
    with pytest.raises(DynamoError):
        check(request, "dynamodb")
    assert check.owners.owner(request) == "192.0.2.7"


def test_what_claims_nothing_is_of_its_address(checking):
    check, request, _arn = checking
    check(request, "dynamodb")
    del request.headers[b"authorization"]
    assert check.owners.owner(request) == "192.0.2.7"


# As many sessions as a role begins, they have one share.
def test_sessions_have_the_share_of_their_role():
    credentials = StaticCredentials()
    for name in ("work", "play"):
        credentials.add(long_term("AKIDEXAMPLE", subject=session(name)), name)
    request, now_ms = sign(b"{}", HEADERS, token="work")
    check = SignatureCheck(credentials, lambda: now_ms, RequestRates(None, lambda: 0))
    check(request, "dynamodb")
    assert check.owners.owner(request) == f"arn:aws:iam::{ACCOUNT}:role/reader"
