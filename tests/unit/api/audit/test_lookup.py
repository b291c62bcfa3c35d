"""LookupEvents: what is refused, whose events are shown, and that it goes on where it ended."""

import asyncio
import json

import pytest

from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import Subject
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Principal
from hashrange.api.audit.lookup import CLOUDTRAIL, CloudTrail, LookupEvents, check
from hashrange.api.service_api import ServiceApi
from hashrange.api.steps.operation import Caller, Connection
from hashrange.api.steps.service_authorization import Authorizer
from hashrange.errors import DynamoError
from hashrange.model.structures.cloudtrail import LookupAttribute
from hashrange.wire.exchange import Request
from tests.unit.api.audit.logs import NOW_MS, written

ALLOW = {"Effect": "Allow", "Action": "cloudtrail:LookupEvents", "Resource": "*"}


def user(account, *statements):
    """A verified caller with a policy of statements."""
    principal = Principal(type="User", arn=f"arn:aws:iam::{account}:user/u", account=account)
    text = json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
    documents = (parse(text, PolicyUse.MANAGED),) if statements else ()
    connection = Connection("192.0.2.1", False, None, "AKIA")
    return Caller(account, "r", "localhost", Subject(principal, documents), connection)


def of_attribute(key, value):
    attribute = LookupAttribute(attribute_key=key, attribute_value=value)
    return {"lookup_attributes": [attribute]}


def asked(
    directory, caller, body=b"{}", *, operation=b"LookupEvents", now_ms=NOW_MS + 60_000, **bounds
):
    backend = CloudTrail(directory, lambda: now_ms, separate=False, **bounds)
    api = ServiceApi(CLOUDTRAIL, backend, Authorizer(lambda: now_ms), str)
    target = CLOUDTRAIL.protocols[0].target + b"." + operation
    request = Request(b"POST", b"/", b"", {b"x-amz-target": target}, body)
    response = asyncio.run(api.respond(request, caller))
    return response.status, json.loads(response.body)


ANYONE = Caller("1", "r", "localhost")


def test_events_are_shown_newest_first_and_page_by_page(tmp_path):
    written(tmp_path, 7)
    status, answer = asked(tmp_path, ANYONE, b'{"MaxResults": 3}')
    assert status == 200
    ids = [event["EventId"] for event in answer["Events"]]
    while token := answer.get("NextToken"):
        body = json.dumps({"MaxResults": 3, "NextToken": token}).encode()
        _, answer = asked(tmp_path, ANYONE, body)
        ids += [event["EventId"] for event in answer["Events"]]
    assert ids == ["6", "5", "4", "3", "2", "1", "0"]


# A request reads so much and no more; it goes on with the next page, which may be empty.
def test_a_request_reads_a_bounded_part(tmp_path):
    written(tmp_path, 7)
    attribute = {"AttributeKey": "EventId", "AttributeValue": "0"}
    asks = {"LookupAttributes": [attribute]}
    pages, events, token = 0, [], None
    while pages == 0 or token:
        body = {**asks, "NextToken": token} if token else asks
        _, answer = asked(tmp_path, ANYONE, json.dumps(body).encode(), lookup_bytes_max=1)
        pages, token = pages + 1, answer.get("NextToken")
        events += answer["Events"]
    assert pages > 3
    assert [event["EventId"] for event in events] == ["0"]


def test_a_verified_caller_needs_a_permission(tmp_path):
    written(tmp_path, 1)
    status, answer = asked(tmp_path, user("111122223333"))
    assert status in {400, 403}
    assert "is not authorized to perform: cloudtrail:LookupEvents because no" in str(answer)
    assert asked(tmp_path, user("111122223333", ALLOW))[0] == 200
    elsewhere = {"IpAddress": {"aws:SourceIp": "198.51.100.0/24"}}
    assert asked(tmp_path, user("111122223333", {**ALLOW, "Condition": elsewhere}))[0] != 200
    here = {"IpAddress": {"aws:SourceIp": "192.0.2.0/24"}}
    assert asked(tmp_path, user("111122223333", {**ALLOW, "Condition": here}))[0] == 200


# The records of the log are of no account; a verified caller sees those of its own only.
def test_a_verified_caller_sees_the_events_of_its_account(tmp_path):
    written(tmp_path, 3)
    assert asked(tmp_path, user("111122223333", ALLOW))[1] == {"Events": []}
    assert len(asked(tmp_path, ANYONE)[1]["Events"]) == 3


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"start_time": 1e300}, "INVALID_TIME_RANGE"),
        ({"end_time": -1.0}, "INVALID_TIME_RANGE"),
        ({"start_time": 5.0, "end_time": 4.0}, "INVALID_TIME_RANGE"),
        ({"start_time": NOW_MS / 1000 + 1}, "INVALID_TIME_RANGE"),
        ({"max_results": 51}, "INVALID_MAX_RESULTS"),
        ({"next_token": "zz"}, "INVALID_NEXT_TOKEN"),
        ({"event_category": "insight"}, "INVALID_EVENT_CATEGORY"),
        (of_attribute("x", "y"), "INVALID_LOOKUP_ATTRIBUTES"),
        (of_attribute("ReadOnly", "True"), "INVALID_LOOKUP_ATTRIBUTES"),
    ],
)
def test_what_is_refused(members, fault):
    with pytest.raises(DynamoError) as caught:
        check(LookupEvents(**members), NOW_MS)
    assert caught.value.fault.name == fault


@pytest.mark.parametrize("body", [b"[]", b"{", b"\xff", b'{"NextToken":"\xff"}', b"[" * 10_000])
def test_a_body_that_is_none(tmp_path, body):
    status, answer = asked(tmp_path, ANYONE, body)
    assert (status, answer["__type"].rpartition("#")[2]) == (400, "SerializationException")


def test_events_of_ninety_days_are_shown(tmp_path):
    written(tmp_path, 1)
    _, answer = asked(tmp_path, ANYONE, now_ms=NOW_MS + 91 * 24 * 3600 * 1000)
    assert answer == {"Events": []}
