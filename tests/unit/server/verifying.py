"""An endpoint that verifies signatures, and requests that are signed as botocore signs them."""

import asyncio

import msgspec

from hashrange.access.signatures.signing import Credentials as Keys
from hashrange.access.signatures.signing import signed_headers
from hashrange.api.apis import Apis
from hashrange.observe.metrics import Metrics
from hashrange.server.callers import SignatureCheck
from hashrange.server.endpoint import Endpoint
from hashrange.server.failed_signatures import FailedSignatures
from hashrange.server.heads import HeadReader
from hashrange.server.request_log import RequestLog
from hashrange.server.request_rates import RequestRates
from hashrange.server.verified_heads import VerifiedHeads
from hashrange.wire.exchange import Peer, Request, Response
from tests.static_credentials import SECRET, StaticCredentials, long_term, user
from tests.unit.server.harness import StillClock

TARGET = "DynamoDB_20120810.GetItem"
HERE = Peer("192.0.2.7", False)
FORM = "application/x-www-form-urlencoded; charset=utf-8"


class Mirror:
    """A pipeline that answers who asked."""

    def __init__(self):
        self.epoch = 0
        self.asked = 0

    def performer(self, name, caller):
        self.asked += 1

        async def perform(_request):
            connection = caller.connection
            return [
                name,
                caller.subject.principal.arn.rpartition("/")[2],
                caller.region,
                connection.source_ip,
                connection.is_secure,
                connection.user_agent,
                connection.access_key,
            ]

        return perform


class OtherApi:
    """Answers with the caller, and tells refusals."""

    def __init__(self, name):
        self.name = name

    async def respond(self, _request, caller):
        return Response(200, caller.subject.principal.arn.encode())

    def refuse(self, _request, error):
        return Response(418, error.fault.name.encode())


APIS = Apis(
    {b"AnyScaleFrontendService": OtherApi("application-autoscaling")}, {"sts": OtherApi("sts")}
)


def to_an_object(request):
    request.body, request.decompress = b"{}", None


def never_called(_request):
    raise AssertionError("the signature does not hold")


class Place:
    """An endpoint with a clock that stands still and credentials that can be changed."""

    def __init__(self, *, requests_max=None):
        self.clock = StillClock()
        self.metrics = Metrics()
        self.pipeline = Mirror()
        self.credentials = StaticCredentials(long_term())
        self.credentials.add(long_term("AKIDBOB", "bob's", user("bob")))
        self.waits = []
        rates = RequestRates(requests_max, self.clock.monotonic_ns)
        self.failures = FailedSignatures(self.clock.monotonic_ns, self._wait)
        verified = VerifiedHeads(
            self.credentials,
            self.clock.now_ms,
            authenticate=SignatureCheck(self.credentials, self.clock.now_ms, rates),
            failures=self.failures,
        )
        self.endpoint = Endpoint(
            self.pipeline,
            self.clock,
            self.metrics,
            request_log=RequestLog(lambda: b"ID", self.clock.monotonic_ns, 0),
            heads=HeadReader(self.pipeline, self.metrics, verified=verified),
            apis=APIS,
        )

    async def _wait(self, seconds):
        self.waits.append(seconds)

    def signed(self, body=b"{}", *, peer=HERE, headers=(), service=None, **keys):
        """A request, signed now."""
        given = {"access_key": "AKIDEXAMPLE", "secret_key": SECRET, "session_token": None}
        chosen = Keys(**{**given, "region": "eu-west-1", **keys})
        sent = {
            "Host": "localhost",
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": TARGET,
            **dict(headers),
        }
        if service is not None:
            del sent["X-Amz-Target"]
            sent["Content-Type"] = FORM
        found = signed_headers(sent, body, chosen, self.clock.now_ms())
        named = {name.lower().encode(): text.encode() for name, text in found.items()}
        return Request(b"POST", b"/", b"", named, body, peer)

    def answer(self, request):
        response = asyncio.run(self.endpoint.respond(request))
        return response.status, msgspec.json.decode(response.body)

    def fault(self, request):
        status, body = self.answer(request)
        assert status == 400
        return body["__type"].rpartition("#")[2]


ALICE = ["GetItem", "alice", "eu-west-1", "192.0.2.7", False, None, "AKIDEXAMPLE"]
