"""Until when a connection may go on without another signature."""

from types import SimpleNamespace

import pytest

from hashrange.errors import DynamoError
from hashrange.server.dax.callers import Authorization, Authorizer
from hashrange.server.failed_signatures import FAILURES
from hashrange.wire.exchange import NO_PEER

AUTHORIZATION = Authorization(
    caller=None, from_ms=1000, until_ms=2000, epoch=7, requests=(), budget=None
)
VERIFICATION = SimpleNamespace(credentials=SimpleNamespace(epoch=7))


# A clock that was set back would make it last longer.
@pytest.mark.parametrize(
    ("now_ms", "is_good"), [(999, False), (1000, True), (2000, True), (2001, False)]
)
def test_an_authorization_is_good_within_its_window(now_ms, is_good):
    authorizer = Authorizer(lambda: now_ms, VERIFICATION)
    if is_good:
        assert authorizer.current(AUTHORIZATION) is AUTHORIZATION
    else:
        with pytest.raises(DynamoError):
            authorizer.current(AUTHORIZATION)


# A client that sends them again and again is delayed as one with wrong signatures.
@pytest.mark.parametrize("arguments", [[0] * 5, ["", "", b"", None, None], []])
def test_arguments_without_a_signature_are_a_failed_one(arguments):
    with pytest.raises(DynamoError) as refused:
        Authorizer(lambda: 0, VERIFICATION).authorize(arguments, NO_PEER)
    assert refused.value.fault in FAILURES
