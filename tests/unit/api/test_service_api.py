"""A service is a row: the same operation in two protocols, its checks in their order."""

import asyncio
import json

import msgspec
import pytest

from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import GovernedResource, Subject
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Principal
from hashrange.api.apis import Apis
from hashrange.api.service_api import ServiceApi
from hashrange.api.steps.operation import Caller, Connection
from hashrange.api.steps.service_authorization import Authorizer, Requirement
from hashrange.errors import DynamoError, Fault
from hashrange.wire.constraints import length, required, rows
from hashrange.wire.exchange import Request
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.query_protocol import QueryProtocol
from hashrange.wire.service import (
    FORM,
    Service,
    ServiceOperation,
    access_denied,
    by_name,
    internal_failure,
    short_named,
)

ACCOUNT = "111122223333"
TARGET = b"Weather_2026"
ANYONE = Caller(ACCOUNT, "r", "localhost")


class PutReading(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A request."""

    station: str | None = None


async def put(request, context):
    if request.station == "broken":
        raise ZeroDivisionError
    return {"Told": f"{request.station} {context}"}


WEATHER = Service(
    name="weather",
    version="2026-01-01",
    protocols=(
        JsonProtocol(target=TARGET),
        QueryProtocol(namespace="urn:weather", version="2026-01-01"),
    ),
    operations=lambda: by_name(
        ServiceOperation(
            request=PutReading,
            run=put,
            constraints=rows(required("station"), length("station", 1, 9)),
        )
    ),
    denied=access_denied,
    of_fault=short_named,
    internal=internal_failure("InternalFailure", "broken"),
)


class Stations:
    def context(self, caller):
        return caller.account

    async def requirements(self, action, typed, caller, _context):
        return [
            Requirement(
                action,
                GovernedResource(f"arn:aws:weather:r:1:station/{typed.station}", caller.account),
            )
        ]


API = ServiceApi(WEATHER, Stations(), Authorizer(lambda: 0), lambda: "id-1")
IN_JSON = {b"x-amz-target": TARGET + b".PutReading"}
IN_FORM = {b"content-type": FORM + b"; charset=utf-8"}


def answered(body, headers=IN_JSON, caller=ANYONE):
    response = asyncio.run(API.respond(Request(b"POST", b"/", b"", headers, body), caller))
    return response.status, response.body


def in_json(members, headers=IN_JSON, caller=ANYONE):
    status, body = answered(json.dumps(members).encode(), headers, caller)
    told = json.loads(body)
    return status, told.get("__type"), told


def test_a_request_has_the_answer_of_its_protocol():
    assert answered(b'{"Station": "a"}') == (200, b'{"Told":"a 111122223333"}')
    form = b"Action=PutReading&Version=2026-01-01&Station=a"
    status, body = answered(form, IN_FORM)
    assert status == 200
    assert b"<PutReadingResult><Told>a 111122223333</Told></PutReadingResult>" in body
    assert b"<RequestId>id-1</RequestId>" in body


def test_the_constraints_of_a_row_hold_in_each_protocol():
    status, code, told = in_json({"Station": "0123456789"})
    assert (status, code) == (400, "ValidationException")
    assert "'station' failed to satisfy constraint" in told["message"]
    status, body = answered(b"Action=PutReading&Version=2026-01-01&Station=0123456789", IN_FORM)
    assert status == 400
    assert b"<Code>ValidationError</Code>" in body
    assert b"at 'station' failed to satisfy constraint" in body


def caller_with(*actions):
    principal = Principal(type="User", arn=f"arn:aws:iam::{ACCOUNT}:user/u", account=ACCOUNT)
    statement = {
        "Effect": "Allow",
        "Action": list(actions),
        "Resource": "arn:aws:weather:r:1:station/a",
    }
    text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    connection = Connection("127.0.0.1", False, None, "AKIA")
    subject = Subject(principal, (parse(text, PolicyUse.MANAGED),))
    return Caller(ACCOUNT, "r", "localhost", subject, connection)


# What policies do not allow is not told to be wrong.
def test_policies_are_asked_before_the_constraints():
    allowed = caller_with("weather:PutReading")
    assert in_json({"Station": "a"}, caller=allowed)[0] == 200
    assert in_json({"Station": "b"}, caller=allowed)[:2] == (400, "AccessDeniedException")
    assert in_json({"Station": ""}, caller=allowed)[:2] == (400, "AccessDeniedException")
    other = caller_with("weather:GetReading")
    assert in_json({"Station": "a"}, caller=other)[:2] == (400, "AccessDeniedException")


@pytest.mark.parametrize(
    ("operation", "members", "found"),
    [
        ("Explode", {}, (400, "UnknownOperationException")),
        ("PutReading", [], (400, "SerializationException")),
        ("PutReading", {"Station": "broken"}, (500, "InternalFailure")),
    ],
)
def test_every_failure_has_an_answer(operation, members, found):
    headers = {b"x-amz-target": TARGET + b"." + operation.encode()}
    assert in_json(members, headers)[:2] == found


def test_what_is_refused_before_has_the_form_of_the_protocol():
    error = DynamoError(Fault.UNRECOGNIZED_CLIENT, "who")
    for headers, part in ((IN_JSON, b'"message":"who"'), (IN_FORM, b"<Message>who</Message>")):
        assert part in API.refuse(Request(b"POST", b"/", b"", headers, b""), error).body


def test_requests_are_found_by_the_protocols_of_the_row():
    apis = Apis().also((API.service, API))
    assert apis.by_target == {TARGET: API}
    assert apis.by_scope == {"weather": API}
    request = Request(b"POST", b"/", b"", IN_JSON, b"")
    assert apis.find(request) is API
    assert apis.service_of(request) == "weather"
