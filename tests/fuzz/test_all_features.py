"""Requests that are nearly right, on a server that has all that decides on requests.

Its callers have policies with all condition keys, its tables have limits of capacity, their keys
are counted and sampled, and all requests are recorded. A request may be denied or throttled; what
else holds of every answer is in `tests.fuzz.test_requests`.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.identities.stored_credentials import Credential
from hashrange.access.signatures.signing import Credentials, signed_headers
from hashrange.api.admission.own_tables import OwnTables
from hashrange.api.authorization.guard import Guard
from hashrange.api.dynamodb.insights.counting import KeyCounting
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.gate import Gate
from hashrange.api.steps.operation import TableChoices
from hashrange.clock import SystemClock
from hashrange.limits.tables import PARTITION_BYTES_MAX
from hashrange.server.callers import SignatureCheck
from hashrange.server.failed_signatures import FailedSignatures
from hashrange.server.heads import HeadReader
from hashrange.server.request_rates import RequestRates
from hashrange.server.sampler import Sampler
from hashrange.server.verified_heads import VerifiedHeads
from tests.fuzz.memory import MemoryServer
from tests.fuzz.mutations import CORPUS, encoded, mutated
from tests.fuzz.test_requests import OF_NOTHING, check, put_back
from tests.unit.api.authorization.guarded import user

ACCOUNT = "000000000000"
NEVER = "no-request-has-it"
KEYS = (
    "dynamodb:LeadingKeys",
    "dynamodb:Attributes",
    "dynamodb:Select",
    "dynamodb:ReturnValues",
    "dynamodb:ReturnConsumedCapacity",
    "dynamodb:EnclosingOperation",
    "dynamodb:FullTableScan",
    "aws:RequestTag/x",
    "aws:ResourceTag/x",
    "aws:TagKeys",
)
"""Each decides on a request, since a statement that denies has it alone."""
DENIALS = [
    {
        "Effect": "Deny",
        "Action": "*",
        "Resource": "*",
        "Condition": {"ForAnyValue:StringEquals": {key: NEVER}},
    }
    for key in KEYS
]
TYPE = "application/x-amz-json-1.0"
SIGNER = Credentials(
    access_key="AKIDFUZZ", secret_key="secret", session_token=None, region="us-east-1"
)
THROTTLES = TableChoices(throttles=True)
ALLOWED = {"Effect": "Allow", "Action": "*", "Resource": "*"}
SUBJECT = user("fuzz", ALLOWED, *DENIALS, account=ACCOUNT).subject
CREDENTIAL = Credential(SIGNER.access_key, SIGNER.secret_key, SUBJECT)


class OneUser:
    """The credentials of a user whose policies have all condition keys."""

    epoch = 0

    def find(self, access_key, _session_token):
        """See `Credentials.find`."""
        assert access_key == SIGNER.access_key
        return CREDENTIAL


class FeaturedServer(MemoryServer):
    """All requests are those of one user."""

    def _pipeline(self, store, catalog, metrics):
        clock = SystemClock()  # whose time passes, so that units come back
        pipeline = Pipeline(store, catalog, metrics.consumed, choices=THROTTLES)
        pipeline.guard(Guard(clock.now_ms, separate=False))
        capacities = OwnTables(self._engine, catalog, clock, PARTITION_BYTES_MAX)
        gate = Gate(capacities, clock.now_ms, metrics.throttled)
        counting = KeyCounting(gate, clock.now_ms, pipeline.limit, separate=False)
        catalog.on_open = counting.opened
        pipeline.limit(gate)
        self.sampler = Sampler(pipeline.observe, lambda: 0)
        self.sampler.watch()
        return pipeline

    def _heads(self, pipeline, metrics):
        credentials, clock = OneUser(), SystemClock()
        rates = RequestRates(None, clock.monotonic_ns)
        verified = VerifiedHeads(
            credentials,
            clock.now_ms,
            authenticate=SignatureCheck(credentials, clock.now_ms, rates),
            failures=FailedSignatures(clock.monotonic_ns),
        )
        return HeadReader(pipeline, metrics, verified=verified)

    def _headers(self, target, body):
        named = {"Host": "localhost", "Content-Type": TYPE, "X-Amz-Target": target.decode()}
        now_ms = SystemClock().now_ms()
        signed = {**named, **signed_headers(named, body, SIGNER, now_ms)}
        return {name.lower().encode(): text.encode() for name, text in signed.items()}


@pytest.fixture(scope="module")
def server():
    own = FeaturedServer()
    put_back(own)
    yield own
    own.close()


@pytest.mark.long
def test_the_corpus_is_allowed():
    server = FeaturedServer()
    for operation, requests in CORPUS.items():
        put_back(server)
        for request in requests:
            status = 400 if operation in OF_NOTHING else 200
            assert check(server, operation, encoded(request)) == status, (operation, request)
    server.close()


@given(st.randoms(use_true_random=False))
def test_changed_requests_are_answered(server, randomness):
    check(server, *mutated(randomness))
