"""Records of requests of other APIs than DynamoDB's: IAM, STS, auto scaling."""

import pytest

from hashrange.wire.cbor_protocol import encoded
from hashrange.wire.exchange import Request, Response
from tests.unit.api.audit.requests import CALLER, Recording


@pytest.fixture(scope="module")
def recording():
    return Recording()


def test_calls_of_other_apis_are_recorded_without_secrets(recording):
    recording.events.clear()
    body = b"Action=GetSessionToken&Version=2011-06-15&TokenCode=123456&SerialNumber=arn%3Amfa"
    refusal = (
        b"<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>"
        b"<Message>no</Message></Error></ErrorResponse>"
    )
    headers = {b"content-type": b"application/x-www-form-urlencoded"}
    request = Request(b"POST", b"/", b"", headers, body)
    recording.recorder.record_call(request, "sts.amazonaws.com", CALLER, Response(403, refusal))
    (event,) = recording.events
    assert (event.event_source, event.event_name) == ("sts.amazonaws.com", "GetSessionToken")
    assert event.request_parameters == {
        "tokenCode": "HIDDEN_DUE_TO_SECURITY_REASONS",
        "serialNumber": "arn:mfa",
    }
    assert (event.error_code, event.error_message) == ("AccessDenied", "no")
    assert event.response_elements is None
    assert event.management_event
    recording.events.clear()
    headers = {b"x-amz-target": b"AnyScaleFrontendService.PutScalingPolicy"}
    request = Request(b"POST", b"/", b"", headers, b'{"PolicyName": "p"}')
    answered = Response(200, b"{}")
    recording.recorder.record_call(request, "application-autoscaling", CALLER, answered)
    (event,) = recording.events
    assert event.event_name == "PutScalingPolicy"
    assert event.request_parameters == {"policyName": "p"}
    assert not event.read_only


# As recorded in September 2026.
def test_errors_of_iam_have_the_names_of_its_model(recording):
    headers = {b"content-type": b"application/x-www-form-urlencoded"}
    request = Request(b"POST", b"/", b"", headers, b"Action=GetUser&UserName=missing")
    for code, shown in (("NoSuchEntity", "NoSuchEntityException"), ("AccessDenied",) * 2):
        recording.events.clear()
        refusal = f"<ErrorResponse><Error><Code>{code}</Code><Message>no</Message></Error>"
        response = Response(404, f"{refusal}</ErrorResponse>".encode())
        recording.recorder.record_call(request, "iam.amazonaws.com", CALLER, response)
        assert [event.error_code for event in recording.events] == [shown]


# The path names the operation; a body of CBOR is shown as JSON is, and so is its refusal.
def test_calls_in_cbor_are_recorded(recording):
    recording.events.clear()
    headers = {b"content-type": b"application/cbor"}
    path = b"/service/GraniteServiceVersion20100801/operation/PutDashboard"
    body = encoded({"DashboardName": "d", "DashboardBody": b"\x00"})
    refusal = encoded({"__type": "com.amazonaws.cloudwatch#InvalidFormatFault", "message": "no"})
    response = Response(400, refusal, b"application/cbor")
    request = Request(b"POST", path, b"", headers, body)
    recording.recorder.record_call(request, "monitoring.amazonaws.com", CALLER, response)
    malformed = Request(b"POST", path, b"", headers, b"\xff")
    recording.recorder.record_call(malformed, "monitoring.amazonaws.com", CALLER, response)
    first, second = recording.events
    assert first.event_name == second.event_name == "PutDashboard"
    assert first.request_parameters == {"dashboardName": "d", "dashboardBody": "AA=="}
    assert second.request_parameters is None
    assert (first.error_code, first.error_message) == ("InvalidFormatFault", "no")


def test_calls_about_data_are_not_recorded(recording):
    recording.events.clear()
    body = b"Action=PutMetricData&Version=2010-08-01"
    headers = {b"content-type": b"application/x-www-form-urlencoded"}
    request = Request(b"POST", b"/", b"", headers, body)
    response = recording.recorder.record_call(
        request, "monitoring.amazonaws.com", CALLER, Response(200, b""), unless={"PutMetricData"}
    )
    assert (recording.events, response.request_id) == ([], b"")
