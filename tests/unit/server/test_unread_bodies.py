"""Bodies of requests whose signatures are not right: nothing of them is read."""

import asyncio

import pytest

from tests.unit.server.verifying import ALICE, Place, never_called, to_an_object


# The bytes that were sent are signed, not those that they decompress to.
def test_a_compressed_body_is_verified_as_it_was_sent():
    place = Place()
    for _ in range(2):
        request = place.signed(b"the bytes as sent")
        request.decompress = to_an_object
        assert place.answer(request) == (200, ALICE)
        assert request.body == b"{}"


# A body that unpacks to 16 MB, or is nested deeply, costs nobody anything without a signature.
@pytest.mark.parametrize(
    ("headers", "fault"),
    [
        ({}, "InvalidSignatureException"),
        ({"X-Amz-Target": "DynamoDB_20120810.X"}, "UnknownOperationException"),
        ({"X-Amz-Target": "AnyScaleFrontendService.X"}, "INVALID_SIGNATURE"),
    ],
)
def test_nothing_of_a_body_is_read_before_its_signature_holds(headers, fault):
    place = Place()
    request = place.signed(b"no JSON", secret_key="another", headers=headers)
    request.decompress = never_called
    response = asyncio.run(place.endpoint.respond(request))
    assert response.status >= 400
    assert fault in response.body.decode()


# What is wrong with a head is answered before the body has come: it is not even received.
def test_heads_that_no_body_makes_right():
    place = Place()
    right = place.signed()
    assert not place.endpoint.is_refused_early(right)
    place.answer(right)
    assert not place.endpoint.is_refused_early(place.signed(secret_key="another"))
    assert place.endpoint.is_refused_early(place.signed(access_key="AKIDNOBODY"))
    del right.headers[b"authorization"]
    assert place.endpoint.is_refused_early(right)
    other = place.signed(headers={"X-Amz-Target": "AnyScaleFrontendService.X"})
    assert place.endpoint.is_refused_early(other), "it is signed for another service"


# DynamoDB's own order, but for a body that is no JSON, which it refuses first of all.
def test_a_signature_is_looked_at_after_the_target_and_before_the_body():
    place = Place()
    request = place.signed(b"[", secret_key="another")
    assert place.fault(request) == "InvalidSignatureException"
    request = place.signed(headers={"X-Amz-Target": "DynamoDB_20120810.X"}, secret_key="another")
    assert place.fault(request) == "UnknownOperationException"
    request = place.signed(b'{"TableName": 1}', secret_key="another")
    assert place.fault(request) == "InvalidSignatureException"
