"""Requests through an endpoint that verifies signatures: what is known of a head, and what is not.

The requests are signed by `hashrange.access.signatures.signing`, whose signatures are those of
botocore.
"""

import asyncio

import msgspec
import pytest

from hashrange.errors import Fault
from hashrange.limits.access import FAILED_SIGNATURES_FREE, FAILED_SIGNATURES_WAITING_MAX
from hashrange.server.failed_signatures import FailedSignatures, pause
from hashrange.wire.exchange import Peer
from tests.pace import turns
from tests.static_credentials import SECRET, long_term, session, user
from tests.unit.server.harness import StillClock
from tests.unit.server.verifying import ALICE, Place, to_an_object


def test_a_head_is_read_once_and_each_body_verified():
    place = Place()
    for body in (b"{}", b'{"TableName":"a"}', b"{}"):
        assert place.answer(place.signed(body)) == (200, ALICE)
    assert place.pipeline.asked == 1
    tampered = place.signed(b'{"TableName":"a"}')
    tampered.body = b'{"TableName":"b"}'
    assert place.fault(tampered) == "InvalidSignatureException"
    other = place.signed(b"{}", secret_key="another")
    assert place.fault(other) == "InvalidSignatureException"
    assert place.answer(place.signed(b"{}")) == (200, ALICE)
    assert place.pipeline.asked == 1


# Policies test where a request comes from, and with what; none may get the answer of another.
@pytest.mark.parametrize(
    ("changed", "at", "value"),
    [
        ({"peer": Peer("192.0.2.8", False)}, 3, "192.0.2.8"),
        ({"peer": Peer("192.0.2.7", True)}, 4, True),
        ({"headers": {"User-Agent": "curl"}}, 5, "curl"),
        ({"region": "us-east-1"}, 2, "us-east-1"),
        ({"access_key": "AKIDBOB", "secret_key": "bob's"}, 1, "bob"),
        ({"session_token": "t"}, 1, "work"),
        ({"headers": {"X-Amz-Target": "DynamoDB_20120810.PutItem"}}, 0, "PutItem"),
    ],
)
def test_requests_that_differ_in_what_policies_see(changed, at, value):
    place = Place()
    place.credentials.add(long_term(subject=session()), "t")
    for _ in range(2):
        assert place.answer(place.signed()) == (200, ALICE)
        status, found = place.answer(place.signed(**changed))
        assert (status, found[at]) == (200, value)
    assert place.pipeline.asked == 2


def test_a_revoked_key_is_refused_at_once():
    place = Place()
    request = place.signed()
    assert place.answer(request) == (200, ALICE)
    place.credentials.revoke("AKIDEXAMPLE")
    assert place.fault(request) == "UnrecognizedClientException"
    place.credentials.add(long_term(subject=user("carol")))
    assert place.answer(place.signed())[1][1] == "carol"


def test_a_new_policy_is_asked_about_known_heads():
    place = Place()
    for epoch, asked in ((0, 1), (0, 1), (1, 2)):
        place.pipeline.epoch = epoch
        place.answer(place.signed())
        assert place.pipeline.asked == asked


def test_a_known_request_is_no_longer_accepted_after_fifteen_minutes():
    place = Place()
    request = place.signed()
    assert place.answer(request) == (200, ALICE)
    place.clock.seconds += 15 * 60
    assert place.answer(request) == (200, ALICE)
    place.clock.seconds += 1
    _, body = place.answer(request)
    assert body["message"].startswith("Signature expired: ")
    place.clock.seconds -= 30 * 60 + 2
    _, body = place.answer(request)
    assert body["message"].startswith("Signature not yet current: ")


def test_a_known_session_ends():
    place = Place()
    ending = msgspec.structs.replace(
        long_term(subject=session()), expires_ms=place.clock.now_ms() + 5_000
    )
    place.credentials.add(ending, "t")
    request = place.signed(session_token="t")
    assert place.answer(request)[0] == 200
    place.clock.seconds += 5
    assert place.fault(request) == "ExpiredTokenException"


@pytest.mark.parametrize(
    ("header", "value"),
    [(b"x-amz-date", None), (b"authorization", None), (b"content-type", b"application/json")],
)
def test_what_has_not_the_usual_form_is_verified_too(header, value):
    place = Place()
    for _ in range(2):
        request = place.signed()
        if value is None:
            del request.headers[header]
            expected = {
                b"x-amz-date": "IncompleteSignatureException",
                b"authorization": "MissingAuthenticationTokenException",
            }[header]
        else:
            request.headers[header] = value
            expected = "InvalidSignatureException"
        assert place.fault(request) == expected


def test_other_apis_have_verified_callers():
    place = Place()
    target = {"X-Amz-Target": "AnyScaleFrontendService.DescribeScalingPolicies"}
    request = place.signed(headers=target)
    response = asyncio.run(place.endpoint.respond(request))
    # Signed for DynamoDB.
    assert (response.status, response.body) == (418, b"INVALID_SIGNATURE")
    request = place.signed(b"Action=GetCallerIdentity", service="sts")
    request.headers[b"authorization"] = request.headers[b"authorization"].replace(
        b"/dynamodb/", b"/sts/"
    )
    response = asyncio.run(place.endpoint.respond(request))
    assert (response.status, response.body) == (418, b"INVALID_SIGNATURE")


