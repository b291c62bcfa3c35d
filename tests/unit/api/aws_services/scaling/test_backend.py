"""The API of auto scaling: what it makes of requests, and who may send them."""

import json

import pytest

from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import Subject
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Principal
from hashrange.api.aws_services.scaling.backend import AutoScaling
from hashrange.api.aws_services.scaling.service import AUTO_SCALING
from hashrange.api.service_api import ServiceApi
from hashrange.api.steps.operation import Caller, Connection
from hashrange.api.steps.service_authorization import Authorizer
from hashrange.errors import DynamoError, Fault
from hashrange.wire.exchange import Request
from tests.unit.api.dynamodb.still_server import CALLER, StillServer

ARN = "arn:aws:iam::000000000000:user/u"
SCOPE = "arn:aws:application-autoscaling:us-east-1:000000000000:scalable-target/*"


@pytest.fixture
def server():
    made = StillServer()
    yield made
    made.end()


def api_of(server):
    backend = AutoScaling(server.store, server.catalog, separate=False)
    clock = server.store.clock
    return ServiceApi(AUTO_SCALING, backend, Authorizer(clock.now_ms), clock.new_uuid)


def answer(server, operation, body=b"{}", caller=CALLER):
    api = api_of(server)
    headers = {b"x-amz-target": b"AnyScaleFrontendService." + operation.encode()}
    response = server.run(api.respond(Request(b"POST", b"/", b"", headers, body), caller))
    assert response.content_type == b"application/x-amz-json-1.1"
    return response.status, json.loads(response.body)


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'{"MaxResults": "x"}', b"[" * 5000])
def test_bodies_that_are_no_requests(server, body):
    status, refusal = answer(server, "DescribeScalableTargets", body)
    assert status == 400
    assert refusal["__type"] == "SerializationException"


def test_operations_that_are_none(server):
    status, refusal = answer(server, "Explode")
    assert (status, refusal["__type"]) == (400, "UnknownOperationException")


def test_refusals_before_the_request_is_read(server):
    api = api_of(server)
    request = Request(b"POST", b"/", b"", {}, b"")
    response = api.refuse(request, DynamoError(Fault.UNRECOGNIZED_CLIENT, "who"))
    assert response.status == 400
    expected = {"__type": "UnrecognizedClientException", "Message": "who"}
    assert json.loads(response.body) == expected


def caller_with(*statements):
    principal = Principal(type="User", arn=ARN, account="000000000000")
    document = parse(
        json.dumps({"Version": "2012-10-17", "Statement": list(statements)}), PolicyUse.INLINE
    )
    subject = Subject(principal, (document,))
    connection = Connection("127.0.0.1", False, None, "AKIA")
    return Caller("000000000000", "us-east-1", "localhost", subject, connection)


def test_policies_decide(server):
    body = b'{"ServiceNamespace": "dynamodb"}'
    allow = {"Effect": "Allow", "Resource": "*"}
    reads = {**allow, "Action": "application-autoscaling:Describe*"}
    assert answer(server, "DescribeScalableTargets", body, caller_with(reads))[0] == 200
    status, refusal = answer(server, "RegisterScalableTarget", body, caller_with(reads))
    assert (status, refusal["__type"]) == (400, "AccessDeniedException")
    assert refusal["Message"] == (
        f"User: {ARN} is not authorized to perform: application-autoscaling:RegisterScalableTarget "
        f"on resource: {SCOPE} because no identity-based policy allows the "
        "application-autoscaling:RegisterScalableTarget action"
    )
    tables = {**allow, "Action": "dynamodb:*"}
    assert answer(server, "DescribeScalableTargets", body, caller_with(tables))[0] == 400
