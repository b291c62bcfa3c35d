"""Other APIs on the port: which request goes to which of them, and as whose."""

import asyncio

from hashrange.api.apis import Apis
from hashrange.observe.metrics import Metrics
from hashrange.server.endpoint import Endpoint
from hashrange.server.heads import HeadReader
from hashrange.server.hosts import Hosts
from hashrange.server.request_log import RequestLog
from hashrange.server.responses import UNKNOWN_OPERATION
from hashrange.wire.exchange import Request, Response
from tests.unit.server.harness import StillClock

FORM = b"application/x-www-form-urlencoded; charset=utf-8"


class Named:
    """Answers with its name and the caller, and tells refusals."""

    def __init__(self, name):
        self.name = name

    async def respond(self, _request, caller):
        return Response(200, f"{self.name} {caller.account} {caller.region}".encode())

    def refuse(self, _request, error):
        return Response(418, f"{self.name} {error.fault.name}".encode())


class Unused:
    """A pipeline that no request of these tests reaches."""

    epoch = 0


APIS = Apis(
    {b"AnyScaleFrontendService": Named("scaling")}, {"sts": Named("sts"), "iam": Named("iam")}
)


def answer(host=b"localhost", service="sts", **headers):
    credential = f"123456789012/20261121/eu-west-1/{service}/aws4_request"
    signed = f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature={'0' * 64}"
    sent = {
        b"host": host,
        b"authorization": signed.encode(),
        b"x-amz-date": b"20261121T100000Z",
    } | {name.replace("_", "-").encode(): value for name, value in headers.items()}
    metrics = Metrics()
    endpoint = Endpoint(
        Unused(),
        StillClock(),
        metrics,
        request_log=RequestLog(lambda: b"", StillClock().monotonic_ns, 1_000),
        heads=HeadReader(Unused(), metrics, Hosts(None, "127.0.0.1")),
        apis=APIS,
    )
    sent = {name: value for name, value in sent.items() if value is not None}
    return asyncio.run(endpoint.respond(Request(b"POST", b"/", b"", sent, b"Action=X")))


def test_a_json_api_is_found_by_its_target():
    found = answer(x_amz_target=b"AnyScaleFrontendService.DescribeScalingPolicies")
    assert found.body == b"scaling 123456789012 eu-west-1"


def test_a_form_goes_to_the_service_that_it_is_signed_for():
    assert answer(content_type=FORM).body == b"sts 123456789012 eu-west-1"
    assert answer(content_type=FORM, service="iam").body == b"iam 123456789012 eu-west-1"
    assert answer(content_type=FORM, service="sns") is UNKNOWN_OPERATION
    assert answer(content_type=FORM, authorization=None) is UNKNOWN_OPERATION


def test_a_foreign_host_and_a_missing_signature_are_refused_in_the_form_of_the_api():
    assert answer(content_type=FORM, host=b"evil.example").body == b"sts FORBIDDEN"
    target = b"AnyScaleFrontendService.DescribeScalingPolicies"
    refused = answer(x_amz_target=target, authorization=None)
    assert refused.body == b"scaling MISSING_AUTHENTICATION_TOKEN"