def test_answers_to_failures_are_slowed_by_address():
    place = Place()
    for _ in range(FAILED_SIGNATURES_FREE):
        place.fault(place.signed(secret_key="another"))
    assert place.waits == []
    for _ in range(30):
        place.fault(place.signed(secret_key="another"))
    assert place.waits == [pytest.approx(min(0.1 * (number + 1), 2.0)) for number in range(30)]
    place.waits.clear()
    # Neither another address nor a request with a right signature.
    place.fault(place.signed(secret_key="another", peer=Peer("192.0.2.8", False)))
    assert place.answer(place.signed())[0] == 200
    assert place.waits == []
    place.clock.seconds += 10
    place.fault(place.signed(secret_key="another"))
    assert place.waits == []


# One client has a whole network of IPv6.
def test_addresses_of_one_network_are_slowed_together():
    place = Place()
    for number in range(FAILED_SIGNATURES_FREE):
        place.fault(place.signed(secret_key="x", peer=Peer(f"2001:db8::{number:x}", False)))
    place.fault(place.signed(secret_key="x", peer=Peer("2001:db8::ffff:1", False)))
    assert len(place.waits) == 1
    place.fault(place.signed(secret_key="x", peer=Peer("2001:db8:0:1::1", False)))
    assert len(place.waits) == 1


def test_a_slowed_answer_keeps_no_body_and_other_refusals_are_not_slowed():
    place = Place()
    for _ in range(FAILED_SIGNATURES_FREE + 1):
        request = place.signed(secret_key="another")
        place.fault(request)
    assert request.body == b""
    place.waits.clear()
    place.fault(place.signed(headers={"X-Amz-Target": "DynamoDB_20120810.X"}))
    place.fault(place.signed(b'{"TableName": 1}'))
    assert place.waits == []


def test_not_more_answers_wait_than_may():
    async def main():
        clock, ends = StillClock(), []

        async def wait(_seconds):
            ends.append(asyncio.get_running_loop().create_future())
            await ends[-1]

        failures = FailedSignatures(clock.monotonic_ns, wait)
        place = Place()
        request = place.signed()
        fault = Fault.INVALID_SIGNATURE
        for _ in range(FAILED_SIGNATURES_FREE):
            await failures.slow(request, fault)
        tasks = [
            asyncio.ensure_future(failures.slow(request, fault))
            for _ in range(FAILED_SIGNATURES_WAITING_MAX + 5)
        ]
        await turns()
        assert failures.waiting == FAILED_SIGNATURES_WAITING_MAX
        assert sum(task.done() for task in tasks) == 5
        for end in ends:
            end.set_result(None)
        await asyncio.gather(*tasks)
        assert failures.waiting == 0

    asyncio.run(main())


def test_a_pause_ends():
    asyncio.run(pause(0))


def test_requests_of_a_principal_are_limited():
    place = Place(requests_max=3)
    for _ in range(2):
        for _ in range(3):
            assert place.answer(place.signed())[0] == 200
        _, body = place.answer(place.signed())
        assert body["__type"].endswith("#ThrottlingException")
        assert body["message"] == ("The principal has made more than 3 requests within a second")
        assert place.answer(place.signed(access_key="AKIDBOB", secret_key="bob's"))[0] == 200
        place.clock.seconds += 1
    assert place.waits == []


# A role is limited as a whole: anybody may begin sessions of it.
def test_sessions_of_a_role_share_its_limit():
    place = Place(requests_max=1)
    for name in ("one", "other"):
        place.credentials.add(long_term(subject=session(name)), name)
    assert place.answer(place.signed(session_token="one"))[0] == 200
    assert place.fault(place.signed(session_token="other")) == "ThrottlingException"


def test_no_log_line_has_a_signature_or_a_secret(caplog):
    caplog.set_level("DEBUG")
    place = Place()
    place.credentials.add(long_term(subject=session()), "THE-TOKEN")
    failing, forged = place.signed(b"[]", session_token="THE-TOKEN"), place.signed(secret_key="x")

    token = "THE-TOKEN"

    async def fail(_request):
        raise RuntimeError(repr(failing), repr(place.credentials.find("AKIDEXAMPLE", token)))

    place.pipeline.performer = lambda _name, _caller: fail
    failing.decompress = to_an_object
    assert place.answer(failing)[0] == 500
    assert place.fault(forged) == "InvalidSignatureException"
    assert "RuntimeError" in caplog.text
    signatures = [
        each.headers[b"authorization"].rpartition(b"=")[2].decode() for each in (failing, forged)
    ]
    for secret in (SECRET, f"'{token}'", *signatures):
        assert secret not in caplog.text
