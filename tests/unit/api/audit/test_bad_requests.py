"""Records of requests that are refused: broken bodies, large ones, and what they cost."""

import json

import pytest

from hashrange.api.audit.statements import REDACTED
from hashrange.limits.access import (
    AUDIT_ACTIONS_MAX,
    AUDIT_ECHO_BYTES_MAX,
    AUDIT_MEMBER_BYTES_MAX,
    AUDIT_TEXT_CHARS_MAX,
    FORM_BYTES_MAX,
    FORM_FIELDS_MAX,
)
from hashrange.limits.requests import STATEMENT_CHARS_MAX
from hashrange.model.operations import OPERATION_FACTS
from hashrange.wire.exchange import Request, Response
from tests.pace import costs_at_most
from tests.unit.api.audit.requests import CALLER, Recording, error

INVALID = error("ValidationException", "no")
UNREADABLE = [b"", b"{", b"[]", b'{"TableName":"\xff"}', b'{"TableName":7}', b"[" * 100_000]
DATA_EVENTS = [name for name, facts in OPERATION_FACTS.items() if facts.is_data_event]
KEY = {"Artist": {"S": "a"}, "SongTitle": {"S": "b"}}
LOOPS_MAX = 50
"""The most that a record costs; see `tests.pace`."""


@pytest.fixture(scope="module")
def recording():
    return Recording()


@pytest.fixture(scope="module")
def refused(recording):
    """Records a request of an operation that is refused with a body; the event."""

    def record(operation, body, answer=INVALID):
        with costs_at_most(LOOPS_MAX):
            return recording.record(operation, body, status=400, answer=answer)

    return record


@pytest.mark.parametrize("body", UNREADABLE, ids=lambda body: repr(body[:20]))
@pytest.mark.parametrize("operation", [*DATA_EVENTS, "CreateTable", "DescribeTable"])
def test_a_body_that_cannot_be_read_has_a_record(refused, operation, body):
    event = refused(operation, body)
    assert (event.event_name, event.error_code) == (operation, "ValidationException")


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b'{"ResourceId":"\xff"}', {b"x-amz-target": b"AnyScaleFrontendService.PutScalingPolicy"}),
        (b"Action=ListUsers&x=" + b"x" * FORM_BYTES_MAX, {}),
        (b"Action=ListUsers" + b"&x=x" * FORM_FIELDS_MAX, {}),
    ],
    ids=["JSON", "a large form", "many fields"],
)
def test_a_call_of_another_api_that_cannot_be_read_has_a_record(recording, body, headers):
    recording.events.clear()
    request = Request(b"POST", b"/", b"", headers, body)
    recording.recorder.record_call(request, "iam.amazonaws.com", CALLER, Response(400, INVALID))
    (event,) = recording.events
    assert event.event_name == ("PutScalingPolicy" if headers else "Unknown")
    assert event.request_parameters is None


def test_a_long_message_is_cut_off(refused):
    answer = error("ResourceInUseException", "x" * 2 * AUDIT_TEXT_CHARS_MAX)
    event = refused("CreateTable", {"TableName": "t"}, answer)
    assert event.error_message == "x" * AUDIT_TEXT_CHARS_MAX


# A value whose first characters are the last ones of what is recorded.
@pytest.mark.parametrize("shown", [3, 40])
def test_a_value_at_the_end_of_a_long_message_is_not_shown(refused, shown):
    value = "secret" * 10
    message = "x" * (AUDIT_TEXT_CHARS_MAX - shown) + value
    body = {"TableName": "Music", "Item": {"Artist": {"S": value}}}
    assert refused("PutItem", body, error("ValidationException", message)).error_message == REDACTED


def test_a_message_about_a_large_request_is_not_shown(refused):
    item = {"Artist": {"S": "a" * AUDIT_ECHO_BYTES_MAX}}
    event = refused("PutItem", {"TableName": "Music", "Item": item})
    assert event.error_message == REDACTED


def test_a_management_request_that_is_too_large_is_left_out(refused):
    body = json.dumps({"TableName": "x" * AUDIT_MEMBER_BYTES_MAX}).encode()
    event = refused("CreateTable", body)
    assert event.request_parameters == {
        "omitted": True,
        "originalSize": len(body),
        "reason": "requestParametersTooLarge",
    }


MANY = 1_000_000
PUT, GET = {"PutRequest": {"Item": KEY}}, {"Get": {"TableName": "Music", "Key": KEY}}


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("BatchWriteItem", {"RequestItems": {"Music": [PUT] * (AUDIT_ACTIONS_MAX + 1)}}),
        ("TransactGetItems", {"TransactItems": [GET] * (AUDIT_ACTIONS_MAX + 1)}),
        ("BatchWriteItem", b'{"RequestItems":{"Music":[%b{}]}}' % (b"{}," * MANY)),
        pytest.param(
            "TransactWriteItems",
            b'{"TransactItems":[%b{"Put":{}}]}' % (b'{"Put":{}},' * MANY),
            marks=pytest.mark.long,
        ),
        pytest.param(
            "BatchExecuteStatement",
            b'{"Statements":[%b{}]}' % (b"{}," * MANY),
            marks=pytest.mark.long,
        ),
    ],
    ids=["writes", "gets", "a million writes", "a million actions", "a million statements"],
)
def test_the_first_actions_are_recorded(refused, operation, body):
    assert len(refused(operation, body).request_parameters["requestItems"]) == AUDIT_ACTIONS_MAX


def test_the_first_keys_are_recorded(refused):
    keys = [KEY] * (AUDIT_ACTIONS_MAX + 1)
    event = refused("BatchGetItem", {"RequestItems": {"Music": {"Keys": keys}}})
    (found,) = event.request_parameters["requestItems"]
    assert len(found["keys"]) == AUDIT_ACTIONS_MAX


# Their parts are looked for in them, which may cost no more than their length.
@pytest.mark.parametrize("text", ["a" * MANY, "a " * MANY, "a =" * MANY, " " * MANY])
def test_long_expressions_and_statements_cost_little(refused, text):
    asked = {"TableName": "Music", "KeyConditionExpression": text}
    assert refused("Query", asked).event_name == "Query"
    assert refused("ExecuteStatement", {"Statement": text}).event_name == "ExecuteStatement"


def test_a_statement_that_is_too_long_is_redacted(refused):
    statement = "SELECT * FROM Music WHERE Artist = 'a'"
    event = refused("ExecuteStatement", {"Statement": statement.ljust(STATEMENT_CHARS_MAX)})
    assert event.request_parameters["statement"].startswith(statement)
    event = refused("ExecuteStatement", {"Statement": statement.ljust(STATEMENT_CHARS_MAX + 1)})
    assert event.request_parameters["statement"] == REDACTED
